/*-------------------------------------------------------------------------
 *
 * row_search.h
 *	  Sets up a search through sets of rows: its rows, columns and weights.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROW_SEARCH_H
#define FIM_ROW_SEARCH_H

#include "row_set.h"
#include "view.h"

/*
 * Set up a search, of which m is set and all else is zeros, through a view with at least
 * one class that is not in all rows.  Memory is from the miner's arena.
 */
extern void RowSearchInit(RowSearch *s, const View *view);

#endif							/* FIM_ROW_SEARCH_H */
