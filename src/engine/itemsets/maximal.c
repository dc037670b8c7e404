/*-------------------------------------------------------------------------
 *
 * maximal.c
 *	  Maximal itemsets within a class.
 *
 * A depth-first search in which the known maximal itemsets prune: if one of
 * them contains the path and all of its extensions, then nothing new is below
 * (Burdick, Calimlim and Gehrke, MAFIA, ICDE 2001: HUTMFI), and going down, only
 * those that contain the path matter and get fewer (Gouda and Zaki, GenMax, ICDM
 * 2001: progressive focusing).  Here they are sets of the node's columns, machine
 * words mostly, so that focusing is an AND and a bit extraction.
 *
 * Classes are taken from the rarest item on, so an itemset found that is in no
 * known one could only be contained in a maximal itemset of a class which
 * another worker is still in: known.c checks these by counting.
 *
 *-------------------------------------------------------------------------
 */
#include "known.h"

#include <string.h>

typedef struct MaximalNode
{
	const Node *node;
	uint32_t	level;
	uint32_t   *column;			/* [k] the node's columns among the class's */
	uint64_t   *select;			/* the same as a set */
} MaximalNode;

/* Nodes at the top of a search exchange what is known with other workers. */
typedef enum Exchange
{
	NOTHING,
	KNOWN,
	KNOWN_AND_PASSED			/* the node is that of the class */
} Exchange;

static void MineMaximalColumns(Miner *m, const MaximalNode *at, Exchange exchange);

static inline void
SetColumn(uint64_t *set, uint32_t c)
{
	set[c / 64] |= UINT64_C(1) << (c % 64);
}

static inline void
ClearColumn(uint64_t *set, uint32_t c)
{
	set[c / 64] &= ~(UINT64_C(1) << (c % 64));
}

/* Push column c of the node, or take it back. */
static void
Enter(Miner *m, const MaximalNode *at, uint32_t c)
{
	OutputPush(&m->out, at->node->item[c]);
	SetColumn(m->known->path, at->column[c]);
}

static void
Leave(Miner *m, const MaximalNode *at, uint32_t c)
{
	OutputPop(&m->out, 1);
	ClearColumn(m->known->path, at->column[c]);
}

/* What was found below the node since "from" prunes the rest of it. */
static void
LearnFound(Miner *m, const MaximalNode *at, size_t from)
{
	Known	   *known = m->known;
	uint32_t	nwords = (at->node->k + 63) / 64;

	for (size_t f = from; f < known->nfound; f++)
	{
		Focus	   *focus = KnownFocus(m, at->level, 1, nwords);

		m->kernels->extract_sets(known->found + f * known->class_words, 1, known->class_words,
								 at->select, focus->set + focus->n * nwords);
		focus->n++;
	}
}

/* The child's focus; false: one of its sets holds all of the child's columns. */
static bool
FocusOnChild(Miner *m, const MaximalNode *at, const uint64_t *needed, const uint64_t *wanted,
			 uint32_t nwanted)
{
	uint32_t	nwords = (at->node->k + 63) / 64;
	uint32_t	to_words = (nwanted + 63) / 64;
	uint32_t	n = KnownFocus(m, at->level, 0, nwords)->n;
	Focus	   *to = KnownNewFocus(m, at->level + 1, n, to_words);
	const Focus *from = KnownFocus(m, at->level, 0, nwords);

	MinerWork(m, n);
	for (uint32_t s = 0; s < n; s++)
	{
		const uint64_t *set = from->set + (size_t) s * nwords;
		bool		holds = true;

		for (uint32_t w = 0; w < nwords; w++)
			holds &= (set[w] & needed[w]) == needed[w];
		if (!holds)
			continue;
		if (nwanted == 0)
			return false;
		m->kernels->extract_sets(set, 1, nwords, wanted, to->set + (size_t) to->n * to_words);
		if (SetIsFull(to->set + (size_t) to->n * to_words, nwanted))
			return false;
		if (!SetIsEmpty(to->set + (size_t) to->n * to_words, to_words))
			to->n++;
	}
	return true;
}

/* A known set holds columns 0 .. j: nothing is left to find in the node. */
static bool
RestIsKnown(Miner *m, const MaximalNode *at, uint32_t j)
{
	uint32_t	nwords = (at->node->k + 63) / 64;
	const Focus *focus = KnownFocus(m, at->level, 0, nwords);

	for (uint32_t s = 0; s < focus->n; s++)
		if (SetIsFull(focus->set + (size_t) s * nwords, j + 1))
			return true;
	MinerWork(m, focus->n / 4);
	return false;
}

static void
MineChild(Miner *m, const MaximalNode *at, uint32_t j, const uint32_t *counts,
		  const uint8_t *mask, uint32_t n, bool class)
{
	Node		child;
	MaximalNode below = {.node = &child, .level = at->level + 1};
	uint32_t	class_words = m->known->class_words;

	NodeProject(m, at->node, j, counts, mask, n, 0, class, &child);
	below.column = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	below.select = ArenaAlloc(&m->arena, sizeof(uint64_t) * class_words);
	memset(below.select, 0, sizeof(uint64_t) * class_words);
	for (uint32_t c = 0; c < n; c++)
	{
		below.column[c] = at->column[child.column[c]];
		SetColumn(below.select, below.column[c]);
	}
	MineMaximalColumns(m, &below, class ? KNOWN_AND_PASSED : NOTHING);
}

