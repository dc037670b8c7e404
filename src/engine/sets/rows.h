/*-------------------------------------------------------------------------
 *
 * rows.h
 *	  Strategy "rows": a left value at a time.
 *
 * Included by cpu_engine.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_ROWS_H
#define FIM_SETS_ROWS_H

#include "joiner.h"

extern FimResult MineByRows(Joiner *j);

#endif							/* FIM_SETS_ROWS_H */
