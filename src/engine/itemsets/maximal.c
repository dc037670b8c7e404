/*-------------------------------------------------------------------------
 *
 * maximal.c
 *	  Maximal itemsets within a class.
 *
 * A depth-first search.  Columns of a node are in the order of their supports in
 * the node, and the rarest is searched first.  So the children that are searched
 * first have the fewest extensions, and those that have many are searched when most
 * of their itemsets are known (Bayardo, SIGMOD 1998; Grahne and Zhu, FIMI 2003, do
 * this in the trees of FPmax*).  A node is cut in two ways (Burdick, Calimlim and
 * Gehrke, MAFIA, ICDE 2001):
 *
 * - If a known maximal itemset contains the path and all extensions that are
 *   left, nothing new is below: see the part on these.
 *
 * - If the extensions that are left are frequent all together, the path with all of
 *   them is the only maximal itemset below.  The extensions that are left are always
 *   the first columns of the node, so one pass finds how few must be left for that.
 *
 * What cannot become as long as the spec's least length is left out.  An itemset that
 * is contained in what is left out is too short itself, so the search may take
 * it for maximal: OutputOne() drops it.
 *
 * Classes are taken from the rarest item on.  So an itemset that is in no known one
 * can only be contained in a maximal itemset of a class that another worker is still
 * mining: known.c checks these classes by counting.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "known.h"
#include "miner.h"

/*
 * The focus: which of a search's known itemsets, its sets, hold the path.
 *
 * Only these can tell that nothing new is below the path, and going down they get fewer
 * (Gouda and Zaki, GenMax, ICDM 2001: progressive focusing).  A column has a bit for each
 * of them, so that 64 are compared at a time, and mostly after a few of the columns none
 * is left.  In all functions, columns are numbered as the search's, see KnownBeginSearch().
 */

/*
 * Sets are numbered in the order in which they were added to the search, and a word stands for
 * 64 of them.  words[] has the sets that were there when the path was entered, without the words
 * that would be 0.  All sets from number "from" on have been added since then, below the
 * path, so all of them hold it.
 *
 * When a search begins, the focus is all zeros, since all of its sets hold the path then.
 */
typedef struct FocusWord
{
	uint32_t	word;
	uint64_t	sets;
} FocusWord;

typedef struct Focus
{
	FocusWord  *words;			/* [nwords] */
	uint32_t	nwords;
	uint32_t	from;
	uint32_t	first;			/* what FocusFirst() returns for the sets before number "seen" */
	uint32_t	seen;
} Focus;

/* Which of a word's sets have all n columns. */
static inline uint64_t
SetsWithAll(const Known *known, FocusWord from, const uint32_t *column, uint32_t n)
{
	const uint64_t *held = known->held + (size_t) from.word * known->ncolumns;
	uint64_t	sets = from.sets;

	/* from the last column on: those of a node are the rarest, which soonest leave no set */
	while (n > 0 && sets != 0)
		sets &= held[column[--n]];
	return sets;
}

/* The number of words of a focus, including those of sets added since the path was entered. */
static uint32_t
FocusWords(const Miner *m, const Focus *focus)
{
	return focus->nwords + (m->known->nsets + 63) / 64 - focus->from / 64;
}

/* Word w of FocusWords(). */
static inline FocusWord
WordOfFocus(const Known *known, const Focus *focus, uint32_t w)
{
	FocusWord	result;

	if (w < focus->nwords)
		return focus->words[w];
	result.word = focus->from / 64 + w - focus->nwords;
	result.sets = UINT64_MAX;
	if (w == focus->nwords)
		result.sets <<= focus->from % 64;
	if (result.word == known->nsets / 64)
		result.sets &= (UINT64_C(1) << (known->nsets % 64)) - 1;
	return result;
}

/* Whether one of the focus's sets has all n columns. */
static bool
FocusHolds(Miner *m, const Focus *focus, const uint32_t *column, uint32_t n)
{
	const Known *known = m->known;
	uint32_t	nwords = FocusWords(m, focus);

	for (uint32_t w = 0; w < nwords; w++)
		if (SetsWithAll(known, WordOfFocus(known, focus, w), column, n) != 0)
			return true;
	MinerWork(m, nwords);
	return false;
}

/*
 * The most first columns, of n, that one of the word's sets has all of; at least "first", which is
 * less than n.
 */
