/*-------------------------------------------------------------------------
 *
 * subset_table.c
 *	  All subsets of a few columns at once.
 *
 * With k columns left there are 2^k itemsets.  If most of them are frequent, computing the
 * supports of all costs less than walking the tree.  First, the transactions that have
 * exactly one pattern of columns are counted, for each pattern.  Then each pattern's count
 * gets those of its supersets added (the zeta transform over the subset lattice), which
 * takes k additions for each two patterns, done 16 at a time.  The recursion ends in a
 * table where the expected number of itemsets says that the table is cheaper.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#define MIN_TABLE_COLUMNS	3
#define MAX_TABLE_COLUMNS	16

/* Patterns of 6 columns with n bits set, as a set of patterns. */
static const uint64_t patterns_of_length[7] = {
	UINT64_C(0x0000000000000001), UINT64_C(0x0000000100010116),
	UINT64_C(0x0001011601161668), UINT64_C(0x0116166816686880),
	UINT64_C(0x1668688068808000), UINT64_C(0x6880800080000000),
	UINT64_C(0x8000000000000000)
};

/* Patterns of 6 columns that do not have column c. */
static const uint64_t without_column[6] = {
	UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
	UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
	UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)
};

/*
 * How many frequent itemsets to expect.  Columns are assumed to be independent, and each to
 * reduce the support by the same ratio.  Data are correlated, so there will be more.
 */
static double
ExpectedItemsets(const Node *node, uint32_t minsup)
{
	double		sum = 0;
	double		ratio;
	double		support = node->path_support;
	double		choose = 1;
	double		expected = 0;

	for (uint32_t c = 0; c < node->k; c++)
		sum += node->support[c];
	ratio = sum / node->k / support;
	for (uint32_t length = 1; length <= node->k; length++)
	{
		support *= ratio;
		choose = choose * (node->k - length + 1) / length;
		if (support < minsup)
		{
			/* near the border some of the length's itemsets are frequent */
			expected += choose * (support / minsup) * (support / minsup) * 0.5;
			break;
		}
		expected += choose;
	}
	return expected;
}

/*
 * What the recursion and a table cost, in units of about a cycle, fitted on the dense FIMI
 * sets.  The recursion costs STEP_COST for a step and STEP_WORD_COST for each word that the
 * step counts over.  A table costs ROW_COST for each transaction, ENTRY_COST for each entry,
 * and ENTRY_PASS_COST for each pass of the transform over an entry.
 */
#define STEP_COST			20.0
#define STEP_WORD_COST		0.5
#define ROW_COST			4.0
#define ENTRY_COST			0.5
#define ENTRY_PASS_COST		0.12

/* For maximal itemsets, the recursion goes through this part of the frequent itemsets. */
#define MAXIMAL_SHARE		0.3

/*
 * The same for closed itemsets, in cycles, fitted on all kinds of real sets at low
 * supports.  The recursion costs CLOSED_COST for each itemset.  A table costs
 * CLOSED_TABLE_COST in any case and CLOSED_ENTRY_COST for each entry.  In addition, for each
 * 64 columns that may cover an itemset, it costs COVERS_ROW_COST for each row and
 * COVERS_ENTRY_COST for each entry.  The cost of reading a word depends on the kernels, so
 * they have it as table_word_cost.
 */
#define CLOSED_COST			150.0
#define CLOSED_TABLE_COST	300.0
#define CLOSED_ENTRY_COST	1.5
#define COVERS_ROW_COST		1.5
#define COVERS_ENTRY_COST	2.5

/*
 * Closed itemsets are intersections of rows: few rows have few of them, however many
 * itemsets are frequent.  In real sets there are mostly fewer closed itemsets than this
 * times the square of the number of rows.
 */
#define CLOSED_SHARE		0.03

/*
 * How many of the expected itemsets are closed also depends on what covers them.  So each
 * worker learns, for each number of columns, what share of the expected itemsets its tables
 * have given.  If that share is less than POOR_YIELD, fewer itemsets are expected of the
 * next table.  Then there may be no more tables to learn from, so the share is slowly
 * forgotten: it grows back towards 1.
 */
#define POOR_YIELD		0.25
#define LEARNING		0.125
#define FORGETTING		0.002

/* How many rows of the matrix have at least one column. */
static uint32_t
RowsOf(const Node *node)
{
	uint32_t	n = 0;

	for (uint32_t w = 0; w < node->matrix.nwords; w++)
	{
		const uint64_t *word = node->matrix.words + (size_t) w * node->matrix.stride;
		uint64_t	any = 0;

		for (uint32_t c = 0; c < node->k; c++)
			any |= word[c];
		n += (uint32_t) __builtin_popcountll(any);
	}
	return n;
}

