/*-------------------------------------------------------------------------
 *
 * call.h
 *	  The frame of a call: its memory, and its figures, which are kept however the
 *	  call ends.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_CALL_H
#define GPUFIM_CALL_H

#include "postgres.h"

#include "fmgr.h"

/*
 * A step of a call.  The request is a struct of the function's own, by which one step
 * hands what it has found on to the next.
 */
typedef void (*CallStep) (FunctionCallInfo fcinfo, void *request);

/*
 * Run a function that returns a set as a tuplestore.  check() reads and checks the
 * arguments: a call whose arguments are wrong leaves no figures.  run() does the
 * rest.  Everything that both allocate lives in a memory context of the call's own.
 */
extern Datum CallFunction(FunctionCallInfo fcinfo, const char *function,
						  CallStep check, CallStep run, void *request);

/* The same for a function that returns a value, which run() leaves in the request. */
extern void CallValueFunction(FunctionCallInfo fcinfo, const char *function,
							  CallStep check, CallStep run, void *request);

#endif							/* GPUFIM_CALL_H */
