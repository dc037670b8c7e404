/*-------------------------------------------------------------------------
 *
 * check_counts.c
 *	  Counts too large to list, and itemsets too long for a batch.
 *
 * Databases of one or two long rows have numbers of itemsets that formulas
 * give: binomial coefficients, computed here with Pascal's triangle in numbers
 * of 512 bits, and cut off at 2^128 - 1 only to be compared with a tally.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/itemsets/miner.h"
#include "harness.h"

#define LIMBS		16
#define MAX_ITEMS	300

/* Numbers of 512 bits, in limbs of 32, the lowest first. */
typedef struct Big
{
	uint32_t	limb[LIMBS];
} Big;

static Big	choose[MAX_ITEMS + 1][MAX_ITEMS + 1];

static Big
BigAdd(Big a, Big b)
{
	uint64_t	carry = 0;

	for (int i = 0; i < LIMBS; i++)
	{
		carry += (uint64_t) a.limb[i] + b.limb[i];
		a.limb[i] = (uint32_t) carry;
		carry >>= 32;
	}
	assert(carry == 0);
	return a;
}

static Big
BigSubtract(Big a, Big b)
{
	int64_t		borrow = 0;

	for (int i = 0; i < LIMBS; i++)
	{
		borrow += (int64_t) a.limb[i] - b.limb[i];
		a.limb[i] = (uint32_t) borrow;
		borrow >>= 32;
	}
	assert(borrow == 0);
	return a;
}

static FimCount
Saturated(Big a)
{
	FimCount	count;

	for (int i = 4; i < LIMBS; i++)
		if (a.limb[i] != 0)
			return (FimCount) {UINT64_MAX, UINT64_MAX};
	count.low = a.limb[0] | (uint64_t) a.limb[1] << 32;
	count.high = a.limb[2] | (uint64_t) a.limb[3] << 32;
	return count;
}

static void
FillTriangle(void)
{
	for (int n = 0; n <= MAX_ITEMS; n++)
	{
		choose[n][0].limb[0] = 1;
		for (int k = 1; k <= n; k++)
			choose[n][k] = BigAdd(choose[n - 1][k - 1], choose[n - 1][k]);
	}
}

static bool
SameCount(FimCount a, FimCount b)
{
	return a.low == b.low && a.high == b.high;
}

/*
 * A database of rows that are ranges of items, and what is in it: the itemsets
 * of each length, the empty one at 0.
 */
typedef struct Expected
{
	uint32_t	lengths;
	Big			count[MAX_ITEMS + 1];
} Expected;

static void
AddRange(Table *table, uint32_t first, uint32_t end)
{
	uint32_t   *row = calloc(end - first + 1, sizeof(uint32_t));

	assert(row != NULL);
	for (uint32_t i = first; i < end; i++)
		row[i - first] = end - 1 - (i - first);
	TableAdd(table, row, end - first);
	free(row);
}

static bool
Fail(const FimItemsetsSpec *spec, const char *isa, const char *format,...)
{
	va_list		args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("; kind %s, strategy %s, %s, minsup %u, lengths %u to %u, prefix %u, %s\n",
		   KindName(spec->kind), FimItemsetsFamily.strategies[spec->head.strategy], isa, spec->minsup,
		   spec->min_length, spec->max_length, spec->nrequired,
		   spec->head.count_only ? "counting" : "listing");
	return false;
}

static bool
Compare(const FimItemsetsSpec *spec, const char *isa, const FimTally *tally, const Expected *expected)
{
	for (uint32_t n = 0; n < expected->lengths; n++)
	{
		uint32_t	length = n + spec->nrequired;
		FimCount	wanted = Saturated(expected->count[n]);
		FimCount	found = {0, 0};

		if (length == 0 || length < spec->min_length || length > spec->max_length)
			wanted.low = wanted.high = 0;
		if (length < tally->lengths)
			found = tally->counts[length];
		if (!SameCount(found, wanted))
			return Fail(spec, isa, "of length %u there are %llu * 2^64 + %llu, not %llu * 2^64 + %llu",
						length, (unsigned long long) wanted.high, (unsigned long long) wanted.low,
						(unsigned long long) found.high, (unsigned long long) found.low);
	}
	for (uint32_t length = 0; length < tally->lengths; length++)
		if ((length < spec->nrequired || length >= spec->nrequired + expected->lengths) &&
			(tally->counts[length].low | tally->counts[length].high) != 0)
			return Fail(spec, isa, "of length %u there are none", length);
	return true;
}