static inline uint32_t
FirstOfWord(const Known *known, FocusWord word, const uint32_t *column, uint32_t n, uint32_t first)
{
	const uint64_t *held = known->held + (size_t) word.word * known->ncolumns;

	word.sets = SetsWithAll(known, word, column, first + 1);
	while (word.sets != 0 && ++first < n)
		word.sets &= held[column[first]];
	return first;
}

/*
 * Returns the largest number c so that one of the focus's sets has the first c of the n
 * columns, which are those that could still extend the path.  Only sets added since the last
 * call are looked at, so all calls for a focus must give the same columns.
 */
static uint32_t
FocusFirst(Miner *m, Focus *focus, const uint32_t *column, uint32_t n)
{
	const Known *known = m->known;
	Focus		unseen = {.from = focus->seen};
	uint32_t	nwords = FocusWords(m, &unseen);

	for (uint32_t w = 0; w < nwords && focus->first < n; w++)
		focus->first = FirstOfWord(known, WordOfFocus(known, &unseen, w), column, n, focus->first);
	MinerWork(m, nwords);
	focus->seen = known->nsets;
	return focus->first;
}

/*
 * Make the focus of a child, whose path has the "needed" columns in addition.  Memory is from
 * the miner's arena.  The "wanted" columns are those that could still extend the child's path.
 * Returns false if one of the child's sets has all of them, since then there is nothing to
 * find.
 */
static bool
FocusOnChild(Miner *m, const Focus *from, const uint32_t *needed, uint32_t nneeded,
			 const uint32_t *wanted, uint32_t nwanted, Focus *to)
{
	const Known *known = m->known;
	uint32_t	nwords = FocusWords(m, from);

	to->words = ArenaAlloc(&m->arena, sizeof(FocusWord) * nwords);
	to->nwords = 0;
	to->from = known->nsets;
	to->first = 0;
	to->seen = known->nsets;
	for (uint32_t w = 0; w < nwords; w++)
	{
		FocusWord	word = WordOfFocus(known, from, w);

		word.sets = SetsWithAll(known, word, needed, nneeded);
		if (word.sets == 0)
			continue;
		if (to->first < nwanted)
			to->first = FirstOfWord(known, word, wanted, nwanted, to->first);
		if (to->first == nwanted)
			return false;
		to->words[to->nwords++] = word;
	}
	MinerWork(m, nwords);
	return true;
}

/*
 * Write the focus's sets as rows of a bit matrix with the n columns.  The matrix has room for
 * "least" columns at least, is from the miner's arena, and its other columns are 0.
 */
static void
FocusMatrix(Miner *m, const Focus *focus, const uint32_t *column, uint32_t n, uint32_t least,
			BitMatrix *sets)
{
	const Known *known = m->known;

	memset(sets, 0, sizeof(*sets));
	sets->nwords = FocusWords(m, focus);
	sets->stride = RoundUp8(n > least ? n : least);
	sets->words = ArenaAlloc(&m->arena, sizeof(uint64_t) * sets->stride * sets->nwords);
	for (uint32_t w = 0; w < sets->nwords; w++)
	{
		FocusWord	word = WordOfFocus(known, focus, w);
		const uint64_t *held = known->held + (size_t) word.word * known->ncolumns;
		uint64_t   *to = sets->words + (size_t) w * sets->stride;

		for (uint32_t c = 0; c < n; c++)
			to[c] = held[column[c]] & word.sets;
		for (uint32_t c = n; c < sets->stride; c++)
			to[c] = 0;
	}
	MinerWork(m, (uint64_t) sets->nwords * n);
}

typedef struct MaximalNode
{
	const Node *node;
	uint32_t   *column;			/* [k] the numbers of the node's columns in the search */
	Focus		focus;			/* the known itemsets that hold the path */
	uint32_t	chosen;			/* items of the path without perfect ones, which only maximal itemsets below have */
} MaximalNode;

/* What a node exchanges with other workers.  Only the node at the top of a search exchanges anything. */
typedef enum Exchange
{
	NOTHING,
	KNOWN,						/* known itemsets */
	KNOWN_AND_PASSED			/* also which items the class has passed: the search is of a whole class of the database */
} Exchange;

static void MineMaximalColumns(Miner *m, MaximalNode *at, Exchange exchange);

/* Push column c of the node on the path. */
static void
Enter(Miner *m, const MaximalNode *at, uint32_t c)
{
	uint32_t	column = at->column[c];

	OutputPush(&m->out, at->node->item[c]);
	m->known->path[column / 64] |= UINT64_C(1) << (column % 64);
}

