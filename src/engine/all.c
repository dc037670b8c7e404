/*-------------------------------------------------------------------------
 *
 * all.c
 *	  All frequent itemsets within a node.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

/* Column j's counts with the columns before it; what is perfect leaves the mask. */
typedef struct Extensions
{
	uint32_t   *counts;
	uint8_t    *mask;
	uint8_t    *perfect;
	uint32_t	n;				/* bits in mask */
} Extensions;

static void
CountExtensions(Miner *m, const Node *node, uint32_t j, Extensions *e)
{
	uint32_t	nperfect;

	e->counts = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->matrix.stride);
	e->mask = ArenaAlloc(&m->arena, node->matrix.stride / 8);
	e->perfect = ArenaAlloc(&m->arena, node->matrix.stride / 8);
	m->kernels->count_column(&node->matrix, j, j, e->counts);
	MinerWork(m, (uint64_t) node->matrix.nwords * (j / 8 + 1));
	e->n = m->kernels->at_least(e->counts, j, m->job->minsup, e->mask);
	nperfect = m->kernels->at_least(e->counts, j, node->support[j], e->perfect);
	if (nperfect == 0)
		return;
	e->n -= nperfect;
	for (uint32_t g = 0; g < (j + 7) / 8; g++)
	{
		e->mask[g] &= (uint8_t) ~e->perfect[g];
		for (unsigned left = e->perfect[g]; left != 0; left &= left - 1)
			m->out.perfect[m->out.nperfect++] = node->item[g * 8 + (uint32_t) __builtin_ctz(left)];
	}
}

static void
MineOnlyExtension(Miner *m, const Node *node, const Extensions *e)
{
	uint32_t	g = 0;
	uint32_t	c;

	while (e->mask[g] == 0)
		g++;
	c = g * 8 + (uint32_t) __builtin_ctz(e->mask[g]);
	OutputPush(&m->out, node->item[c]);
	OutputAll(m, e->counts[c]);
	OutputPop(&m->out, 1);
}

/* The itemsets that extend the path by column j and columns before it. */
void
MineAllColumn(Miner *m, const Node *node, uint32_t j, bool merge)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	nperfect = m->out.nperfect;
	Extensions	e = {.n = 0};

	OutputPush(&m->out, node->item[j]);
	if (j > 0 && m->out.depth < m->out.max_depth)
		CountExtensions(m, node, j, &e);
	OutputAll(m, node->support[j]);
	if (e.n == 1)
		MineOnlyExtension(m, node, &e);
	else if (e.n > 1)
	{
		Node		child;

		NodeProject(m, node, j, e.counts, e.mask, e.n, 0, merge, &child);
		MineAllNode(m, &child);
	}
	m->out.nperfect = nperfect;
	OutputPop(&m->out, 1);
	ArenaRelease(&m->arena, mark);
}

void
MineAllNode(Miner *m, const Node *node)
{
	if (TablePays(m, node))
	{
		MineTable(m, node);
		return;
	}
	m->nodes++;
	for (uint32_t j = node->k; j-- > 0;)
		MineAllColumn(m, node, j, false);
}