/*
 * Progress need not be exact.  It is no less than half of what there is where all
 * is counted, and does not begin anew at some power of 2.
 */
static bool
CheckProgress(const FimItemsetsSpec *spec, const char *isa, const FimShared *shared,
			  const Expected *expected)
{
	uint64_t	all = 0;

	if (spec->nrequired > 0 || spec->min_length > 1 || spec->max_length != FIM_NO_LIMIT)
		return true;
	for (uint32_t n = 1; n < expected->lengths; n++)
	{
		FimCount	count = Saturated(expected->count[n]);

		if (count.high > 0 || count.low > UINT64_MAX / 4 - all)
			return true;
		all += count.low;
	}
	if (shared->results >= all / 2)
		return true;
	return Fail(spec, isa, "of %llu itemsets, progress says %llu", (unsigned long long) all,
				(unsigned long long) shared->results);
}

static bool
Count(const FimItemsetsSpec *spec, const char *isa, const FimDatabase *db, const Expected *expected)
{
	FimShared  *shared = NewShared(spec, db);
	TestHost	host;
	TestSink	sink;
	FimTally	tally;
	FimResult	result;
	bool		good;

	FimSetIsa(isa);
	HostInit(&host);
	SinkInit(&sink, db, false);
	TallyInit(&tally, spec, db);
	result = MineItemsets(spec, db, shared, &host.base, &sink.base, &tally);
	if (result != FIM_DONE)
		good = Fail(spec, isa, "mine() returns %s", ResultName(result));
	else if (host.live > 0 || host.wrong_free)
		good = Fail(spec, isa, "memory is not freed");
	else if (sink.batches > 0)
		good = Fail(spec, isa, "a count calls the sink");
	else
		good = Compare(spec, isa, &tally, expected) && CheckProgress(spec, isa, shared, expected);
	HostFreeAll(&host);
	SinkFree(&sink);
	TallyFree(&tally);
	FreeShared(shared);
	return good;
}

/* With every strategy and instruction set, without and with limits. */
static bool
CountAll(const Table *table, FimKind kind, uint32_t minsup, const Expected *expected)
{
	static const struct
	{
		uint32_t	nrequired;
		uint32_t	min_length;
		uint32_t	max_length;
	}			limits[] = {
		{0, 1, FIM_NO_LIMIT}, {0, 3, 5}, {0, 60, FIM_NO_LIMIT}, {0, 1, 66}, {3, 1, FIM_NO_LIMIT},
		{3, 4, 70}, {5, 1, 3}, {FIM_MAX_TRANSACTIONS / 1000000, 2, FIM_NO_LIMIT}
	};
	FimDatabase *db = BuildDatabase(table);
	bool		good = db != NULL;

	for (uint32_t s = 0; good && FimItemsetsFamily.strategies[s] != NULL; s++)
		for (const char *const *isa = Isas(); good && *isa != NULL; isa++)
			for (size_t l = 0; good && l < sizeof(limits) / sizeof(limits[0]); l++)
			{
				FimItemsetsSpec spec = {.kind = kind,.head = {.strategy = (FimItemsetsStrategy) s,.count_only = true},
					.minsup = minsup,.nrequired = limits[l].nrequired,
				.min_length = limits[l].min_length,.max_length = limits[l].max_length};

				good = Count(&spec, *isa, db, expected);
			}
	FreeDatabase(db);
	return good;
}

/* n items once or several times; itemsets of k items: C(n, k). */
static bool
CheckOneRow(uint32_t n, uint32_t copies)
{
	static Expected all;
	static Expected longest;
	Table		table;
	bool		good;

	memset(&all, 0, sizeof(all));
	memset(&longest, 0, sizeof(longest));
	all.lengths = longest.lengths = n + 1;
	memcpy(all.count, choose[n], (n + 1) * sizeof(Big));
	longest.count[n].limb[0] = 1;
	TableInit(&table, n);
	for (uint32_t i = 0; i < copies; i++)
		AddRange(&table, 0, n);
	good = CountAll(&table, FIM_ALL, copies, &all) &&
		CountAll(&table, FIM_CLOSED, 1, &longest) &&
		CountAll(&table, FIM_MAXIMAL, copies, &longest);
	TableFree(&table);
	if (!good)
		printf("# %u items in each of %u rows\n", n, copies);
	return good;
}

