/*-------------------------------------------------------------------------
 *
 * closed.c
 *	  Closed itemsets within a class.
 *
 * Prefix-preserving closure extension (Uno, Kiyomi and Arimura, LCM ver. 2,
 * FIMI 2004, section 2): the path is a closed itemset; adding column j and all
 * columns that have all of j's rows closes it again.  If one of these columns comes
 * after j, the same closed itemset is found below that column, in this class or an
 * earlier one, and j is left out with its whole subtree.  So each closed itemset is
 * found once, and no store of those found is needed.
 *
 * Columns before j extend the path.  They are counted with j, which also shows those
 * that have all of j's rows.  Columns after j are not counted.  The class keeps its
 * rows as bits, and j's rows are intersected until no column after j is left in the
 * intersection, which mostly takes a few rows.  So the matrix of a node has columns for
 * its extensions only.
 *
 * A column after j that is left when all of j's rows have been read covers j.  It also
 * covers j in the nodes below, where j has fewer rows, unless it is on the path there.
 * So nodes hand down what covers their columns.  An item that comes after all columns
 * of a node does not come on a path below the node.  So a column that such an item
 * covers is in no closed itemset there, and is left out of the nodes below.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#include <string.h>

/* What extends the path by column j. */
typedef struct Extensions
{
	uint32_t   *counts;
	uint8_t    *mask;			/* frequent with j, without the closure and without what is covered */
	uint8_t    *closure;		/* in all of j's rows */
	uint8_t    *covered;		/* columns whose cover comes after the columns of the children to come */
	uint32_t	ncovered;		/* bits in covered */
	uint32_t	nwaiting;		/* columns with another cover, which may be a column of these children */
	uint32_t	n;				/* bits in mask */
} Extensions;

/* The work of a step besides counting; if rows are few, that is most of the step. */
#define STEP_WORK		16

static void
NewExtensions(Miner *m, const Node *node, Extensions *e)
{
	e->counts = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->matrix.stride);
	e->mask = ArenaAlloc(&m->arena, node->matrix.stride / 8);
	e->closure = ArenaAlloc(&m->arena, node->matrix.stride / 8);
	e->covered = ArenaAlloc(&m->arena, node->matrix.stride / 8);
	memset(e->covered, 0, node->matrix.stride / 8);
	e->ncovered = e->nwaiting = 0;
}

/*
 * Find a bit of the class's rows that comes after column c, is not on the path, and is in all
 * rows that have both c and j.  Returns FIM_NOT_COVERED if there is none.
 */
static inline uint32_t
FindCover(Miner *m, const Node *node, uint32_t c, uint32_t j)
{
	uint32_t	cover = m->kernels->find_cover(&node->matrix, c, j, &node->rows, node->place[c] + 1,
											   m->candidates);

	/* if nothing covers, a few rows show that; if something does, all rows were read */
	MinerWork(m, STEP_WORK + node->matrix.nwords);
	if (cover != FIM_NOT_COVERED)
		MinerWork(m, (uint64_t) node->support[c] * node->rows.row_words / 8);
	return cover;
}

/* Leave column c out of the children to come. */
static inline void
Cover(Extensions *e, uint32_t c)
{
	e->covered[c / 8] |= (uint8_t) (1 << (c % 8));
	e->ncovered++;
}

/* Find what covers the columns of a node, as far as the nodes above do not know it. */
static void
FindCovers(Miner *m, const Node *node, Extensions *e)
{
	for (uint32_t c = 0; c < node->k; c++)
	{
		if (node->cover[c] == FIM_NOT_COVERED)
			node->cover[c] = FindCover(m, node, c, c);
		if (node->cover[c] == FIM_NOT_COVERED)
			continue;
		if (node->cover[c] >= node->after)
			Cover(e, c);
		else
			e->nwaiting++;
	}
}

/*
 * Column j has been mined, so it comes after the columns of the children to come.  Leave the
 * columns that it covers out of these.
 */
static void
CoverByColumn(const Node *node, uint32_t j, Extensions *e)
{
	for (uint32_t c = 0; c < j && e->nwaiting > 0; c++)
		if (node->cover[c] == node->place[j])
		{
			Cover(e, c);
			e->nwaiting--;
		}
}

