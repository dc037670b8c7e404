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
 * Whether a column after j is in the closure can be counted or looked up.  A
 * class of few columns merges its rows and counts: each node carries the columns
 * after its own that are frequent in it.  In a class of many columns rows are
 * long and different, and most of these columns are far from covering anything:
 * there the nodes carry only what extends them, and the rows of j's transactions
 * are intersected until no column after j is left, which takes a few of them.
 *
 *-------------------------------------------------------------------------
 */
#include "closed.h"
#include "output.h"
#include "subset_table.h"

#include <string.h>

typedef struct Extensions
{
	uint32_t   *counts;
	uint8_t    *mask;			/* frequent with j, without the closure */
	uint8_t    *closure;
	uint32_t	nextensions;
	uint32_t	nexcluded;
} Extensions;

/* From this many extensions on, a class looks up what covers a column. */
#define LOOK_UP_FROM	(MERGED_COLUMNS + 1)

/* Work of a step besides its counting: where rows are few it is most of it. */
#define STEP_WORK		16

static void MineClosedNode(Miner *m, const Node *node);

static inline bool
LooksUp(const Node *node)
{
	return node->place != NULL;
}

/* A column of the class after column j, and not on the path, has all of j's rows. */
static bool
IsCoveredInClass(Miner *m, const Node *node, uint32_t j)
{
	const Cover *cover = &m->cover;
	uint32_t	after = node->place[j] + 1;

	MinerWork(m, (cover->ncolumns - after) / 64);
	return m->kernels->is_covered(&node->matrix, j, cover->rows, after, cover->candidates);
}

/* A column comes on the path or leaves it. */
static inline void
Mark(Miner *m, const Node *node, uint32_t c)
{
	m->cover.candidates[node->place[c] / 64] ^= UINT64_C(1) << (node->place[c] % 64);
}

/* The same for all columns of a closure among columns 0 .. j. */
static void
MarkClosure(Miner *m, const Node *node, uint32_t j, const uint8_t *closure)
{
	for (uint32_t g = 0; g <= j / 8; g++)
		for (unsigned left = closure[g]; left != 0; left &= left - 1)
			Mark(m, node, g * 8 + (uint32_t) __builtin_ctz(left));
}

/* A counted column after column j is in the closure. */
static bool
ReachesAfter(const uint8_t *closure, uint32_t j, uint32_t ngroups)
{
	if (closure[j / 8] >> (j % 8) > 1)
		return true;
	for (uint32_t g = j / 8 + 1; g < ngroups; g++)
		if (closure[g] != 0)
			return true;
	return false;
}

/*
 * Count column j against the others and push its closure.  false: a column
 * after j is in the closure.
 */
static bool
CloseColumn(Miner *m, const Node *node, uint32_t j, Extensions *e)
{
	uint32_t	ncolumns = LooksUp(node) ? j + 1 : node->k + node->excluded;
	uint32_t	ngroups = (ncolumns + 7) / 8;
	uint32_t	before;
	uint32_t	total;

	if (LooksUp(node) && IsCoveredInClass(m, node, j))
		return false;
	e->counts = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->matrix.stride);
	e->mask = ArenaAlloc(&m->arena, node->matrix.stride / 8);
	e->closure = ArenaAlloc(&m->arena, node->matrix.stride / 8);
	m->kernels->count_column(&node->matrix, j, ncolumns, e->counts);
	MinerWork(m, STEP_WORK + (uint64_t) node->matrix.nwords * ngroups);
	m->kernels->at_least(e->counts, ncolumns, node->support[j], e->closure);
	if (ReachesAfter(e->closure, j, ngroups))
		return false;

	before = m->kernels->at_least(e->counts, j, m->job->minsup, e->mask);
	total = m->kernels->at_least(e->counts, ncolumns, m->job->minsup, e->mask);
	e->nexcluded = total - before - 1;
	e->nextensions = before;
	for (uint32_t g = 0; g <= j / 8; g++)
	{
		e->mask[g] &= (uint8_t) ~e->closure[g];
		for (unsigned left = e->closure[g]; left != 0; left &= left - 1)
		{
			uint32_t	c = g * 8 + (uint32_t) __builtin_ctz(left);

			if (c == j)
				continue;
			OutputPush(&m->out, node->item[c]);
			e->nextensions--;
		}
	}
	return true;
}

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

			if (LooksUp(node))
			{
				MarkClosure(m, node, j, e.closure);
				e.mask[j / 8] |= (uint8_t) (1 << j % 8);
			}
			NodeProject(m, node, j, e.counts, e.mask, e.nextensions, e.nexcluded, merge, &child);
			MineClosedNode(m, &child);
			if (LooksUp(node))
				MarkClosure(m, node, j, e.closure);
		}
	}
	OutputPop(&m->out, m->out.depth - depth);
	ArenaRelease(&m->arena, mark);
}