/* Items 0 .. a-1 and b .. n-1, b <= a: C(a, k) + C(n-b, k) - C(a-b, k). */
static bool
CheckTwoRows(uint32_t a, uint32_t b, uint32_t n)
{
	static Expected all;
	static Expected common;
	static Expected closed;
	static Expected maximal;
	Table		table;
	bool		good;

	memset(&all, 0, sizeof(all));
	memset(&common, 0, sizeof(common));
	memset(&closed, 0, sizeof(closed));
	memset(&maximal, 0, sizeof(maximal));
	all.lengths = common.lengths = closed.lengths = maximal.lengths = n + 1;
	for (uint32_t k = 0; k <= n; k++)
		all.count[k] = BigSubtract(BigAdd(choose[a][k], choose[n - b][k]), choose[a - b][k]);
	memcpy(common.count, choose[a - b], (a - b + 1) * sizeof(Big));
	maximal.count[a].limb[0]++;
	maximal.count[n - b].limb[0]++;
	closed = maximal;
	closed.count[a - b].limb[0]++;
	TableInit(&table, n);
	AddRange(&table, 0, a);
	AddRange(&table, b, n);
	good = CountAll(&table, FIM_ALL, 1, &all) && CountAll(&table, FIM_ALL, 2, &common) &&
		CountAll(&table, FIM_CLOSED, 1, &closed) && CountAll(&table, FIM_MAXIMAL, 1, &maximal);
	TableFree(&table);
	if (!good)
		printf("# rows of items 0 to %u and %u to %u\n", a - 1, b, n - 1);
	return good;
}

/* List what is too long for a batch, or cut short by limits. */
static bool
CheckListing(uint32_t n, FimKind kind, uint32_t min_length, uint32_t max_length, uint64_t wanted)
{
	FimDatabase *db;
	Table		table;
	bool		good;

	TableInit(&table, n);
	AddRange(&table, 0, n);
	db = BuildDatabase(&table);
	good = db != NULL;
	for (uint32_t s = 0; good && FimItemsetsFamily.strategies[s] != NULL; s++)
	{
		FimItemsetsSpec spec = {.kind = kind,.head = {.strategy = (FimItemsetsStrategy) s},.minsup = 1,
		.min_length = min_length,.max_length = max_length};
		FimShared  *shared = NewShared(&spec, db);
		TestHost	host;
		TestSink	sink;
		FimResult	result;

		HostInit(&host);
		SinkInit(&sink, db, false);
		result = MineItemsets(&spec, db, shared, &host.base, &sink.base, NULL);
		if (result != FIM_DONE)
			good = Fail(&spec, FimIsa(), "mine() returns %s", ResultName(result));
		else if (sink.error != NULL)
			good = Fail(&spec, FimIsa(), "%s", sink.error);
		else if (sink.itemsets != wanted || shared->results != wanted)
			good = Fail(&spec, FimIsa(), "%llu itemsets of %u items, %llu listed",
						(unsigned long long) wanted, n, (unsigned long long) sink.itemsets);
		HostFreeAll(&host);
		SinkFree(&sink);
		FreeShared(shared);
	}
	FreeDatabase(db);
	TableFree(&table);
	return good;
}

