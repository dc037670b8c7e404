/*-------------------------------------------------------------------------
 *
 * subset_table.h
 *	  All subsets of a node's columns at once, where there are few columns.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SUBSET_TABLE_H
#define FIM_SUBSET_TABLE_H

#include "node.h"

/* A pattern is a set of columns: its bit c stands for column c. */
typedef struct Table
{
	uint32_t	ncolumns;		/* at least 6; columns that the node does not have are empty */
	uint32_t   *support;		/* [1 << ncolumns] by pattern */
	uint64_t   *patterns;		/* a set of patterns: bit p is set if pattern p is wanted */
} Table;

/* To be called before closed itemsets are mined. */
extern void TablesInit(Miner *m);

/* Whether computing all subsets is expected to cost less than searching the node. */
extern bool TablePays(const Miner *m, const Node *node);

/* Give out all frequent itemsets that extend the path within the node, or the closed ones. */
extern void MineTable(Miner *m, const Node *node);

/*
 * Make the table of the node's maximal patterns: those that are frequent and have no frequent
 * superset within the node.  Memory is from the miner's arena.
 */
extern void MaximalTable(Miner *m, const Node *node, Table *to);

/*
 * Clear the table's patterns that are a subset of some row of the matrix, whose first columns
 * are the table's.
 */
extern void TableWithout(Miner *m, const BitMatrix *rows, Table *t);

/* Whether TableWithout() is expected to cost less than looking for each pattern in nwords words of 64 rows. */
extern bool TableWithoutPays(const Table *t, uint32_t nwords);

#endif							/* FIM_SUBSET_TABLE_H */
