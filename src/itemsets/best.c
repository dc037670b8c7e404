/*-------------------------------------------------------------------------
 *
 * best.c
 *	  The k best results of a task, in order.
 *
 * One task looks for the threshold of the k best results (src/engine/itemsets/best.c), and another one gives out what reaches it:
 * the k best, those that are as good as the last of them, and perhaps a few more.  They are kept here as they come, sorted, and cut
 * behind the k-th one or those that are as good.
 *
 * Where there are too many in the meantime, they are cut in the same way as in the end.  So the same results are left, in
 * whatever order they came.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "engine/itemsets/itemsets.h"
#include "gpufim.h"
#include "itemsets/best.h"
#include "miscadmin.h"
#include "scan/scan.h"
#include "utils/memutils.h"
#include "work/work.h"

/* Room for this many results at first, and at least so many more before some are dropped again. */
#define FIRST_ENTRIES	1024

typedef struct BestSink
{
	FimSink		sink;			/* must be first */
	const BestKind *kind;
	void	   *state;			/* the kind's */
	const BestWanted *wanted;
	RowSink    *to;
	BestEntry  *entries;
	uint64		n;
	uint64		room;
	uint64		most;			/* cut when there are more */
	uint32	   *words;
	uint64		nwords;
	uint64		words_room;

	/* results that were cut although they had this score, in the form of a place */
	uint64		cut_place;
	uint64		ncut;
} BestSink;

/* A number that is the smaller, the larger the score is. */
static uint64
PlaceOfScore(double score)
{
	int64		bits;

	score += 0.0;				/* -0 is 0 */
	memcpy(&bits, &score, sizeof(bits));
	return bits < 0 ? (uint64) bits : ~((uint64) bits | UINT64CONST(1) << 63);
}

static double
ScoreOfPlace(uint64 place)
{
	int64		bits = (int64) (place >> 63 ? place : ~place & ~(UINT64CONST(1) << 63));
	double		score;

	memcpy(&score, &bits, sizeof(score));
	return score;
}

/* Resize a block, or allocate it if there is none, and count what it takes more. */
static void *
Grow(BestSink *sink, void *block, Size old_size, Size size)
{
	JobTakeMemory(sink->to->job, size - old_size, sink->to->maker->results_found);
	if (block == NULL)
		return MemoryContextAllocHuge(GetMemoryChunkContext(sink), size);
	return repalloc_huge(block, size);
}

static void
MakeRoom(BestSink *sink, size_t nwords)
{
	if (sink->n == sink->room)
	{
		uint64		room = Max(FIRST_ENTRIES, 2 * sink->room);

		sink->entries = Grow(sink, sink->entries, sink->room * sizeof(BestEntry), room * sizeof(BestEntry));
		sink->room = room;
	}
	if (sink->nwords + nwords > sink->words_room)
	{
		uint64		room = Max(sink->nwords + nwords, Max(8 * FIRST_ENTRIES, 2 * sink->words_room));

		sink->words = Grow(sink, sink->words, sink->words_room * sizeof(uint32), room * sizeof(uint32));
		sink->words_room = room;
	}
}

/*
 * Sorting.
 */

static inline int
CompareEntries(const BestEntry *a, const BestEntry *b, const BestSink *sink)
{
	for (int i = 0; i < lengthof(a->place); i++)
		if (a->place[i] != b->place[i])
			return a->place[i] < b->place[i] ? -1 : 1;
	return sink->kind->compare(sink->words + a->at, sink->words + b->at);
}

#define ST_SORT SortEntries
#define ST_ELEMENT_TYPE BestEntry
#define ST_COMPARE_ARG_TYPE const BestSink
#define ST_COMPARE(a, b, sink) CompareEntries(a, b, sink)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static inline uint32
RangeOf(const BestEntry *entry)
{
	return FimBestRange(ScoreOfPlace(entry->place[0]));
}

/*
 * Sort the results by the ranges of their scores, the best first, and drop the ranges behind the k-th result.  Where
 * range r ends goes to ends[r].  This takes two passes, and leaves few results of a range to be sorted.
 */
static void
SortByRange(BestSink *sink, uint64 *ends)
{
	uint64		kept = 0;
	uint32		range = FIM_BEST_RANGES;
	BestEntry  *sorted;

	memset(ends, 0, FIM_BEST_RANGES * sizeof(uint64));
	for (uint64 i = 0; i < sink->n; i++)
		ends[RangeOf(&sink->entries[i])]++;
	while (range-- > 0 && kept < sink->wanted->k)
	{
		kept += ends[range];
		ends[range] = kept - ends[range];
	}
	range++;
	sorted = Grow(sink, NULL, 0, Max(kept, 1) * sizeof(BestEntry));
	for (uint64 i = 0; i < sink->n; i++)
	{
		uint32		of = RangeOf(&sink->entries[i]);

		CHECK_FOR_INTERRUPTS();
		if (of >= range)
			sorted[ends[of]++] = sink->entries[i];
	}
	memset(ends, 0, range * sizeof(uint64));
	pfree(sink->entries);
	JobGiveBackMemory(sink->to->job, sink->room * sizeof(BestEntry));
	sink->entries = sorted;
	sink->n = kept;
	sink->room = Max(kept, 1);
}