/* What a table of closed itemsets costs if "rows" rows have a column. */
static double
ClosedTableCost(const Miner *m, const Node *node, uint32_t rows)
{
	double		words = node->matrix.nwords;
	double		entries = UINT32_C(1) << node->k;
	double		covers = (node->rows.ncolumns - node->after + 63) / 64;

	return CLOSED_TABLE_COST +
		words * (1 + covers) * m->kernels->table_word_cost +
		entries * (CLOSED_ENTRY_COST + covers * COVERS_ENTRY_COST) +
		rows * covers * COVERS_ROW_COST;
}

static double
ExpectedClosed(const Miner *m, const Node *node, double rows)
{
	double		expected = ExpectedItemsets(node, m->minsup);

	return expected < CLOSED_SHARE * rows * rows ? expected : CLOSED_SHARE * rows * rows;
}

static bool
ClosedTablePays(const Miner *m, const Node *node)
{
	double	   *yield = &m->table_yield[node->k];
	double		recursion = CLOSED_COST * ExpectedItemsets(node, m->minsup);
	uint32_t	rows;
	double		table;

	if (recursion <= ClosedTableCost(m, node, 0))
		return false;
	rows = RowsOf(node);
	table = ClosedTableCost(m, node, rows);
	recursion = CLOSED_COST * ExpectedClosed(m, node, rows);
	if (recursion > table && *yield < POOR_YIELD)
	{
		recursion *= *yield / POOR_YIELD;
		*yield += (1 - *yield) * FORGETTING;
	}
	return recursion > table;
}

/* Learn from a finished table what share of the expected closed itemsets it gave. */
static void
LearnYield(const Miner *m, const Node *node, const SubsetTable *t)
{
	double	   *yield = &m->table_yield[node->k];
	uint64_t	found = 0;

	for (uint32_t w = 0; w < UINT32_C(1) << (t->ncolumns - 6); w++)
		found += (uint64_t) __builtin_popcountll(t->patterns[w]);
	*yield += (found / ExpectedClosed(m, node, RowsOf(node)) - *yield) * LEARNING;
}

void
TablesInit(Miner *m)
{
	m->table_yield = ArenaAlloc(&m->arena, sizeof(double) * (MAX_TABLE_COLUMNS + 1));
	for (uint32_t k = 0; k <= MAX_TABLE_COLUMNS; k++)
		m->table_yield[k] = 1;
}

bool
TablePays(const Miner *m, const Node *node)
{
	double		words = node->matrix.nwords;
	double		recursion;
	double		rows;
	double		entries;

	if (node->k < MIN_TABLE_COLUMNS || node->k > MAX_TABLE_COLUMNS)
		return false;
	if (m->spec->kind == FIM_CLOSED)
		return ClosedTablePays(m, node);
	rows = ROW_COST * (words * 64 < node->path_support ? words * 64 : node->path_support);
	entries = (double) (UINT32_C(1) << (node->k < 6 ? 6 : node->k)) *
		(ENTRY_COST + ENTRY_PASS_COST * node->k);
	recursion = ExpectedItemsets(node, m->minsup) * (STEP_COST + STEP_WORD_COST * words);
	if (m->spec->kind == FIM_MAXIMAL)
		recursion *= MAXIMAL_SHARE;
	return recursion > rows + entries;
}

/* Count the table's patterns one by one, for a task that looks for a threshold. */
static void
CountSupports(Miner *m, const SubsetTable *t)
{
	Output	   *out = &m->out;
	uint32_t	depth = out->depth;

	for (uint32_t w = 0; w < UINT32_C(1) << (t->ncolumns - 6); w++)
		for (uint64_t left = t->patterns[w]; left != 0; left &= left - 1)
		{
			uint32_t	bit = (uint32_t) __builtin_ctzll(left);

			/* nobody looks at the items of the path */
			out->depth = depth + (uint32_t) __builtin_popcount(w * 64 + bit);
			if (m->spec->kind == FIM_ALL)
				OutputAll(m, t->support[w * 64 + bit]);
			else
				OutputOne(m, t->support[w * 64 + bit]);
		}
	out->depth = depth;
}

