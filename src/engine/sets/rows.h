/*-------------------------------------------------------------------------
 *
 * rows.h
 *	  Strategy "rows": a left value at a time.
 *
 * Included by cpu_engine.c and by a test.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_ROWS_H
#define FIM_SETS_ROWS_H

#include "cells.h"
#include "plan.h"

typedef struct Rows Rows;

extern Rows *RowsNew(Joiner *j, Cells *cells);

/* The cells of the left ranks "from" to "to" - 1 that do not belong to the plan's dense part. */
extern void RowsJoin(Rows *rows, const Plan *plan, uint32_t from, uint32_t to);

#endif							/* FIM_SETS_ROWS_H */
