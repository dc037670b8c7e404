/*-------------------------------------------------------------------------
 *
 * result_rows.c
 *	  Turning episodes and counts into rows of the SQL function's result.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "engine/episodes/episodes.h"
#include "episodes/episodes.h"
#include "gpufim.h"
#include "itemset_rows.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

/* Events between two checks for interrupts. */
#define INTERRUPT_EVENTS	4096

typedef struct EpisodeMaker
{
	ItemsetMaker itemsets;		/* must be first */
	uint32	   *events;			/* of each type; only there if the frequency is wanted */

	/* each gap as an array element, and the array that is being built, with room for max_gaps gaps */
	Image	   *gap;			/* [ngaps] */
	uint32		largest;		/* bytes of the largest one */
	ArrayType  *gaps;
	uint32		max_gaps;

	/* the numbers of the row that was made last */
	int64		support;
	double		frequency;
} EpisodeMaker;

static Datum
BuildEvents(EpisodeMaker *episodes, const uint32_t *types, uint32 n)
{
	ItemsetMaker *itemsets = &episodes->itemsets;
	char	   *at = ArrayStart(itemsets);

	for (uint32 i = 0; i < n; i++)
	{
		if (i % INTERRUPT_EVENTS == INTERRUPT_EVENTS - 1)
			CHECK_FOR_INTERRUPTS();
		at = AppendImage(itemsets, at, types[i]);
	}
	return ArrayEnd(itemsets, at, n);
}

static Size
GapsSize(const EpisodeMaker *episodes, uint32 n)
{
	return ARR_OVERHEAD_NONULLS(1) + (Size) n * episodes->largest;
}

/* Make room for arrays of n gaps. */
static void
GrowGaps(EpisodeMaker *episodes, uint32 n)
{
	Size		old_size = episodes->gaps ? GapsSize(episodes, episodes->max_gaps) : 0;
	uint32		max_gaps = Max(n, 2 * episodes->max_gaps);

	episodes->gaps = RowMakerResize(&episodes->itemsets.rows, episodes->gaps, old_size,
									GapsSize(episodes, max_gaps), episodes->itemsets.rows.results_found);
	episodes->max_gaps = max_gaps;
}

static Datum
BuildGaps(EpisodeMaker *episodes, const uint32_t *gaps, uint32 n)
{
	ArrayType  *array;
	char	   *at;

	if (n > episodes->max_gaps || episodes->gaps == NULL)
		GrowGaps(episodes, n);
	array = episodes->gaps;
	array->ndim = n > 0;
	array->dataoffset = 0;
	array->elemtype = NUMRANGEOID;
	if (n > 0)
	{
		ARR_DIMS(array)[0] = n;
		ARR_LBOUND(array)[0] = 1;
	}
	at = ARR_DATA_PTR(array);
	for (uint32 i = 0; i < n; i++)
	{
		const Image *image = &episodes->gap[gaps[i]];

		memcpy(at, image->bytes, image->size);
		at += image->size;
	}
	SET_VARSIZE(array, at - (char *) array);
	return PointerGetDatum(array);
}

/* The number of events of the rarest type. */
static uint32
RarestCount(const EpisodeMaker *episodes, const uint32_t *types, uint32 n)
{
	uint32		least = UINT32_MAX;

	for (uint32 i = 0; i < n; i++)
		least = Min(least, episodes->events[types[i]]);
	return least;
}

static uint32
LengthOfRecord(const RowMaker *maker, const uint32 **record)
{
	uint32		length = (*record)[0];

	*record += FIM_EPISODES_RECORD_WORDS(length);
	return length;
}

