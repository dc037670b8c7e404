/*-------------------------------------------------------------------------
 *
 * planned_call.h
 *	  The call of which a planner support function is asked something.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_PLANNED_CALL_H
#define GPUFIM_PLANNED_CALL_H

#include "postgres.h"

#include "nodes/primnodes.h"

/*
 * Returns the call whose number of rows the planner asks for; NULL if the request is another one.
 * Raises an error if the call's type sample is not where PostgreSQL looks for it.
 */
extern FuncExpr *PlannedCall(Node *request);

#endif							/* GPUFIM_PLANNED_CALL_H */
