/*-------------------------------------------------------------------------
 *
 * row_set.h
 *	  Closed sets of rows: making and weighing them, and what a search for them works on.
 *
 * Included by row_sets.c and row_search.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROW_SET_H
#define FIM_ROW_SET_H

#include "miner.h"

/* A closed set of rows.  Arrays live in the arena. */
typedef struct RowSet
{
	BitMatrix	columns;		/* those that hold all of the set's rows */
	uint32_t	ncolumns;
	uint32_t   *group;			/* [ncolumns] their groups of items */
	uint32_t	nitems;			/* of these groups */
	uint64_t   *rows;			/* [nwords] the set */
	uint64_t   *some;			/* [nwords] rows that some of the columns hold */
	uint32_t	support;		/* transactions of the set */
	uint32_t	next;			/* rows from here on extend it */
} RowSet;

/*
 * Rows are numbered anew, the shortest first, without those that hold no column.
 * A plane has the rows whose weight has a certain bit set; the planes together
 * tell what a set of rows weighs.  Items that the same rows hold are one column;
 * they are the column's group.
 */
typedef struct RowSearch
{
	Miner	   *m;
	uint32_t	nrows;
	uint32_t	nwords;			/* of a set of rows */
	uint32_t	nplanes;
	uint64_t   *plane;			/* [nplanes][nwords] */
	uint64_t   *within;			/* [nplanes][nwords] scratch: the planes of some rows */
	uint32_t	ngroups;
	uint32_t   *group_at;		/* [ngroups + 1] into item */
	uint32_t   *item;			/* by group, the caller's numbers */
	bool		grouped;		/* some group has several items */
	RowSet		root;			/* all columns */
} RowSearch;

/* A set with room for so many columns. */
extern void RowSetNew(RowSearch *s, uint32_t room, RowSet *set);

/* Find the rows that all of the set's columns hold, and those that some hold. */
extern void RowSetClose(RowSearch *s, RowSet *set);

/* The transactions of a set of rows. */
extern uint32_t RowsWeight(const RowSearch *s, const uint64_t *rows);

/* The least that a row of the set weighs. */
extern uint32_t RowSetLightest(const RowSearch *s, const RowSet *set);

/*
 * Set the planes of s->within for the set's rows and for those from "first" on that may
 * join it.  Returns the weight of all these rows.
 */
extern uint32_t RowSetWithin(RowSearch *s, const RowSet *set, uint32_t first);

/*
 * Make the closure of the set with row r, for which s->within has been set.  Returns
 * false if that closed set is found elsewhere, or if it has no wanted itemset, nor has
 * any set below it.
 */
extern bool RowSetAdd(RowSearch *s, const RowSet *set, uint32_t r, RowSet *to);

#endif							/* FIM_ROW_SET_H */
