/*-------------------------------------------------------------------------
 *
 * rows.h
 *	  Strategy "rows": a left value at a time.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_ROWS_H
#define FIM_SETS_ROWS_H

#include "cells.h"
#include "plan.h"

typedef struct Rows Rows;

/* Memory is from the joiner's arena. */
extern Rows *RowsNew(Joiner *j, Cells *cells);

/* Find the results of the left ranks "from" to "to" - 1 that are not in the plan's dense part. */
extern void RowsJoin(Rows *rows, const Plan *plan, uint32_t from, uint32_t to);

#endif							/* FIM_SETS_ROWS_H */