/* Sort all, the best first. */
static void
SortAll(BestSink *sink)
{
	uint64	   *ends = palloc(FIM_BEST_RANGES * sizeof(uint64));
	uint64		start = 0;

	for (uint64 i = 0; i < sink->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		sink->kind->settle(sink->state, sink->words + sink->entries[i].at, sink->entries[i].place);
	}
	SortByRange(sink, ends);
	for (uint32 range = FIM_BEST_RANGES; range-- > 0;)
	{
		if (ends[range] > start + 1)
			SortEntries(sink->entries + start, ends[range] - start, sink);
		start = Max(start, ends[range]);
	}
	pfree(ends);
}

/* Sort all, and cut them behind the k-th one or those that are as good. */
static void
SortAndCut(BestSink *sink)
{
	uint32		k = sink->wanted->k;
	uint64		last;
	uint64		as_good;

	if (sink->n == 0)
		return;
	SortAll(sink);
	if (sink->n < k)
		return;
	last = sink->entries[k - 1].place[0];
	for (as_good = k; as_good < sink->n && sink->entries[as_good].place[0] == last;)
		as_good++;
	if (sink->cut_place != last)
		sink->ncut = 0;
	sink->cut_place = last;
	if (!sink->wanted->ties)
	{
		sink->ncut += as_good - k;
		as_good = k;
	}
	sink->n = as_good;
}

/* Move the words of the results that are left together. */
static void
CloseUp(BestSink *sink)
{
	uint64		room = FIRST_ENTRIES;
	uint64		used = 0;
	uint32	   *words;

	for (uint64 i = 0; i < sink->n; i++)
		room += sink->kind->words(sink->words + sink->entries[i].at);
	words = Grow(sink, NULL, 0, room * sizeof(uint32));
	for (uint64 i = 0; i < sink->n; i++)
	{
		const uint32 *from = sink->words + sink->entries[i].at;
		size_t		n = sink->kind->words(from);

		CHECK_FOR_INTERRUPTS();
		memcpy(words + used, from, n * sizeof(uint32));
		sink->entries[i].at = used;
		used += n;
	}
	pfree(sink->words);
	JobGiveBackMemory(sink->to->job, sink->words_room * sizeof(uint32));
	sink->words = words;
	sink->nwords = used;
	sink->words_room = room;
}

/* Cut what is too much. */
static void
CutSome(BestSink *sink)
{
	SortAndCut(sink);
	CloseUp(sink);
	sink->most = 2 * sink->n + FIRST_ENTRIES;
}

static bool
TakeBatch(FimSink *fim_sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	BestSink   *sink = (BestSink *) fim_sink;
	const uint32 *record = words;

	CHECK_FOR_INTERRUPTS();
	for (size_t i = 0; i < nresults; i++)
	{
		size_t		n;
		double		score = sink->kind->read(sink->state, &record, &n);

		MakeRoom(sink, n);
		sink->kind->keep(sink->state, sink->words + sink->nwords);
		sink->entries[sink->n].place[0] = PlaceOfScore(score);
		sink->entries[sink->n++].at = sink->nwords;
		sink->nwords += n;
	}
	if (sink->n > sink->most)
		CutSome(sink);
	return true;
}

/* The job starts over. */
static void
ForgetAll(FimSink *fim_sink)
{
	BestSink   *sink = (BestSink *) fim_sink;

	sink->n = sink->nwords = sink->ncut = 0;
}

/*
 * The end.
 */

#define PREFETCHED	8

/* Write the results to the sink that makes rows of them. */
static void
WriteAll(BestSink *sink)
{
	uint32	   *batch = palloc(FIM_BATCH_WORDS * sizeof(uint32));
	const uint32 *previous = NULL;
	size_t		used = 0;
	size_t		nresults = 0;

	for (uint64 i = 0; i < sink->n; i++)
	{
		const uint32 *record = sink->words + sink->entries[i].at;
		size_t		n;

		/* records are far from each other */
		__builtin_prefetch(sink->words + sink->entries[Min(i + PREFETCHED, sink->n - 1)].at);
		n = sink->kind->words(record);
		if (used + n > FIM_BATCH_WORDS)
		{
			(void) FimWriteBatch(&sink->to->sink, batch, &used, &nresults);
			previous = NULL;
		}
		if (n > FIM_BATCH_WORDS)
		{
			(void) sink->to->sink.write(&sink->to->sink, record, n, 1);
			continue;
		}
		used += sink->kind->write(record, previous, batch + used);
		previous = record;
		nresults++;
	}
	(void) FimWriteBatch(&sink->to->sink, batch, &used, &nresults);
	pfree(batch);
}

/* How many are as good as the k-th result but come behind it: a figure of the call. */
static void
NoteTies(const BestSink *sink)
{
	uint32		k = sink->wanted->k;

	RunAddDetail("ties", sink->n > k ? (int64) (sink->n - k) : (int64) sink->ncut);
}

double
MineBest(RowSink *to, const BestKind *kind, void *state, const BestWanted *wanted)
{
	BestSink   *sink = palloc0(sizeof(BestSink));
	double		last = NAN;

	sink->sink.write = TakeBatch;
	sink->sink.restart = ForgetAll;
	sink->kind = kind;
	sink->state = state;
	sink->wanted = wanted;
	sink->to = to;
	sink->most = 2 * (uint64) wanted->k + FIRST_ENTRIES;

	(void) JobRun(to->job, &sink->sink);
	SortAndCut(sink);
	if (sink->n >= wanted->k)
		last = ScoreOfPlace(sink->entries[wanted->k - 1].place[0]);
	NoteTies(sink);
	WriteAll(sink);
	RowSinkEnd(to);
	return last;
}