/* Count the table's patterns by length. */
static void
CountTable(Miner *m, const SubsetTable *t)
{
	uint64_t   *counts = OutputCounts(m) + m->out.depth;
	uint64_t	found = 0;

	for (uint32_t w = 0; w < UINT32_C(1) << (t->ncolumns - 6); w++)
	{
		uint32_t	above = (uint32_t) __builtin_popcount(w);

		if (t->patterns[w] == 0)
			continue;
		found += (uint64_t) __builtin_popcountll(t->patterns[w]);
		for (uint32_t n = 0; n <= 6; n++)
		{
			uint64_t	of_length = t->patterns[w] & patterns_of_length[n];

			if (of_length != 0)
				counts[above + n] += (uint64_t) __builtin_popcountll(of_length);
		}
	}
	m->out.results += found << (m->out.nperfect < 20 ? m->out.nperfect : 20);
}

/*
 * List the table's patterns.  In ascending order they come depth first: a pattern without its
 * lowest column, its parent, has come before.  So the path is the parent's, which is still
 * there, with one more column.
 */
static void
ListTable(Miner *m, const Node *node, const SubsetTable *t)
{
	Output	   *out = &m->out;
	uint32_t	depth = out->depth;
	uint32_t	length[MAX_TABLE_COLUMNS + 1]; /* of the path that ends with column c */

	length[t->ncolumns] = depth;
	for (uint32_t w = 0; w < UINT32_C(1) << (t->ncolumns - 6); w++)
		for (uint64_t left = t->patterns[w]; left != 0; left &= left - 1)
		{
			uint32_t	pattern = w * 64 + (uint32_t) __builtin_ctzll(left);
			uint32_t	lowest = (uint32_t) __builtin_ctz(pattern);
			uint32_t	parent = (pattern & (pattern - 1)) | UINT32_C(1) << t->ncolumns;

			out->depth = length[__builtin_ctz(parent)];
			OutputPush(out, node->item[lowest]);
			length[lowest] = out->depth;
			OutputAll(m, t->support[pattern]);
		}
	out->depth = depth;
}

/*
 * Clear the patterns that are not closed.  A pattern is closed if no superset by one more
 * column has the same support, and if no item that comes after the node's columns and is not
 * on the path is in all of the pattern's transactions.
 */
static void
CloseTable(Miner *m, const Node *node, SubsetTable *t)
{
	uint64_t   *common = ArenaAlloc(&m->arena, sizeof(uint64_t) << t->ncolumns);

	if (node->after >= node->rows.ncolumns)
		m->kernels->closed_bits(t->support, NULL, t->ncolumns, t->patterns);
	for (uint32_t first = node->after; first < node->rows.ncolumns; first += 64)
	{
		m->kernels->common_columns(&node->matrix, node->k, &node->rows, first, m->candidates, common);
		m->kernels->superset_ands(common, t->ncolumns);
		m->kernels->closed_bits(t->support, common, t->ncolumns, t->patterns);
		MinerWork(m, (uint64_t) node->matrix.nwords * 128 + (UINT64_C(2) << t->ncolumns));
	}
	MinerWork(m, UINT64_C(1) << t->ncolumns);
}

/* List closed patterns.  Their parents need not be among them, so each begins with what it shares with the last. */
static void
ListClosed(Miner *m, const Node *node, const SubsetTable *t)
{
	Output	   *out = &m->out;
	uint32_t	depth = out->depth;
	uint32_t	length[MAX_TABLE_COLUMNS + 1]; /* of the path that ends with column c */
	uint32_t	previous = 0;

	for (uint32_t w = 0; w < UINT32_C(1) << (t->ncolumns - 6); w++)
		for (uint64_t left = t->patterns[w]; left != 0; left &= left - 1)
		{
			uint32_t	pattern = w * 64 + (uint32_t) __builtin_ctzll(left);
			uint32_t	differ = (uint32_t) (31 - __builtin_clz(previous ^ pattern));
			uint32_t	same = previous >> differ >> 1;

			/* columns are pushed from high to low, so those above the difference stay */
			out->depth = same == 0 ? depth : length[differ + 1 + (uint32_t) __builtin_ctz(same)];
			for (uint32_t below = pattern & ((UINT32_C(2) << differ) - 1); below != 0;)
			{
				uint32_t	c = (uint32_t) (31 - __builtin_clz(below));

				OutputPush(out, node->item[c]);
				length[c] = out->depth;
				below ^= UINT32_C(1) << c;
			}
			previous = pattern;
			OutputOne(m, t->support[pattern]);
		}
	out->depth = depth;
}

