/*-------------------------------------------------------------------------
 *
 * row_set.h
 *	  Closed sets of rows: making and weighing them, and what a search for them works on.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROW_SET_H
#define FIM_ROW_SET_H

#include "miner.h"

/* A closed set of rows.  Its arrays are in the miner's arena. */
typedef struct RowSet
{
	BitMatrix	columns;		/* the columns that hold all of the set's rows */
	uint32_t	ncolumns;
	uint32_t   *group;			/* [ncolumns] the group of items of each column */
	uint32_t	nitems;			/* the items of these groups */
	uint64_t   *rows;			/* [nwords] the set */
	uint64_t   *some;			/* [nwords] rows that at least one of the columns holds */
	uint32_t	support;		/* transactions of the set */
	uint32_t	next;			/* rows from this one on may extend the set */
} RowSet;

/*
 * What a search for closed sets of rows works on.  Items that the same rows hold are one
 * column, and these items are the column's group.  Rows are numbered anew, the shortest
 * first, without those that hold no column.  Plane p has the rows whose weight has bit p
 * set, so the planes together tell what a set of rows weighs.
 */
typedef struct RowSearch
{
	Miner	   *m;
	uint32_t	nrows;
	uint32_t	nwords;			/* words of a set of rows */
	uint32_t	nplanes;
	uint64_t   *plane;			/* [nplanes][nwords] */
	uint64_t   *within;			/* [nplanes][nwords] scratch: the planes, cut down to some rows */
	uint32_t	ngroups;
	uint32_t   *group_at;		/* [ngroups + 1] where each group begins in item[] */
	uint32_t   *item;			/* the caller's numbers, group by group */
	bool		grouped;		/* some group has several items */
	RowSet		root;			/* the set with all columns */
} RowSearch;

/* Allocate a set with room for "room" columns, a multiple of 8. */
extern void RowSetNew(RowSearch *s, uint32_t room, RowSet *set);

/* Find the rows that all of the set's columns hold, and those that some hold. */
extern void RowSetClose(RowSearch *s, RowSet *set);

/* The number of transactions that a set of rows stands for. */
extern uint32_t RowsWeight(const RowSearch *s, const uint64_t *rows);

/* The smallest weight of a row of the set. */
extern uint32_t RowSetLightest(const RowSearch *s, const RowSet *set);

/*
 * Cut the planes down, in s->within, to the set's rows and to the rows from "first" on that
 * may join it.  Returns the weight of all these rows.
 */
extern uint32_t RowSetWithin(RowSearch *s, const RowSet *set, uint32_t first);

/*
 * Add row r to the set and close the result, which goes to *to.  RowSetWithin() must have
 * been called for the set and r.  Returns false if that closed set is found elsewhere, or
 * if neither it nor any set below it has an itemset that is wanted.
 */
extern bool RowSetAdd(RowSearch *s, const RowSet *set, uint32_t r, RowSet *to);

#endif							/* FIM_ROW_SET_H */