/* class: the column is that of the class's item. */
static void
MineMaximalColumn(Miner *m, const MaximalNode *at, uint32_t j, bool class)
{
	const Node *node = at->node;
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	nwords = (node->k + 63) / 64;
	uint32_t	ngroups = node->matrix.stride / 8;
	size_t		found = m->known->nfound;
	uint32_t   *counts = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->matrix.stride);
	uint64_t   *wanted = ArenaAlloc(&m->arena, sizeof(uint64_t) * nwords);
	uint64_t   *needed = ArenaAlloc(&m->arena, sizeof(uint64_t) * nwords);
	uint8_t    *mask;
	uint32_t	n = 0;

	memset(wanted, 0, sizeof(uint64_t) * nwords);
	memset(needed, 0, sizeof(uint64_t) * nwords);
	mask = ArenaAlloc(&m->arena, ngroups);
	Enter(m, at, j);
	SetColumn(needed, j);
	if (j > 0)
	{
		m->kernels->count_column(&node->matrix, j, j, counts);
		MinerWork(m, (uint64_t) node->matrix.nwords * (j / 8 + 1));
		n = m->kernels->at_least(counts, j, m->job->minsup, mask);
	}
	for (uint32_t c = 0; c < j && n > 0; c++)
	{
		if (counts[c] < m->job->minsup)
			continue;
		if (counts[c] == node->support[j])
		{
			/* perfect: in every maximal itemset below */
			Enter(m, at, c);
			SetColumn(needed, c);
			mask[c / 8] &= (uint8_t) ~(1 << (c % 8));
			n--;
		}
		else
			SetColumn(wanted, c);
	}
	if (FocusOnChild(m, at, needed, wanted, n))
	{
		if (n == 0)
			KnownFound(m, node->support[j]);
		else
			MineChild(m, at, j, counts, mask, n, class);
	}
	for (uint32_t c = 0; c <= j; c++)
		if (needed[c / 64] >> (c % 64) & 1)
			Leave(m, at, c);
	LearnFound(m, at, found);
	ArenaRelease(&m->arena, mark);
}

/* A known set holds the pattern of columns. */
static bool
PatternIsKnown(Miner *m, const MaximalNode *at, uint32_t pattern)
{
	const Focus *focus = KnownFocus(m, at->level, 0, 1);

	for (uint32_t s = 0; s < focus->n; s++)
		if ((focus->set[s] & pattern) == pattern)
			return true;
	MinerWork(m, focus->n / 4);
	return false;
}

/* All subsets of few columns at once, see subset_table.c. */
static void
MineMaximalTable(Miner *m, const MaximalNode *at)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	Table		t;

	MaximalTable(m, at->node, &t);
	for (uint32_t w = UINT32_C(1) << (t.ncolumns - 6); w-- > 0;)
		for (uint64_t left = t.patterns[w]; left != 0; left &= left - 1)
		{
			uint32_t	pattern = w * 64 + (uint32_t) __builtin_ctzll(left);

			if (PatternIsKnown(m, at, pattern))
				continue;
			for (uint32_t c = 0; c < at->node->k; c++)
				if (pattern >> c & 1)
					Enter(m, at, c);
			KnownFound(m, t.support[pattern]);
			for (uint32_t c = 0; c < at->node->k; c++)
				if (pattern >> c & 1)
					Leave(m, at, c);
		}
	ArenaRelease(&m->arena, mark);
}

static void
MineMaximalColumns(Miner *m, const MaximalNode *at, Exchange exchange)
{
	m->nodes++;
	if (TablePays(m, at->node))
	{
		MineMaximalTable(m, at);
		return;
	}
	for (uint32_t j = at->node->k; j-- > 0;)
	{
		if (exchange != NOTHING)
			KnownShare(m, at->node, at->level, j + 1, exchange == KNOWN_AND_PASSED);
		if (RestIsKnown(m, at, j))
			break;
		MineMaximalColumn(m, at, j, false);
	}
}

/* The node at the top of a search: its columns are the search's. */
static void
Top(Miner *m, const Node *node, MaximalNode *at)
{
	uint32_t	nwords = m->known->class_words;

	at->node = node;
	at->level = 0;
	at->column = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->k);
	at->select = ArenaAlloc(&m->arena, sizeof(uint64_t) * nwords);
	memset(at->select, 0, sizeof(uint64_t) * nwords);
	for (uint32_t c = 0; c < node->k; c++)
	{
		at->column[c] = c;
		SetColumn(at->select, c);
	}
}

/*
 * The maximal itemsets of a class whose item, with what is perfect to it, is on
 * the path and whose extensions are the node's columns.  whole: a class of the
 * whole database, not of a projected one.
 */
void
MineMaximalNode(Miner *m, const Node *node, bool whole)
{
	MaximalNode at;

	Top(m, node, &at);
	MineMaximalColumns(m, &at, whole ? KNOWN_AND_PASSED : KNOWN);
}

/* The class of column j where the whole database is one matrix. */
void
MineMaximalRootColumn(Miner *m, const Node *root, uint32_t j)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	Known	   *known = m->known;
	uint32_t	skip = m->db->nitems - (m->shared->classes - 1);	/* items in all rows */
	MaximalNode at;

	known->nwitness_open = known->nopen;
	known->witness_open = ArenaAlloc(&m->arena, sizeof(uint32_t) * known->nopen);
	known->witness_item = ArenaAlloc(&m->arena, sizeof(uint32_t) * known->nopen);
	for (uint32_t x = 0; x < known->nopen; x++)
	{
		known->witness_open[x] = known->open[x] - skip;
		known->witness_item[x] = known->open[x];
	}
	if (KnownBeginSearch(m, root->item[j], root->item, root->k))
	{
		if (known->nwitness_open > 0)
			KnownWitness(m, &root->matrix, root->k);
		Top(m, root, &at);
		if (!RestIsKnown(m, &at, j))
			MineMaximalColumn(m, &at, j, true);
	}
	ArenaRelease(&m->arena, mark);
}