static bool
CheckTallyAdd(void)
{
	static const struct
	{
		FimCount	a;
		FimCount	b;
		FimCount	sum;
	}			sums[] = {
		{{1, 0}, {2, 0}, {3, 0}},
		{{UINT64_MAX, 0}, {1, 0}, {0, 1}},
		{{UINT64_MAX, 7}, {UINT64_MAX, 8}, {UINT64_MAX - 1, 16}},
		{{UINT64_MAX, UINT64_MAX - 1}, {0, 1}, {UINT64_MAX, UINT64_MAX}},
		{{UINT64_MAX - 1, UINT64_MAX}, {1, 0}, {UINT64_MAX, UINT64_MAX}},
		{{UINT64_MAX, UINT64_MAX}, {1, 0}, {UINT64_MAX, UINT64_MAX}},
		{{0, UINT64_C(1) << 63}, {0, UINT64_C(1) << 63}, {UINT64_MAX, UINT64_MAX}},
		{{UINT64_MAX, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}},
	};

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
	{
		FimCount	into[2] = {{5, 0}, sums[i].a};
		FimCount	from[2] = {{6, 0}, sums[i].b};
		FimTally	a = {2, into};
		FimTally	b = {2, from};

		FimTallyAdd(&a, &b);
		if (!SameCount(into[1], sums[i].sum) || into[0].low != 11 || into[0].high != 0)
		{
			printf("# FimTallyAdd: sum %u is wrong\n", (unsigned int) i);
			return false;
		}
	}
	return true;
}

/* Every C(n, k) against Pascal's triangle, and some of a large n. */
static bool
CheckBinomials(void)
{
	enum
	{
		MANY = 100000
	};
	FimCount   *found = calloc(MANY + 1, sizeof(FimCount));
	uint64_t	exact[] = {1, MANY, UINT64_C(4999950000), UINT64_C(166661666700000),
	UINT64_C(4166416671249975000)};

	assert(found != NULL);
	for (uint32_t n = 0; n <= MAX_ITEMS; n++)
	{
		FimBinomials(found, n);
		for (uint32_t k = 0; k <= n; k++)
			if (!SameCount(found[k], Saturated(choose[n][k])))
			{
				printf("# C(%u, %u) is wrong\n", n, k);
				return false;
			}
	}
	FimBinomials(found, MANY);
	for (uint32_t k = 0; k <= MANY; k++)
	{
		uint32_t	least = k < MANY - k ? k : MANY - k;
		bool		wrong = found[k].low != found[MANY - k].low || found[k].high != found[MANY - k].high;

		if (least < sizeof(exact) / sizeof(exact[0]))
			wrong = wrong || found[k].low != exact[least] || found[k].high != 0;
		else if (least > 8)		/* C(100000, 8) has 118 bits, C(100000, 9) 132 */
			wrong = wrong || found[k].low != UINT64_MAX || found[k].high != UINT64_MAX;
		else
			wrong = wrong || found[k].high == 0 || found[k].high == UINT64_MAX;
		if (wrong)
		{
			printf("# C(%u, %u) is wrong\n", (uint32_t) MANY, k);
			return false;
		}
	}
	free(found);
	return true;
}

int
main(void)
{
	static const uint32_t sizes[] = {1, 2, 3, 31, 62, 63, 64, 65, 66, 70, 127, 128, 129, 131, 132, 200, 300};
	bool		good = true;

	FillTriangle();
	good = CheckTallyAdd() && good;
	good = CheckBinomials() && good;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		good = CheckOneRow(sizes[i], 1 + i % 3) && good;
	good = CheckTwoRows(4, 2, 6) && good;
	good = CheckTwoRows(64, 32, 128) && good;
	good = CheckTwoRows(90, 70, 160) && good;
	good = CheckTwoRows(150, 100, 250) && good;
	good = CheckTwoRows(130, 130, 260) && good;
	good = CheckListing(20, FIM_ALL, 1, FIM_NO_LIMIT, 1048575) && good;
	good = CheckListing(17, FIM_ALL, 16, FIM_NO_LIMIT, 18) && good;
	good = CheckListing(200, FIM_ALL, 1, 2, 20100) && good;
	good = CheckListing(200, FIM_ALL, 2, 2, 19900) && good;
	good = CheckListing(9000, FIM_ALL, 1, 1, 9000) && good;
	good = CheckListing(9000, FIM_CLOSED, 1, FIM_NO_LIMIT, 1) && good;
	good = CheckListing(9000, FIM_MAXIMAL, 8999, FIM_NO_LIMIT, 1) && good;
	good = CheckListing(9000, FIM_MAXIMAL, 1, 8999, 0) && good;
	return good ? 0 : 1;
}
