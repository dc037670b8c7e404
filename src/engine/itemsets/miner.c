/*-------------------------------------------------------------------------
 *
 * miner.c
 *	  What all users of a Miner share, on processors and on GPUs: they report progress, stop
 *	  when they are told to, begin with the items of all transactions, and give out itemsets.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "miner.h"

void
MinerInit(Miner *m, const FimItemsetsSpec *spec, const FimDatabase *db, FimShared *shared,
		  FimHost *host, FimSink *sink)
{
	memset(m, 0, sizeof(*m));
	m->spec = spec;
	m->db = db;
	m->shared = shared;
	m->host = host;
	m->sink = sink;
	m->minsup = spec->minsup;
	ArenaInit(&m->arena, host, &m->leave);
}

void
MinerShareFigures(Miner *m)
{
	FimShareFigures(m->shared, &m->out.results, &m->nodes);
}

void
MinerRaiseMinsup(Miner *m)
{
	double		least = FimBestLeast(FimBestThreshold(m->counter->best));

	/* a range begins with a whole number, or between two of them */
	if (least > m->minsup)
		m->minsup = (uint32_t) ceil(least);
}

void
MinerPoll(Miner *m)
{
	m->worked += m->work;
	m->work = 0;
	MinerShareFigures(m);
	if (FimMustStop(m->shared, m->host))
		longjmp(m->leave, FIM_STOPPED);
}

/*
 * Where every search begins: which items are frequent, and the itemset that all transactions hold.
 */

uint32_t
RootItems(const FimItemsetsSpec *spec, const FimDatabase *db, uint32_t *perfect)
{
	const uint32_t *support = (const uint32_t *) ((const char *) db + db->support_at);
	uint32_t	common = db->nitems - spec->nany;
	uint32_t	n = db->nitems;

	while (n > 0 && support[n - 1] < spec->minsup)
		n--;
	*perfect = 0;
	while (*perfect < n && *perfect < common && support[*perfect] == db->transactions)
		++*perfect;
	return n;
}

void
RootBegin(Miner *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		OutputFix(m, FimItemNames(m->db)[i]);
}

void
RootEmit(Miner *m, bool has_classes)
{
	uint32_t	support = (uint32_t) m->db->transactions;

	if (m->db->transactions < m->spec->minsup)
		return;
	if (m->spec->kind == FIM_ALL)
		OutputAll(m, support);
	else if (m->spec->kind == FIM_CLOSED || !has_classes)
		OutputOne(m, support);
}

/*
 * Counts of itemsets by length.
 *
 * A transaction of 200 items alone has 2^200 - 1 itemsets, which perfect
 * extensions count in no time.  Saturation keeps such counts recognizable.
 */

typedef unsigned __int128 Wide;

static const Wide saturated = ~(Wide) 0;

static inline Wide
Get(FimCount c)
{
	return (Wide) c.high << 64 | c.low;
}

static inline FimCount
Put(Wide w)
{
	return (FimCount) {(uint64_t) w, (uint64_t) (w >> 64)};
}

static inline Wide
AddSaturating(Wide a, Wide b)
{
	Wide		sum;

	return __builtin_add_overflow(a, b, &sum) ? saturated : sum;
}

void
FimTallyAdd(FimTally *into, const FimTally *from)
{
	for (uint32_t i = 0; i < into->lengths; i++)
		into->counts[i] = Put(AddSaturating(Get(into->counts[i]), Get(from->counts[i])));
}

/* into += times * what */
static void
CountAddProduct(FimCount *into, uint64_t times, FimCount what)
{
	Wide		product;

	if (__builtin_mul_overflow((Wide) times, Get(what), &product))
		product = saturated;
	*into = Put(AddSaturating(Get(*into), product));
}