static void
Leave(Miner *m, const MaximalNode *at, uint32_t c)
{
	uint32_t	column = at->column[c];

	OutputPop(&m->out, 1);
	m->known->path[column / 64] &= ~(UINT64_C(1) << (column % 64));
}

/*
 * Returns how many of the node's first columns are frequent all together, at least 1, and sets
 * *support to their support.
 */
static uint32_t
FrequentTogether(Miner *m, const Node *node, uint32_t *support)
{
	const BitMatrix *matrix = &node->matrix;
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint64_t   *tids = ArenaAlloc(&m->arena, sizeof(uint64_t) * matrix->nwords);
	uint32_t	n = 1;

	*support = node->support[0];
	for (uint32_t w = 0; w < matrix->nwords; w++)
		tids[w] = matrix->words[(size_t) w * matrix->stride];
	for (; n < node->k; n++)
	{
		uint32_t	count = m->kernels->and_column(matrix, n, tids);

		MinerWork(m, matrix->nwords);
		if (count < m->spec->minsup)
			break;
		*support = count;
	}
	ArenaRelease(&m->arena, mark);
	return n;
}

/* Up to this many columns are sorted by insertion. */
#define FEW_COLUMNS		32

static void
SortFewColumns(uint32_t *column, uint32_t n, const uint32_t *counts)
{
	for (uint32_t c = 1; c < n; c++)
	{
		uint32_t	at = c;
		uint32_t	moved = column[c];

		for (; at > 0 && counts[column[at - 1]] < counts[moved]; at--)
			column[at] = column[at - 1];
		column[at] = moved;
	}
}

void
SortColumns(Miner *m, uint32_t *column, uint32_t n, const uint32_t *counts, uint32_t most)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t   *from = column;
	uint32_t   *to;

	if (n <= FEW_COLUMNS)
	{
		SortFewColumns(column, n, counts);
		return;
	}
	to = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	for (int shift = 0; shift < 32 && most >> shift != 0; shift += 8)
	{
		uint32_t	start[256 + 1] = {0};
		uint32_t   *swap = from;

		for (uint32_t c = 0; c < n; c++)
			start[255 - (counts[from[c]] >> shift & 255) + 1]++;
		for (uint32_t b = 1; b < 256; b++)
			start[b] += start[b - 1];
		for (uint32_t c = 0; c < n; c++)
			to[start[255 - (counts[from[c]] >> shift & 255)]++] = from[c];
		from = to;
		to = swap;
	}
	if (from != column)
		memcpy(column, from, sizeof(uint32_t) * n);
	MinerWork(m, n);
	ArenaRelease(&m->arena, mark);
}

/* What ExtendPath() has made of the path. */
typedef struct Extended
{
	uint32_t   *counts;			/* the support with that column of each column before it */
	uint32_t   *needed;			/* [nneeded] what was added to the path, as columns of the search */
	uint32_t	nneeded;
	uint32_t   *columns;		/* [n] what may extend the path further, as columns of the node */
	uint32_t	n;
} Extended;

/* Extend the path by column j of the node and by what is perfect to it. */
static void
ExtendPath(Miner *m, const MaximalNode *at, uint32_t j, Extended *e)
{
	const Node *node = at->node;

	e->counts = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->matrix.stride);
	e->needed = ArenaAlloc(&m->arena, sizeof(uint32_t) * (j + 1));
	e->columns = ArenaAlloc(&m->arena, sizeof(uint32_t) * (j + 1));
	e->n = 0;
	Enter(m, at, j);
	e->needed[0] = at->column[j];
	e->nneeded = 1;
	if (j > 0)
	{
		m->kernels->count_column(&node->matrix, j, j, e->counts);
		MinerWork(m, (uint64_t) node->matrix.nwords * (j / 8 + 1));
	}
	for (uint32_t c = 0; c < j; c++)
	{
		if (e->counts[c] < m->spec->minsup)
			continue;
		if (e->counts[c] == node->support[j])
		{
			/* perfect: in every maximal itemset below */
			Enter(m, at, c);
			e->needed[e->nneeded++] = at->column[c];
		}
		else
			e->columns[e->n++] = c;
	}
}