/* Compute the supports of all patterns, and the set of those that are frequent, without pattern 0. */
static void
FillTable(Miner *m, const Node *node, SubsetTable *to)
{
	uint32_t	ncolumns = node->k < 6 ? 6 : node->k;

	to->ncolumns = ncolumns;
	to->support = ArenaAlloc(&m->arena, sizeof(uint32_t) << ncolumns);
	to->patterns = ArenaAlloc(&m->arena, sizeof(uint64_t) << (ncolumns - 6));
	m->kernels->histogram(&node->matrix, node->k, to->support);
	m->kernels->superset_sums(to->support, ncolumns);
	m->kernels->frequent_bits(to->support, ncolumns, m->minsup, to->patterns);
	to->patterns[0] &= ~UINT64_C(1);
	MinerWork(m, (uint64_t) node->matrix.nwords * 128 + (UINT64_C(1) << ncolumns));
}

/* A frequent pattern is maximal if no superset by one more column is frequent. */
void
MaximalTable(Miner *m, const Node *node, SubsetTable *to)
{
	uint64_t   *maximal;
	uint32_t	nwords;

	FillTable(m, node, to);
	nwords = UINT32_C(1) << (to->ncolumns - 6);
	maximal = ArenaAlloc(&m->arena, sizeof(uint64_t) * nwords);
	for (uint32_t w = 0; w < nwords; w++)
	{
		uint64_t	extended = 0;

		for (uint32_t c = 0; c < 6; c++)
			extended |= to->patterns[w] >> (1 << c) & without_column[c];
		for (uint32_t c = 6; c < to->ncolumns; c++)
			if ((w >> (c - 6) & 1) == 0)
				extended |= to->patterns[w | UINT32_C(1) << (c - 6)];
		maximal[w] = to->patterns[w] & ~extended;
	}
	to->patterns = maximal;
}

/*
 * In nanoseconds.  Looking for a pattern costs LOOK_WORD_COST for each word of rows.
 * TableWithout() costs HELD_WORD_COST for each word of rows and HELD_ENTRY_COST for each entry
 * of the table.
 */
#define LOOK_WORD_COST			12.0
#define HELD_WORD_COST			60.0
#define HELD_ENTRY_COST			0.5

bool
TableWithoutPays(const SubsetTable *t, uint32_t nwords)
{
	uint32_t	n = UINT32_C(1) << (t->ncolumns - 6);
	double		patterns = 0;

	for (uint32_t w = 0; w < n; w++)
		patterns += __builtin_popcountll(t->patterns[w]);
	return patterns * nwords * LOOK_WORD_COST > nwords * HELD_WORD_COST + n * 64 * HELD_ENTRY_COST;
}

/* Add all subsets of its patterns to a set of patterns. */
static void
AddSubsets(uint64_t *patterns, uint32_t ncolumns)
{
	uint32_t	nwords = UINT32_C(1) << (ncolumns - 6);

	for (uint32_t half = 1; half < nwords; half *= 2)
		for (uint32_t from = 0; from < nwords; from += 2 * half)
			for (uint32_t w = from; w < from + half; w++)
				patterns[w] |= patterns[w + half];
	for (uint32_t w = 0; w < nwords; w++)
		for (uint32_t c = 0; c < 6; c++)
			patterns[w] |= patterns[w] >> (1 << c) & without_column[c];
}

void
TableWithout(Miner *m, const BitMatrix *rows, SubsetTable *t)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	nwords = UINT32_C(1) << (t->ncolumns - 6);
	uint32_t   *counts = ArenaAlloc(&m->arena, sizeof(uint32_t) << t->ncolumns);
	uint64_t   *held = ArenaAlloc(&m->arena, sizeof(uint64_t) * nwords);

	m->kernels->histogram(rows, t->ncolumns, counts);
	m->kernels->frequent_bits(counts, t->ncolumns, 1, held);
	AddSubsets(held, t->ncolumns);
	for (uint32_t w = 0; w < nwords; w++)
		t->patterns[w] &= ~held[w];
	MinerWork(m, (uint64_t) rows->nwords * 64 + (UINT64_C(1) << t->ncolumns));
	ArenaRelease(&m->arena, mark);
}

void
MineTable(Miner *m, const Node *node)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	SubsetTable t;

	MinerBeginNode(m);
	FillTable(m, node, &t);
	if (m->spec->kind == FIM_CLOSED)
	{
		CloseTable(m, node, &t);
		LearnYield(m, node, &t);
	}
	if (m->counter != NULL)
		CountSupports(m, &t);
	else if (m->spec->head.count_only)
		CountTable(m, &t);
	else if (m->spec->kind == FIM_ALL)
		ListTable(m, node, &t);
	else
		ListClosed(m, node, &t);
	ArenaRelease(&m->arena, mark);
}