/*
 * The class's columns from "first" on, a multiple of 8, in the rows of the
 * node's path.
 */
static void
ClassInPath(Miner *m, const Node *node, uint32_t first, BitMatrix *to)
{
	const BitMatrix *class = m->cover.matrix;
	uint64_t   *out;

	*to = (BitMatrix) {.shift = node->matrix.shift, .nwords = node->matrix.nwords};
	to->stride = class->stride - first;
	out = to->words = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) to->nwords * to->stride + 8));
	for (uint32_t w = 0; w < to->nwords; w++)
	{
		uint64_t	tids = node->matrix.words[(size_t) w * node->matrix.stride + node->k];
		const uint64_t *in = class->words + (size_t) node->matrix.origin[w] * class->stride + first;

		for (uint32_t c = 0; c < to->stride; c++)
			*out++ = in[c] & tids;
	}
	MinerWork(m, (uint64_t) to->nwords * to->stride / 8);
}

/*
 * A table wants covers counted: the node again, with the excluded columns that
 * are frequent in it.
 */
static void
WithExcluded(Miner *m, const Node *node, Node *to)
{
	uint32_t	last = node->place[node->k];
	uint32_t	first = last / 8 * 8;
	uint32_t	ncolumns = m->cover.ncolumns - first;
	BitMatrix	class;
	uint32_t   *counts;
	uint32_t   *column;
	uint64_t   *out;

	ClassInPath(m, node, first, &class);
	counts = ArenaAlloc(&m->arena, sizeof(uint32_t) * class.stride);
	column = ArenaAlloc(&m->arena, sizeof(uint32_t) * ncolumns);
	m->kernels->count_column(&class, last - first, ncolumns, counts);
	*to = *node;
	to->place = NULL;
	for (uint32_t c = last + 1 - first; c < ncolumns; c++)
		if (counts[c] >= m->job->minsup &&
			(m->cover.candidates[(first + c) / 64] >> ((first + c) % 64) & 1) != 0)
			column[to->excluded++] = c;

	to->matrix.stride = (node->k + to->excluded + 7) / 8 * 8;
	out = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) class.nwords * to->matrix.stride + 8));
	to->matrix.words = out;
	for (uint32_t w = 0; w < class.nwords; w++, out += to->matrix.stride)
	{
		memcpy(out, node->matrix.words + (size_t) w * node->matrix.stride, sizeof(uint64_t) * node->k);
		for (uint32_t x = 0; x < to->excluded; x++)
			out[node->k + x] = class.words[(size_t) w * class.stride + column[x]];
		for (uint32_t c = node->k + to->excluded; c < to->matrix.stride; c++)
			out[c] = 0;
	}
}

static void
MineClosedNode(Miner *m, const Node *node)
{
	if (TablePays(m, node))
	{
		Node		counted;

		if (!LooksUp(node))
		{
			MineTable(m, node);
			return;
		}
		WithExcluded(m, node, &counted);
		if (TablePays(m, &counted))
		{
			MineTable(m, &counted);
			return;
		}
	}
	MinerBeginNode(m);
	for (uint32_t j = node->k; j-- > 0;)
		MineClosedColumn(m, node, j, false);
}

void
MineClosedClass(Miner *m, Node *node)
{
	if (node->k >= LOOK_UP_FROM)
	{
		m->cover.matrix = &node->matrix;
		m->cover.ncolumns = node->k + node->excluded;
		m->cover.rows = &node->rows;
		m->cover.candidates = ArenaAlloc(&m->arena, sizeof(uint64_t) * node->rows.row_words);
		memset(m->cover.candidates, 0xff, sizeof(uint64_t) * node->rows.row_words);
		node->excluded = 0;
		node->place = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->k);
		for (uint32_t c = 0; c < node->k; c++)
			node->place[c] = c;
	}
	MineClosedNode(m, node);
}