/* Take away what ExtendPath() added to the path. */
static void
ReducePath(Miner *m, const Extended *e)
{
	OutputPop(&m->out, e->nneeded);
	for (uint32_t c = 0; c < e->nneeded; c++)
		m->known->path[e->needed[c] / 64] &= ~(UINT64_C(1) << (e->needed[c] % 64));
}

/* Search what extends the path by column j.  "class" says that column j is the class's item. */
static void
MineMaximalColumn(Miner *m, const MaximalNode *at, uint32_t j, bool class)
{
	uint32_t	support = at->node->support[j];
	ArenaMark	mark = ArenaGetMark(&m->arena);
	Node		child;
	MaximalNode below = {.node = &child,.chosen = at->chosen + 1};
	Extended	e;

	ExtendPath(m, at, j, &e);
	if (!OutputReaches(&m->out, e.n))
	{
		ReducePath(m, &e);
		ArenaRelease(&m->arena, mark);
		return;
	}
	SortColumns(m, e.columns, e.n, e.counts, support);
	below.column = ArenaAlloc(&m->arena, sizeof(uint32_t) * e.n);
	for (uint32_t c = 0; c < e.n; c++)
		below.column[c] = at->column[e.columns[c]];
	if (FocusOnChild(m, &at->focus, e.needed, e.nneeded, below.column, e.n, &below.focus))
	{
		if (e.n == 0)
			MaximalFound(m, support);
		else
		{
			NodeProjectInOrder(m, at->node, j, e.counts, e.columns, e.n, class, &child);
			MineMaximalColumns(m, &below, class ? KNOWN_AND_PASSED : NOTHING);
		}
	}
	ReducePath(m, &e);
	ArenaRelease(&m->arena, mark);
}

/*
 * Clear the table's patterns that are in a known itemset together with the path.  Either
 * TableWithout() clears all of them at once, or each pattern is looked for in the known
 * itemsets.
 */
static void
RemoveKnown(Miner *m, const MaximalNode *at, SubsetTable *t)
{
	uint32_t	nwords = FocusWords(m, &at->focus);
	uint32_t   *column;
	BitMatrix	sets;

	if (TableWithoutPays(t, nwords))
	{
		FocusMatrix(m, &at->focus, at->column, at->node->k, t->ncolumns, &sets);
		TableWithout(m, &sets, t);
		return;
	}
	if (nwords == 0)
		return;
	column = ArenaAlloc(&m->arena, sizeof(uint32_t) * at->node->k);
	for (uint32_t w = 0; w < UINT32_C(1) << (t->ncolumns - 6); w++)
		for (uint64_t left = t->patterns[w]; left != 0; left &= left - 1)
		{
			uint32_t	n = 0;

			for (uint32_t bits = w * 64 + (uint32_t) __builtin_ctzll(left); bits != 0; bits &= bits - 1)
				column[n++] = at->column[__builtin_ctz(bits)];
			if (FocusHolds(m, &at->focus, column, n))
				t->patterns[w] ^= left & -left;
		}
}

/* The path with the columns of the pattern is a maximal itemset of the class: make it known and give it out. */
static void
FoundWith(Miner *m, const MaximalNode *at, uint32_t pattern, uint32_t support)
{
	for (uint32_t left = pattern; left != 0; left &= left - 1)
		Enter(m, at, (uint32_t) __builtin_ctz(left));
	MaximalFound(m, support);
	for (uint32_t left = pattern; left != 0; left &= left - 1)
		Leave(m, at, (uint32_t) __builtin_ctz(left));
}

/* Mine all subsets of the node's columns at once, see subset_table.c. */
static void
MineMaximalTable(Miner *m, const MaximalNode *at)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	SubsetTable t;

	MaximalTable(m, at->node, &t);
	RemoveKnown(m, at, &t);
	for (uint32_t w = UINT32_C(1) << (t.ncolumns - 6); w-- > 0;)
		for (uint64_t left = t.patterns[w]; left != 0; left &= left - 1)
		{
			uint32_t	pattern = w * 64 + (uint32_t) __builtin_ctzll(left);

			FoundWith(m, at, pattern, t.support[pattern]);
		}
	ArenaRelease(&m->arena, mark);
}

/* The same for the path with the first n columns, which are frequent all together. */
static void
FoundFirst(Miner *m, const MaximalNode *at, uint32_t n, uint32_t support)
{
	for (uint32_t c = 0; c < n; c++)
		Enter(m, at, c);
	MaximalFound(m, support);
	for (uint32_t c = 0; c < n; c++)
		Leave(m, at, c);
}