static void
NextRow(RowMaker *maker, Datum *values)
{
	EpisodeMaker *episodes = (EpisodeMaker *) maker;
	const uint32 *record = episodes->itemsets.next;
	uint32		n = record[0];
	const uint32 *types = record + 1;
	const uint32 *gaps = types + n;

	episodes->itemsets.next = record + FIM_EPISODES_RECORD_WORDS(n);
	memcpy(&episodes->support, gaps + n - 1, sizeof(episodes->support));
	if (maker->wanted[0])
		values[0] = BuildEvents(episodes, types, n);
	if (maker->wanted[1])
		values[1] = BuildGaps(episodes, gaps, n - 1);
	if (maker->wanted[2])
		values[2] = Int64GetDatumFast(episodes->support);
	if (maker->wanted[3])
	{
		episodes->frequency = (double) episodes->support / RarestCount(episodes, types, n);
		values[3] = Float8GetDatumFast(episodes->frequency);
	}
}

void
PutTestedEpisode(RowSink *sink, const uint32_t *record, const EpisodeTest *test)
{
	Datum		values[6];
	bool		nulls[6] = {false, false, false, false, !test->tested, !test->tested};

	RowSinkCountLengths(sink, record, record + FIM_EPISODES_RECORD_WORDS(record[0]));
	sink->maker->begin(sink->maker, record);
	sink->maker->next(sink->maker, values);
	values[3] = Float8GetDatum(test->expected);
	values[4] = Float8GetDatum(test->p_value);
	values[5] = Float8GetDatum(test->adjusted_p_value);
	tuplestore_putvalues(sink->store, sink->desc, values, nulls);
}

/* Make each gap's image, the bytes that stand for it in an array. */
static void
MakeGapImages(EpisodeMaker *episodes, const Gaps *gaps)
{
	MemoryContext memory = episodes->itemsets.rows.memory;
	char		align;
	int16		length;
	bool		byval;

	get_typlenbyvalalign(NUMRANGEOID, &length, &byval, &align);
	episodes->gap = MemoryContextAlloc(memory, (gaps->n + 1) * sizeof(Image));
	for (uint32 i = 0; i < gaps->n; i++)
	{
		Size		size = att_align_nominal(VARSIZE(gaps->range[i]), align);
		char	   *bytes = MemoryContextAllocZero(memory, size);

		memcpy(bytes, gaps->range[i], VARSIZE(gaps->range[i]));
		episodes->gap[i].bytes = bytes;
		episodes->gap[i].size = size;
		episodes->largest = Max(episodes->largest, size);
	}
}

/* Keep the numbers of events, which frequencies are fractions of. */
static void
KeepEvents(EpisodeMaker *episodes, const GpufimItems *types)
{
	episodes->events = RowMakerResize(&episodes->itemsets.rows, NULL, 0, ((Size) types->nitems + 1) * sizeof(uint32),
									  episodes->itemsets.rows.results_found);
	for (uint32 i = 0; i < types->nitems; i++)
		episodes->events[i] = types->items[i].support;
}

RowSink *
EpisodeRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *types,
				  const Gaps *gaps)
{
	static const ResultWords words = {
		"episode", "episodes", "events",
		"Raise \"minsup\", lower \"max_length\", name fewer gaps or ask for \"closed\" or "
		"\"maximal\" episodes to get fewer; episode_counts() tells how many there are."
	};
	EpisodeMaker *episodes = ItemsetMakerCreate(sizeof(EpisodeMaker), fcinfo, ledger, types, &words);
	RowMaker   *maker = &episodes->itemsets.rows;

	maker->next = NextRow;
	maker->length = LengthOfRecord;
	if (maker->wanted[1])
		MakeGapImages(episodes, gaps);
	if (maker->wanted[3])
		KeepEvents(episodes, types);
	return RowSinkCreate(fcinfo, maker);
}

void
PutEpisodeCounts(FunctionCallInfo fcinfo, const uint64 *counts, uint32 lengths)
{
	CurrentRun->results = 0;
	for (uint32 length = 0; length < lengths; length++)
	{
		if (counts[length] > 0)
			PutLengthCount(fcinfo, length, (int64) counts[length]);
	}
}

int64
SumEpisodeCounts(const uint64 *counts, uint32 lengths)
{
	CurrentRun->results = 0;
	for (uint32 length = 0; length < lengths; length++)
		CountLength(length, (int64) counts[length]);
	return CurrentRun->results;
}
