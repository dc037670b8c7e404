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
#include "miscadmin.h"
#include "utils/lsyscache.h"

/* Events between two checks for interrupts. */
#define INTERRUPT_EVENTS	4096

typedef struct EpisodeRows
{
	ItemsetRows rows;			/* must be first */
	const GpufimItem *types;	/* with their numbers of events */

	/* each gap as an array element, and the array that is being built, with room for max_gaps gaps */
	Image	   *gap;			/* [ngaps] */
	uint32		largest;		/* bytes of the largest one */
	ArrayType  *gaps;
	uint32		max_gaps;
} EpisodeRows;

static Datum
BuildEvents(EpisodeRows *emitter, const uint32_t *types, uint32 n)
{
	ItemsetRows *rows = &emitter->rows;
	char	   *at = ArrayStart(rows);

	for (uint32 i = 0; i < n; i++)
	{
		if (i % INTERRUPT_EVENTS == INTERRUPT_EVENTS - 1)
			CHECK_FOR_INTERRUPTS();
		at = AppendImage(rows, at, types[i]);
	}
	return ArrayEnd(rows, at, n);
}

static Size
GapsSize(const EpisodeRows *emitter, uint32 n)
{
	return ARR_OVERHEAD_NONULLS(1) + (Size) n * emitter->largest;
}

/* Make room for arrays of n gaps. */
static void
GrowGaps(EpisodeRows *emitter, uint32 n)
{
	Size		old_size = emitter->gaps ? GapsSize(emitter, emitter->max_gaps) : 0;
	uint32		max_gaps = Max(n, 2 * emitter->max_gaps);

	emitter->gaps = ItemsetRowsResize(&emitter->rows, emitter->gaps, old_size,
									  GapsSize(emitter, max_gaps));
	emitter->max_gaps = max_gaps;
}

static Datum
BuildGaps(EpisodeRows *emitter, const uint32_t *gaps, uint32 n)
{
	ArrayType  *array;
	char	   *at;

	if (n > emitter->max_gaps || emitter->gaps == NULL)
		GrowGaps(emitter, n);
	array = emitter->gaps;
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
		const Image *image = &emitter->gap[gaps[i]];

		memcpy(at, image->bytes, image->size);
		at += image->size;
	}
	SET_VARSIZE(array, at - (char *) array);
	return PointerGetDatum(array);
}

/* The number of events of the rarest type. */
static uint32
RarestCount(const EpisodeRows *emitter, const uint32_t *types, uint32 n)
{
	uint32		least = UINT32_MAX;

	for (uint32 i = 0; i < n; i++)
		least = Min(least, emitter->types[types[i]].support);
	return least;
}

/* Set the first three columns, the episode and its support.  Returns the support. */
static uint64
BuildEpisode(EpisodeRows *emitter, const uint32_t *words, Datum *values)
{
	uint32		n = words[0];
	const uint32_t *types = words + 1;
	const uint32_t *gaps = types + n;
	uint64		support;

	memcpy(&support, gaps + n - 1, sizeof(support));
	if (n > emitter->rows.max_length)
		ItemsetRowsGrow(&emitter->rows, n);
	values[0] = BuildEvents(emitter, types, n);
	values[1] = BuildGaps(emitter, gaps, n - 1);
	values[2] = Int64GetDatum((int64) support);
	return support;
}

static const uint32_t *
EmitRecord(ItemsetRows *rows, const uint32_t *record)
{
	EpisodeRows *emitter = (EpisodeRows *) rows;
	uint32		n = record[0];
	Datum		values[4];
	bool		nulls[4] = {false, false, false, false};
	uint64		support = BuildEpisode(emitter, record, values);

	values[3] = Float8GetDatum((double) support / RarestCount(emitter, record + 1, n));
	PutItemset(rows, n, values, nulls);
	return record + FIM_EPISODES_RECORD_WORDS(n);
}

void
PutTestedEpisode(ItemsetRows *rows, const uint32_t *record, const EpisodeTest *test)
{
	Datum		values[6];
	bool		nulls[6] = {false, false, false, false, !test->tested, !test->tested};

	(void) BuildEpisode((EpisodeRows *) rows, record, values);
	values[3] = Float8GetDatum(test->expected);
	values[4] = Float8GetDatum(test->p_value);
	values[5] = Float8GetDatum(test->adjusted_p_value);
	PutItemset(rows, record[0], values, nulls);
}

/* Make each gap's image, the bytes that stand for it in an array. */
static void
MakeGapImages(EpisodeRows *emitter, const Gaps *gaps)
{
	char		align;
	int16		length;
	bool		byval;

	get_typlenbyvalalign(NUMRANGEOID, &length, &byval, &align);
	emitter->gap = palloc((gaps->n + 1) * sizeof(Image));
	for (uint32 i = 0; i < gaps->n; i++)
	{
		Size		size = att_align_nominal(VARSIZE(gaps->range[i]), align);
		char	   *bytes = palloc0(size);

		memcpy(bytes, gaps->range[i], VARSIZE(gaps->range[i]));
		emitter->gap[i].bytes = bytes;
		emitter->gap[i].size = size;
		emitter->largest = Max(emitter->largest, size);
	}
}

ItemsetRows *
EpisodeRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *types,
				  const Gaps *gaps)
{
	static const ResultWords words = {
		"episode", "episodes", "events",
		"Raise \"minsup\", lower \"max_length\", name fewer gaps or ask for \"closed\" or "
		"\"maximal\" episodes to get fewer; episode_counts() tells how many there are."
	};
	EpisodeRows *emitter = palloc0(sizeof(EpisodeRows));

	ItemsetRowsInit(&emitter->rows, EmitRecord, &words, fcinfo, ledger, types);
	emitter->types = types->items;
	MakeGapImages(emitter, gaps);
	ItemsetRowsGrow(&emitter->rows, 16);
	return &emitter->rows;
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