static uint32_t
GreatestDivisor(uint32_t a, uint32_t b)
{
	while (b != 0)
	{
		uint32_t	rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Each coefficient is the one before it times (n - k + 1) / k.  With that fraction in
 * lowest terms the division can come first and leaves no rest, so only a coefficient
 * that is too large itself is saturated.  Those that follow it up to the middle are
 * larger still, and the other half mirrors the first.
 */
void
FimBinomials(FimCount *choose, uint32_t n)
{
	Wide		value = 1;

	choose[0] = choose[n] = Put(value);
	for (uint32_t k = 1; k <= n / 2; k++)
	{
		if (value != saturated)
		{
			uint32_t	divisor = GreatestDivisor(n - k + 1, k);
			Wide		factor = (n - k + 1) / divisor;

			if (__builtin_mul_overflow(value / (k / divisor), factor, &value))
				value = saturated;
		}
		choose[k] = choose[n - k] = Put(value);
	}
}

/*
 * Gives out the itemsets that a miner finds: lists them in batches, or counts them by length.
 */

void
OutputInit(Miner *m)
{
	Output	   *out = &m->out;
	size_t		longest = (size_t) m->db->max_row + 1;
	uint32_t	required = m->spec->nrequired;

	memset(out, 0, sizeof(Output));
	out->count_only = m->spec->head.count_only;
	out->min_depth = m->spec->min_length > required ? m->spec->min_length - required : 0;
	out->max_depth = m->spec->max_length == FIM_NO_LIMIT ? FIM_NO_LIMIT :
		m->spec->max_length - required;
	/* without required items the empty path is no itemset */
	if (required == 0 && out->min_depth == 0)
		out->min_depth = 1;
	out->path = ArenaAlloc(&m->arena, sizeof(uint32_t) * longest);
	out->perfect = ArenaAlloc(&m->arena, sizeof(uint32_t) * longest);
	out->chosen = ArenaAlloc(&m->arena, sizeof(uint32_t) * longest);
	if (out->count_only)
	{
		out->counted = ArenaAlloc(&m->arena, sizeof(uint64_t *) * longest);
		memset(out->counted, 0, sizeof(uint64_t *) * longest);
	}
	else
	{
		out->batch_size = FIM_BATCH_WORDS;
		out->batch = ArenaAlloc(&m->arena, sizeof(uint32_t) * OutputBatchRoom(m));
	}
}

/* Hand the batch over.  The next record begins another batch and keeps nothing of this one. */
static void
WriteBatch(Miner *m)
{
	Output	   *out = &m->out;

	if (out->nitemsets == 0)
		return;
	out->results += out->nitemsets;
	MinerShareFigures(m);
	if (!m->sink->write(m->sink, out->batch, out->used, out->nitemsets))
		longjmp(m->leave, FIM_STOPPED);
	MinerWork(m, 4 * out->used);
	out->used = 0;
	out->nitemsets = 0;
	out->same = 0;
}

void
OutputFlush(Miner *m)
{
	if (m->out.count_only)
		MinerShareFigures(m);
	else
		WriteBatch(m);
}

/* Add a record of the path to the batch. */
static inline void
AddRecord(Miner *m, uint32_t support)
{
	Output	   *out = &m->out;
	uint32_t   *to;
	uint32_t	added;

	if (out->used + 3 + (out->depth - out->same) > out->batch_size)
		WriteBatch(m);
	to = out->batch + out->used;
	added = out->depth - out->same;
	to[0] = out->same;
	to[1] = added;
	to += 2;
	for (uint32_t i = 0; i < added; i++)
		to[i] = out->path[out->same + i];
	to[added] = support;
	out->used += added + 3;
	out->same = out->depth;
	out->nitemsets++;
}

/* Allocate a row of counts, all 0. */
static uint64_t *
CountRow(Miner *m, uint32_t nperfect)
{
	/* not from the arena, since counts outlive the node that makes the row */
	size_t		size = sizeof(uint64_t) * ((size_t) m->db->max_row + 1);
	uint64_t   *row = m->host->alloc(m->host, size);

	if (row == NULL)
		longjmp(m->leave, FIM_OUT_OF_MEMORY);
	memset(row, 0, size);
	m->out.counted[nperfect] = row;
	return row;
}

uint64_t *
OutputCounts(Miner *m)
{
	uint64_t   *row = m->out.counted[m->out.nperfect];

	return row != NULL ? row : CountRow(m, m->out.nperfect);
}

/* So many itemsets have this support, which counts only if they are among the best. */
static void
CountSupport(Miner *m, uint32_t support, uint64_t itemsets)
{
	uint32_t	k = m->spec->best;

	if (support >= m->minsup && itemsets > 0 &&
		FimBestCount(m->counter, support, (uint32_t) (itemsets < k ? itemsets : k)))
		MinerRaiseMinsup(m);
}

static inline bool
IsWithinLimits(const Output *out, uint32_t length)
{
	return length >= out->min_depth && length <= out->max_depth;
}

/*
 * The number of itemsets that the path makes with the subsets of the perfect items, as far as lengths are within the
 * limits; any number from k on if there are at least k.  Coefficients grow up to the middle, so what has reached k there stays
 * above it.
 */
static uint64_t
SubsetsWithinLimits(const Miner *m)
{
	const Output *out = &m->out;
	uint32_t	k = m->spec->best;
	uint32_t	n = out->nperfect;
	uint64_t	choose = 1;
	uint64_t	subsets = 0;

	if (IsWithinLimits(out, out->depth) && IsWithinLimits(out, out->depth + n))
		return n < 32 ? UINT64_C(1) << n : k;
	for (uint32_t i = 0; i <= n / 2 && subsets < k; i++)
	{
		if (IsWithinLimits(out, out->depth + i))
			subsets += choose;
		if (i < n - i && IsWithinLimits(out, out->depth + n - i))
			subsets += choose;
		if (choose < k)
			choose = choose * (n - i) / (i + 1);
	}
	return subsets;
}

void
OutputOne(Miner *m, uint32_t support)
{
	Output	   *out = &m->out;

	if (out->depth < out->min_depth || out->depth > out->max_depth)
		return;
	if (m->counter != NULL)
		CountSupport(m, support, 1);
	else if (out->count_only)
	{
		OutputCounts(m)[out->depth]++;
		out->results++;
	}
	else
		AddRecord(m, support);
}

/* Up to this many perfect items, ListFewSubsets() lists the subsets. */
#define FEW_SUBSETS		10

/*
 * List the path with each non-empty subset of the first n perfect items, which are few.
 * All of these itemsets are within the length limits.  Ascending patterns are a
 * depth-first order: a subset without its lowest item has come before, and the path
 * then begins with that.  A record that keeps all of its items but one from the last
 * record, and for which the batch has room, is written here; AddRecord() writes others.
 */
static void
ListFewSubsets(Miner *m, uint32_t n, uint32_t support)
{
	Output	   *out = &m->out;
	uint32_t	depth = out->depth;
	uint32_t	length[FEW_SUBSETS + 1]; /* of the path that ends with item n */

	length[n] = depth;
	for (uint32_t pattern = 1; pattern < UINT32_C(1) << n; pattern++)
	{
		uint32_t	lowest = (uint32_t) __builtin_ctz(pattern);
		uint32_t	parent = (pattern & (pattern - 1)) | UINT32_C(1) << n;
		uint32_t   *to;

		out->depth = length[__builtin_ctz(parent)];
		OutputPush(out, out->perfect[lowest]);
		length[lowest] = out->depth;
		if (out->used + 4 > out->batch_size || out->same + 1 != out->depth)
		{
			AddRecord(m, support);
			continue;
		}
		to = out->batch + out->used;
		to[0] = out->same;
		to[1] = 1;
		to[2] = out->path[out->same++];
		to[3] = support;
		out->used += 4;
		out->nitemsets++;
	}
	out->depth = depth;
	MinerWork(m, UINT64_C(1) << n);
}

/*
 * List the path with each non-empty subset of the first n perfect items, as far as the length
 * limits allow.  A loop, since there can be as many perfect items as a transaction has items.
 * Each step extends the path by the last of the n items, or takes the last item off and goes
 * on with the items before it.  The path is only extended where enough items are left to reach
 * the least length, so each step leads to an itemset that is listed.
 */
static void
ListSubsets(Miner *m, uint32_t n, uint32_t support)
{
	Output	   *out = &m->out;
	uint32_t	depth = out->depth;

	for (;;)
	{
		if (n > 0 && n <= FEW_SUBSETS && out->depth + 1 >= out->min_depth && out->max_depth - out->depth >= n)
		{
			ListFewSubsets(m, n, support);
			n = 0;
		}
		if (n > 0 && out->depth < out->max_depth && OutputReaches(out, n))
		{
			out->chosen[out->depth] = --n;
			OutputPush(out, out->perfect[n]);
			if (out->depth >= out->min_depth)
				AddRecord(m, support);
		}
		else if (out->depth > depth)
		{
			OutputPop(out, 1);
			n = out->chosen[out->depth];
		}
		else
			return;
		MinerWork(m, 1);
	}
}

void
OutputAll(Miner *m, uint32_t support)
{
	Output	   *out = &m->out;

	if (m->counter != NULL)
	{
		CountSupport(m, support, SubsetsWithinLimits(m));
		return;
	}
	/* OutputTally() looks at the limits then */
	if (out->count_only)
	{
		OutputCounts(m)[out->depth]++;
		out->results += UINT64_C(1) << (out->nperfect < 63 ? out->nperfect : 63);
		return;
	}
	/* a table's patterns may be longer than the spec's limit */
	if (out->depth > out->max_depth)
		return;
	if (out->depth >= out->min_depth)
		AddRecord(m, support);
	if (out->nperfect > 0)
		ListSubsets(m, out->nperfect, support);
}

/*
 * Each of the counted[e][d] paths of d items with e perfect items stands for C(e, j)
 * itemsets of d + j items, for each j.
 */
void
OutputTally(Miner *m, FimTally *tally)
{
	const Output *out = &m->out;
	uint32_t	longest = m->db->max_row;
	FimCount   *choose = ArenaAlloc(&m->arena, sizeof(FimCount) * ((size_t) longest + 1));

	for (uint32_t e = 0; e <= longest; e++)
	{
		if (out->counted[e] == NULL)
			continue;
		FimBinomials(choose, e);
		MinerWork(m, 8 * (uint64_t) e);
		for (uint32_t d = 0; d + e <= longest; d++)
		{
			if (out->counted[e][d] == 0)
				continue;
			for (uint32_t j = 0; j <= e; j++)
				if (d + j >= out->min_depth && d + j <= out->max_depth)
					CountAddProduct(&tally->counts[m->spec->nrequired + d + j],
									out->counted[e][d], choose[j]);
			MinerWork(m, e);
		}
	}
}

void
OutputFree(Miner *m)
{
	if (m->out.counted == NULL)
		return;
	for (uint32_t e = 0; e <= m->db->max_row; e++)
		if (m->out.counted[e] != NULL)
			m->host->free(m->host, m->out.counted[e]);
}
