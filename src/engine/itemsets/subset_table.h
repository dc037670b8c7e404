/*-------------------------------------------------------------------------
 *
 * subset_table.h
 *	  All subsets of a node's columns at once, where there are few columns.
 *
 * Included by all.c, closed.c and maximal.c, which mine nodes, and by cpu_engine.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SUBSET_TABLE_H
#define FIM_SUBSET_TABLE_H

#include "node.h"

/* A pattern is a set of columns: its bit c stands for column c. */
typedef struct Table
{
	uint32_t	ncolumns;		/* 6 at least; those that the node does not have are empty */
	uint32_t   *support;		/* [1 << ncolumns] by pattern */
	uint64_t   *patterns;		/* a bit for each pattern that is wanted */
} Table;

/* To be called before closed itemsets are mined. */
extern void TablesInit(Miner *m);

/* Whether computing all subsets is expected to cost less than searching the node. */
extern bool TablePays(const Miner *m, const Node *node);

/* Give out all that is within the node: all itemsets, or the closed ones. */
extern void MineTable(Miner *m, const Node *node);

/*
 * Make the table of patterns that are frequent and of which no superset within the node
 * is.  Memory is from the miner's arena.
 */
extern void MaximalTable(Miner *m, const Node *node, Table *to);

/*
 * Clear the table's patterns that are part of a row of the matrix, whose first columns
 * are the table's.
 */
extern void TableWithout(Miner *m, const BitMatrix *rows, Table *t);

/* Whether that is expected to cost less than to look for each pattern in so many words of rows. */
extern bool TableWithoutPays(const Table *t, uint32_t nwords);

#endif							/* FIM_SUBSET_TABLE_H */