/* Note in m->candidates that a column comes on the path, or that it leaves the path. */
static inline void
Mark(Miner *m, const Node *node, uint32_t c)
{
	m->candidates[node->place[c] / 64] ^= UINT64_C(1) << (node->place[c] % 64);
}

/* Do the same for column j and all columns of its closure. */
static void
MarkClosure(Miner *m, const Node *node, uint32_t j, const uint8_t *closure)
{
	Mark(m, node, j);
	for (uint32_t g = 0; g < (j + 7) / 8; g++)
		for (unsigned left = closure[g]; left != 0; left &= left - 1)
			Mark(m, node, g * 8 + (uint32_t) __builtin_ctz(left));
}

/* Take the covered columns out of the extensions.  They stay in the closure. */
static void
LeaveOutCovered(uint32_t j, Extensions *e)
{
	e->n = 0;
	for (uint32_t g = 0; g < (j + 7) / 8; g++)
	{
		e->mask[g] &= (uint8_t) ~e->covered[g];
		e->n += (uint32_t) __builtin_popcount(e->mask[g] & ~e->closure[g]);
	}
}

/*
 * Divide the columns before j, which have been counted with j, into the closure of j,
 * which goes on the path, and its extensions.
 */
static void
Divide(Miner *m, const Node *node, uint32_t j, Extensions *e)
{
	uint32_t	nclosure = m->kernels->at_least(e->counts, j, node->support[j], e->closure);

	e->n = m->kernels->at_least(e->counts, j, m->minsup, e->mask) - nclosure;
	if (e->ncovered > 0)
		LeaveOutCovered(j, e);
	if (nclosure == 0)
		return;
	for (uint32_t g = 0; g < (j + 7) / 8; g++)
	{
		e->mask[g] &= (uint8_t) ~e->closure[g];
		for (unsigned left = e->closure[g]; left != 0; left &= left - 1)
			OutputPush(&m->out, node->item[g * 8 + (uint32_t) __builtin_ctz(left)]);
	}
}

/* Give out the path with the only extension c of column j, which nothing can extend further. */
static void
MineOnlyExtension(Miner *m, const Node *node, uint32_t j, const Extensions *e)
{
	uint32_t	g = 0;
	uint32_t	c;

	while (e->mask[g] == 0)
		g++;
	c = g * 8 + (uint32_t) __builtin_ctz(e->mask[g]);
	if (CoverLeft(m, node->cover[c]) != FIM_NOT_COVERED || FindCover(m, node, c, j) != FIM_NOT_COVERED)
		return;
	OutputPush(&m->out, node->item[c]);
	OutputOne(m, e->counts[c]);
	OutputPop(&m->out, 1);
}

static void MineNode(Miner *m, const Node *node);

/*
 * Merging a child's rows costs a few steps for each row, and each node of the subtree gains
 * by it.  So it pays if there are enough extensions for a large subtree, and enough words
 * of rows for merging to leave fewer.
 */
#define MERGE_FROM_COLUMNS	14
#define MERGE_FROM_WORDS	8

static inline bool
MergePays(const Node *node, uint32_t n)
{
	return node->one_word && n >= MERGE_FROM_COLUMNS && node->matrix.nwords >= MERGE_FROM_WORDS;
}

/* Give out the closed itemsets that extend the path by column j and columns before it. */
static void
MineColumn(Miner *m, const Node *node, uint32_t j, Extensions *e)
{
	uint32_t	depth = m->out.depth;

	OutputPush(&m->out, node->item[j]);
	e->n = 0;
	if (j > 0)
	{
		m->kernels->count_column(&node->matrix, j, j, e->counts);
		MinerWork(m, (uint64_t) node->matrix.nwords * (j / 8 + 1));
		Divide(m, node, j, e);
	}
	OutputOne(m, node->support[j]);
	if (e->n > 0 && m->out.depth < m->out.max_depth && OutputReaches(&m->out, e->n))
	{
		MarkClosure(m, node, j, e->closure);
		if (e->n == 1)
			MineOnlyExtension(m, node, j, e);
		else
		{
			ArenaMark	mark = ArenaGetMark(&m->arena);
			Node		child;

			if (MergePays(node, e->n))
				NodeMerge(m, node, j, e->counts, e->mask, e->n, &child);
			else
				NodeProject(m, node, j, e->counts, e->mask, e->n, false, &child);
			MineNode(m, &child);
			ArenaRelease(&m->arena, mark);
		}
		MarkClosure(m, node, j, e->closure);
	}
	OutputPop(&m->out, m->out.depth - depth);
}