/*
 * Itemsets below the node are too long to be given out.  One of them is made known unless a known one
 * holds the path, so that subsets of the path, which may be short enough, are not taken for maximal.
 */
static void
FoundLonger(Miner *m, const MaximalNode *at)
{
	const BitMatrix *matrix = &at->node->matrix;
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint64_t   *tids = ArenaAlloc(&m->arena, sizeof(uint64_t) * matrix->nwords);
	uint64_t   *extended = ArenaAlloc(&m->arena, sizeof(uint64_t) * matrix->nwords);
	uint32_t   *entered = ArenaAlloc(&m->arena, sizeof(uint32_t) * at->node->k);
	uint32_t	support = at->node->path_support;
	uint32_t	n = 0;

	if (FocusHolds(m, &at->focus, NULL, 0))
	{
		ArenaRelease(&m->arena, mark);
		return;
	}
	memset(tids, 0xff, sizeof(uint64_t) * matrix->nwords);
	for (uint32_t c = 0; c < at->node->k; c++)
	{
		uint32_t	count;

		memcpy(extended, tids, sizeof(uint64_t) * matrix->nwords);
		count = m->kernels->and_column(matrix, c, extended);
		MinerWork(m, matrix->nwords);
		if (count < m->spec->minsup)
			continue;
		memcpy(tids, extended, sizeof(uint64_t) * matrix->nwords);
		support = count;
		Enter(m, at, c);
		entered[n++] = c;
	}
	MaximalFound(m, support);
	while (n > 0)
		Leave(m, at, entered[--n]);
	ArenaRelease(&m->arena, mark);
}

/*
 * Search below a node, from its rarest column on, until what is left is known or is frequent all
 * together.
 */
static void
MineMaximalColumns(Miner *m, MaximalNode *at, Exchange exchange)
{
	uint32_t	support;
	uint32_t	together;

	MinerBeginNode(m);
	if (at->chosen > m->out.max_depth)
	{
		FoundLonger(m, at);
		return;
	}
	together = FrequentTogether(m, at->node, &support);
	if (together < at->node->k && TablePays(m, at->node))
	{
		MineMaximalTable(m, at);
		return;
	}
	for (uint32_t j = at->node->k; j-- > 0 && OutputReaches(&m->out, j + 1);)
	{
		if (exchange != NOTHING)
			KnownShare(m, at->node, at->column, j + 1, exchange == KNOWN_AND_PASSED);
		if (FocusFirst(m, &at->focus, at->column, at->node->k) > j)
			break;
		if (j + 1 == together)
		{
			FoundFirst(m, at, together, support);
			break;
		}
		MineMaximalColumn(m, at, j, false);
	}
}

void
MineMaximalNode(Miner *m, const Node *node, uint32_t *column, bool whole)
{
	MaximalNode at = {.node = node, .column = column, .chosen = 1};

	MineMaximalColumns(m, &at, whole ? KNOWN_AND_PASSED : KNOWN);
}

void
MineMaximalRootColumn(Miner *m, const Node *root, uint32_t j)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	Known	   *known = m->known;
	uint32_t	skip;			/* items in all rows, which have no column */
	MaximalNode at = {.node = root};

	(void) RootItems(m->spec, m->db, &skip);
	at.column = ArenaAlloc(&m->arena, sizeof(uint32_t) * root->k);
	for (uint32_t c = 0; c < root->k; c++)
		at.column[c] = c;
	known->witness_open = ArenaAlloc(&m->arena, sizeof(uint32_t) * known->nundone);
	known->witness_item = ArenaAlloc(&m->arena, sizeof(uint32_t) * known->nundone);
	for (uint32_t u = 0; u < known->nundone; u++)
	{
		uint32_t	item = m->db->nitems - known->undone[u];

		if (!KnownIsOpen(m, item))
			continue;
		known->witness_open[known->nwitness_open] = item - skip;
		known->witness_item[known->nwitness_open++] = item;
	}
	if (KnownBeginSearch(m, root->item[j], root->item, root->k))
	{
		if (known->nwitness_open > 0)
			KnownWitness(m, &root->matrix, root->k);
		if (!FocusHolds(m, &at.focus, at.column, j + 1))
			MineMaximalColumn(m, &at, j, true);
	}
	ArenaRelease(&m->arena, mark);
}
