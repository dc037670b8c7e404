/*-------------------------------------------------------------------------
 *
 * closed.c
 *	  Closed itemsets within a node.
 *
 * Prefix-preserving closure extension (Uno, Kiyomi and Arimura, LCM ver. 2,
 * FIMI 2004, section 2): the path is a closed itemset; adding column j and all
 * columns that share all of j's rows closes it again.  If one of these comes
 * after j, an item of an earlier class, then the same closed itemset is found
 * there, and j is left out with its whole subtree.  So each closed itemset is
 * found once, and no store of those found is needed.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

typedef struct Extensions
{
	uint32_t   *counts;
	uint8_t    *mask;			/* frequent with j, without the closure */
	uint8_t    *closure;
	uint32_t	nextensions;
	uint32_t	nexcluded;
} Extensions;

/*
 * Count column j against all others and push its closure.  false: a column
 * after j is in the closure.
 */
static bool
CloseColumn(Miner *m, const Node *node, uint32_t j, Extensions *e)
{
	uint32_t	ncolumns = node->k + node->excluded;
	uint32_t	group = j / 8;
	uint8_t		upto = (uint8_t) (0xff >> (7 - j % 8));	/* columns 0 .. j of its group */
	uint32_t	ngroups = (ncolumns + 7) / 8;
	uint32_t	total;

	e->counts = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->matrix.stride);
	e->mask = ArenaAlloc(&m->arena, node->matrix.stride / 8);
	e->closure = ArenaAlloc(&m->arena, node->matrix.stride / 8);
	m->kernels->count_column(&node->matrix, j, ncolumns, e->counts);
	MinerWork(m, (uint64_t) node->matrix.nwords * ngroups);
	m->kernels->at_least(e->counts, ncolumns, node->support[j], e->closure);
	if ((e->closure[group] & (uint8_t) ~upto) != 0)
		return false;
	for (uint32_t g = group + 1; g < ngroups; g++)
		if (e->closure[g] != 0)
			return false;

	total = m->kernels->at_least(e->counts, ncolumns, m->job->minsup, e->mask);
	e->nextensions = 0;
	for (uint32_t g = 0; g <= group; g++)
	{
		uint8_t		before = g < group ? 0xff : upto;

		total -= (uint32_t) __builtin_popcount(e->closure[g]);
		e->mask[g] &= (uint8_t) ~e->closure[g];
		e->nextensions += (uint32_t) __builtin_popcount(e->mask[g] & before);
		for (unsigned left = e->closure[g]; left != 0; left &= left - 1)
			if (g * 8 + (uint32_t) __builtin_ctz(left) != j)
				OutputPush(&m->out, node->item[g * 8 + (uint32_t) __builtin_ctz(left)]);
	}
	e->nexcluded = total - e->nextensions;
	return true;
}

/* The closed itemsets that extend the path by column j and columns before it. */
void
MineClosedColumn(Miner *m, const Node *node, uint32_t j, bool merge)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	depth = m->out.depth;
	Extensions	e;

	OutputPush(&m->out, node->item[j]);
	if (CloseColumn(m, node, j, &e))
	{
		OutputOne(m, node->support[j]);
		if (e.nextensions > 0 && m->out.depth < m->out.max_depth)
		{
			Node		child;

			NodeProject(m, node, j, e.counts, e.mask, e.nextensions, e.nexcluded, merge, &child);
			MineClosedNode(m, &child);
		}
	}
	OutputPop(&m->out, m->out.depth - depth);
	ArenaRelease(&m->arena, mark);
}

void
MineClosedNode(Miner *m, const Node *node)
{
	if (TablePays(m, node))
	{
		MineTable(m, node);
		return;
	}
	m->nodes++;
	for (uint32_t j = node->k; j-- > 0;)
		MineClosedColumn(m, node, j, false);
}