static void
MineNode(Miner *m, const Node *node)
{
	bool		divided = FimTakesPieces(m->dealt);
	Extensions	e;

	if (!divided && TablePays(m, node))
	{
		MineTable(m, node);
		return;
	}
	MinerBeginNode(m);
	NewExtensions(m, node, &e);
	FindCovers(m, node, &e);
	for (uint32_t j = node->k; j-- > 0 && OutputReaches(&m->out, j + 1);)
	{
		if (node->cover[j] == FIM_NOT_COVERED && node->support[j] >= m->minsup &&
			(!divided || FimHasPiece(m->dealt, node->item[j])))
			MineColumn(m, node, j, &e);
		CoverByColumn(node, j, &e);
	}
}

void
MineClosedClass(Miner *m, Node *class)
{
	size_t		size = sizeof(uint64_t) * class->rows.row_words;
	uint32_t	first = class->k <= MERGED_COLUMNS ? 64 - class->k : 0;

	m->candidates = ArenaAlloc(&m->arena, size);
	memset(m->candidates, 0xff, size);
	class->one_word = class->k <= MERGED_COLUMNS;
	class->after = first + class->k;
	class->place = ArenaAlloc(&m->arena, sizeof(uint32_t) * class->k);
	class->cover = ArenaAlloc(&m->arena, sizeof(uint32_t) * class->k);
	for (uint32_t c = 0; c < class->k; c++)
	{
		class->place[c] = first + c;
		class->cover[c] = FIM_NOT_COVERED;
	}
	MineNode(m, class);
}

/* Whether the closure has a column after column j. */
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

/* Add the columns after j that are frequent with j to the mask.  Returns how many. */
static uint32_t
AddExcluded(Miner *m, const Node *root, uint32_t j, Extensions *e)
{
	uint8_t    *frequent = ArenaAlloc(&m->arena, root->matrix.stride / 8);
	uint32_t	n = 0;

	m->kernels->at_least(e->counts, root->k, m->minsup, frequent);
	memset(e->mask + (j + 7) / 8, 0, root->matrix.stride / 8 - (j + 7) / 8);
	frequent[j / 8] &= (uint8_t) (0xfe << j % 8);
	for (uint32_t g = j / 8; g < (root->k + 7) / 8; g++)
	{
		e->mask[g] |= frequent[g];
		n += (uint32_t) __builtin_popcount(frequent[g]);
	}
	return n;
}

/*
 * The whole database is one node, so all of its columns, those after j as well, are counted
 * with column j.  The columns after j that are frequent with it are the excluded items of
 * its class.
 */
void
MineClosedRootColumn(Miner *m, const Node *root, uint32_t j)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	depth = m->out.depth;
	Extensions	e;

	if (root->support[j] < m->minsup)
		return;
	NewExtensions(m, root, &e);
	m->kernels->count_column(&root->matrix, j, root->k, e.counts);
	MinerWork(m, STEP_WORK + (uint64_t) root->matrix.nwords * (root->k / 8 + 1));
	m->kernels->at_least(e.counts, root->k, root->support[j], e.closure);
	if (!ReachesAfter(e.closure, j, (root->k + 7) / 8))
	{
		OutputPush(&m->out, root->item[j]);
		Divide(m, root, j, &e);
		if (FimHasRest(m->dealt))
			OutputOne(m, root->support[j]);
		if (e.n > 0 && m->out.depth < m->out.max_depth && OutputReaches(&m->out, e.n))
		{
			Node		class;
			uint32_t	excluded = AddExcluded(m, root, j, &e);

			NodeOfRootColumn(m, root, j, e.counts, e.mask, e.n, excluded, &class);
			MineClosedClass(m, &class);
		}
	}
	OutputPop(&m->out, m->out.depth - depth);
	ArenaRelease(&m->arena, mark);
}
