/*-------------------------------------------------------------------------
 *
 * all.c
 *	  All frequent itemsets within a node.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

/* With fewer extensions than this, AreTogether() takes as long as mining them. */
#define WORTH_A_LOOK	4

/* What extends the path by column j, among the columns before it. */
typedef struct Extensions
{
	uint32_t   *counts;			/* supports together with column j */
	uint8_t    *mask;			/* frequent with j, and not perfect */
	uint8_t    *perfect;		/* in all of j's rows */
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
	e->n = m->kernels->at_least(e->counts, j, m->minsup, e->mask);
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

/*
 * Are column j and all of its extensions frequent together?  (Miners of maximal
 * itemsets look ahead like this: Bayardo, SIGMOD 1998, section 3.1.)  Each extension
 * lacks some of j's transactions.  If j can spare even the sum of these numbers, the
 * answer is yes.  Otherwise the columns are read, and mostly a few words of them show that
 * too many transactions lack an extension.
 */
static bool
AreTogether(Miner *m, const Node *node, uint32_t j, const Extensions *e)
{
	const BitMatrix *matrix = &node->matrix;
	uint64_t	spare = node->support[j] - m->minsup;
	uint32_t   *column = ArenaAlloc(&m->arena, sizeof(uint32_t) * e->n);
	uint64_t	lacking = 0;
	uint32_t	n = 0;

	for (uint32_t g = 0; g < (j + 7) / 8; g++)
		for (unsigned left = e->mask[g]; left != 0; left &= left - 1)
		{
			uint32_t	c = g * 8 + (uint32_t) __builtin_ctz(left);

			lacking += node->support[j] - e->counts[c];
			column[n++] = c;
		}
	if (lacking <= spare)
		return true;
	MinerWork(m, (uint64_t) matrix->nwords * n);
	return m->kernels->lacking(matrix, j, column, n, spare) <= spare;
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

/* Give out what extends the path of a divided class by columns of the node, as far as it is of the task's part. */
static void
MineAllPairs(Miner *m, const Node *node)
{
	for (uint32_t j = node->k; j-- > 0 && OutputReaches(&m->out, m->out.nperfect + j + 1);)
		if (FimHasPiece(m->dealt, node->item[j]))
			MineAllColumn(m, node, j, true);
}

/*
 * Make the node of a column under which there is much to find.  Items that are rare in it are extended by items that are frequent in it,
 * and these more often turn out to be in all of their rows: kosarak at 23 has 6.8e16 itemsets and takes 46 thousand nodes, in place of
 * 34 million in the database's order.
 */
static void
ProjectSorted(Miner *m, const Node *node, uint32_t j, const Extensions *e, Node *child)
{
	uint32_t   *columns = ArenaAlloc(&m->arena, sizeof(uint32_t) * e->n);

	ListColumns(e->mask, j, columns);
	SortColumns(m, columns, e->n, e->counts, node->support[j]);
	NodeProjectInOrder(m, node, j, e->counts, columns, e->n, true, child);
}

/* Give out the path with its extensions and their subsets, as far as these are frequent. */
static void
MineExtensions(Miner *m, const Node *node, uint32_t j, bool top, Extensions *e)
{
	bool		rest = FimHasRest(m->dealt);
	bool		divided = FimTakesPieces(m->dealt);

	if (!divided && e->n >= WORTH_A_LOOK && m->out.count_only && m->counter == NULL && AreTogether(m, node, j, e))
	{
		/* all subsets are frequent, too, so extensions are counted like perfect items */
		m->out.nperfect += e->n;
		e->n = 0;
	}
	if (rest)
		OutputAll(m, node->support[j]);
	if (e->n == 1 && !divided)
		MineOnlyExtension(m, node, e);
	else if (e->n > 0)
	{
		Node		child;

		if (divided)
		{
			/* which pair an itemset belongs to goes by the database's order */
			NodeProject(m, node, j, e->counts, e->mask, e->n, top, &child);
			MineAllPairs(m, &child);
			return;
		}
		if (top)
			ProjectSorted(m, node, j, e, &child);
		else
			NodeProject(m, node, j, e->counts, e->mask, e->n, false, &child);
		MineAllNode(m, &child);
	}
}

void
MineAllColumn(Miner *m, const Node *node, uint32_t j, bool top)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	nperfect = m->out.nperfect;
	Extensions	e = {.n = 0};

	/* it was frequent when the node was made */
	if (node->support[j] < m->minsup)
		return;
	OutputPush(&m->out, node->item[j]);
	if (j > 0 && m->out.depth < m->out.max_depth)
		CountExtensions(m, node, j, &e);
	if (OutputReaches(&m->out, m->out.nperfect + e.n))
		MineExtensions(m, node, j, top, &e);
	m->out.nperfect = nperfect;
	OutputPop(&m->out, 1);
	ArenaRelease(&m->arena, mark);
}

void
MineAllNode(Miner *m, const Node *node)
{
	if (FimTakesPieces(m->dealt))
	{
		MineAllPairs(m, node);
		return;
	}
	if (TablePays(m, node))
	{
		MineTable(m, node);
		return;
	}
	MinerBeginNode(m);
	for (uint32_t j = node->k; j-- > 0 && OutputReaches(&m->out, m->out.nperfect + j + 1);)
		MineAllColumn(m, node, j, false);
}
