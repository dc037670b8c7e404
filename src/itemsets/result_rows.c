/*-------------------------------------------------------------------------
 *
 * result_rows.c
 *	  Turning results into rows.
 *
 * Results are often what most of a call's time goes to, so a row costs one walk
 * over its items.  Every item's array element is made once, as the very bytes
 * that stand for it in an array, padding included; a result's array is a header
 * and copies of such images.  Items are known by their rank in the sort order of
 * their type, required items included, so sorting a result is sorting integers.
 *
 * Consecutive results share items.  For results of up to TRIANGLE_LENGTH items
 * the emitter keeps, for every length of the shared part, the sorted ranks of the
 * result so far, one triangle row each: row n starts at n * (n - 1) / 2 and is
 * made from row n - 1 by inserting one rank.  A longer result is kept as one
 * sorted list that says of each rank where in the result it was added, so that the
 * next one takes those that it shares and merges its own in: what that takes
 * grows as the result's array does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "compat.h"
#include "figures.h"
#include "itemsets/result_rows.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "work/job.h"

/*
 * Results that are longer than this are merged, see above.  It is more than
 * nearly all results have where there are many.
 */
#define TRIANGLE_LENGTH	64
#define TRIANGLE_SIZE	(TRIANGLE_LENGTH * (TRIANGLE_LENGTH + 1) / 2)

/* Images of small items share blocks, of which each is twice as large as the last. */
#define FIRST_BLOCK		1024
#define LARGEST_BLOCK	(1024 * 1024)

/* A row around an array of this size can still be allocated. */
#define LARGEST_ARRAY	(MaxAllocSize - 256)

/* Between two looks at interrupts, in items. */
#define INTERRUPT_ITEMS	4096

/* Past so many results, tell the user that it may not be what was meant. */
#define MANY_RESULTS	INT64CONST(10000000)

/* An array element as it stands in the array, aligned and padded. */
typedef struct Image
{
	const char *bytes;
	uint32		size;
} Image;

/* A rank of a long result, and how many ranks were added to the result before it. */
typedef uint64 PlacedRank;

#define PlaceRank(rank, place)	((uint64) (rank) << 32 | (place))
#define RankOf(placed)			((uint32) ((placed) >> 32))
#define PlaceOf(placed)			((uint32) (placed))

#define ST_SORT SortPlacedRanks
#define ST_ELEMENT_TYPE PlacedRank
#define ST_COMPARE(a, b) (*(a) > *(b) ? 1 : -1)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

struct GpufimEmitter
{
	FimSink		sink;			/* must be first */
	MemoryContext context;
	Tuplestorestate *store;
	TupleDesc	desc;
	double		transactions;

	const GpufimItem *items;	/* for their ranks */
	uint32		nrequired;
	Oid			element_type;
	int16		element_length;
	bool		element_byval;
	char		element_align;
	Image	   *images;			/* by rank */
	char	   *block;			/* where images are put next */
	size_t		block_left;
	size_t		block_size;

	/* whom to tell of memory: the ledger until the rows are encoded, then the job */
	MemoryLedger *ledger;
	struct Job *job;

	size_t		image_bytes;	/* of all images */
	uint32		nimages;
	size_t		foreseen;		/* bytes that results of max_length items take */

	uint32		max_length;		/* lengths that there is room for below */
	uint32		triangle[TRIANGLE_SIZE];	/* sorted ranks by length, see above */
	PlacedRank *placed;			/* the last result, if longer: sorted */
	uint32		nplaced;		/* 0: it was not longer */
	PlacedRank *added;			/* what the next one adds */
	ArrayType  *array;			/* the result being built */
	size_t		array_size;
	int64	   *lengths;		/* results by length, RunLengths() */
};

static inline uint32 *
TriangleRow(GpufimEmitter *emitter, uint32 length)
{
	return emitter->triangle + (size_t) length * (length - 1) / 2;
}

static void
Charge(GpufimEmitter *emitter, size_t bytes)
{
	if (emitter->job != NULL)
		JobTakeMemory(emitter->job, bytes, emitter->foreseen, "the itemsets found");
	else
		LedgerMakeRoom(emitter->ledger, bytes, "the items of the itemsets found");
}

/* Resizes a block of the emitter's; block may be NULL if old_size is 0. */
static void *
Resize(GpufimEmitter *emitter, void *block, size_t old_size, size_t size)
{
	Charge(emitter, size - old_size);
	if (block == NULL)
		return MemoryContextAllocHuge(emitter->context, size);
	return repalloc_huge(block, size);
}

/* Zeroed bytes for an image; large ones have a block of their own. */
static char *
ImageBytes(GpufimEmitter *emitter, size_t size)
{
	char	   *bytes;

	if (size > emitter->block_left)
	{
		bool		large = size > emitter->block_size / 4;

		emitter->block_size = Min(2 * emitter->block_size, LARGEST_BLOCK);
		bytes = Resize(emitter, NULL, 0, large ? size : emitter->block_size);
		if (!large)
		{
			emitter->block = bytes + size;
			emitter->block_left = emitter->block_size - size;
		}
	}
	else
	{
		bytes = emitter->block;
		emitter->block += size;
		emitter->block_left -= size;
	}
	memset(bytes, 0, size);
	return bytes;
}

static void
MakeImage(GpufimEmitter *emitter, Image *image, Datum value)
{
	size_t		size;
	char	   *bytes;

	if (emitter->element_length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	size = att_addlength_datum(0, emitter->element_length, value);

	image->size = att_align_nominal(size, emitter->element_align);
	emitter->image_bytes += image->size;
	emitter->nimages++;
	image->bytes = bytes = ImageBytes(emitter, image->size);
	if (emitter->element_byval)
		store_att_byval(bytes, value, emitter->element_length);
	else
		memcpy(bytes, DatumGetPointer(value), size);
}

/*
 * Images of a list of items, as text unless the result's arrays are of the
 * items' own type.
 */
static void
MakeImages(GpufimEmitter *emitter, Oid type, bool as_text,
		   const GpufimItem *list, uint32 nlist)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpufim item output",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = CurrentMemoryContext;
	FmgrInfo	output;

	if (as_text)
	{
		Oid			function;
		bool		varlena;

		getTypeOutputInfo(type, &function, &varlena);
		fmgr_info(function, &output);
	}

	for (uint32 i = 0; i < nlist; i++)
	{
		Datum		value = list[i].value;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(scratch);
		if (as_text)
			value = CStringGetTextDatum(OutputFunctionCall(&output, value));
		MakeImage(emitter, &emitter->images[list[i].rank], value);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
}

/* Make room for results of this length. */
static void
GrowEmitter(GpufimEmitter *emitter, uint32 length)
{
	size_t		old_length = emitter->max_length;
	size_t		max_length = Max(length, 2 * old_length);

	/* an array of average items and its row, beside what follows */
	emitter->foreseen = max_length * (2 * (emitter->image_bytes / Max(emitter->nimages, 1)) +
									  2 * sizeof(PlacedRank) + sizeof(int64)) + FIRST_BLOCK;
	if (max_length > TRIANGLE_LENGTH)
	{
		size_t		old_size = emitter->placed ? old_length * sizeof(PlacedRank) : 0;
		size_t		size = max_length * sizeof(PlacedRank);

		emitter->placed = Resize(emitter, emitter->placed, old_size, size);
		emitter->added = Resize(emitter, emitter->added, old_size, size);
	}
	Charge(emitter, (max_length - old_length) * sizeof(int64));
	emitter->lengths = RunLengths(max_length + 1);
	emitter->max_length = max_length;
}

/* Make the array that is being built larger by more than it has room for. */
static char *
GrowArray(GpufimEmitter *emitter, char *at, size_t more)
{
	size_t		used = at - (char *) emitter->array;
	size_t		size = Max(2 * emitter->array_size, used + more);

	if (used + more > LARGEST_ARRAY)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size of an itemset exceeds the maximum allowed (%zu)",
						(size_t) LARGEST_ARRAY)));
	size = Min(size, LARGEST_ARRAY);

	/* the result's row is a copy */
	Charge(emitter, size - emitter->array_size);
	emitter->array = Resize(emitter, emitter->array, emitter->array_size, size);
	emitter->array_size = size;
	return (char *) emitter->array + used;
}

/* From the sorted result of one length to that of the next. */
static inline void
InsertRank(GpufimEmitter *emitter, uint32 length, uint32 rank)
{
	const uint32 *from = TriangleRow(emitter, length);
	uint32	   *to = TriangleRow(emitter, length + 1);
	uint32		i = length;

	for (; i > 0 && from[i - 1] > rank; i--)
		to[i] = from[i - 1];
	to[i] = rank;
	while (i-- > 0)
		to[i] = from[i];
}

/* The n items that are added to the first "keep" of a result, to make a long one. */
static void
MergeRanks(GpufimEmitter *emitter, uint32 keep, const uint32_t *items, uint32 n)
{
	PlacedRank *placed = emitter->placed;
	PlacedRank *added = emitter->added;
	uint32		kept = 0;

	if (keep <= TRIANGLE_LENGTH)
	{
		/* where they were added matters to nobody who shares more than these */
		for (; kept < keep; kept++)
			placed[kept] = PlaceRank(TriangleRow(emitter, keep)[kept], 0);
	}
	else
	{
		for (uint32 i = 0; i < emitter->nplaced; i++)
		{
			placed[kept] = placed[i];
			kept += PlaceOf(placed[i]) < keep;
		}
	}
	Assert(kept == keep);
	emitter->nplaced = keep + n;

	for (uint32 i = 0; i < n; i++)
		added[i] = PlaceRank(emitter->items[items[i]].rank, keep + i);
	if (n > 1)
		SortPlacedRanks(added, n);
	for (placed += keep + n; n > 0;)
	{
		if (kept > 0 && emitter->placed[kept - 1] > added[n - 1])
			*--placed = emitter->placed[--kept];
		else
			*--placed = added[--n];
	}
}

/* Appends an item to the array that is being built; returns where the next one goes. */
static inline char *
AppendImage(GpufimEmitter *emitter, char *at, uint32 rank)
{
	const Image *image = &emitter->images[rank];

	if (image->size > (char *) emitter->array + emitter->array_size - at)
		at = GrowArray(emitter, at, image->size);
	memcpy(at, image->bytes, image->size);
	return at + image->size;
}

static void
BuildArray(GpufimEmitter *emitter, uint32 length)
{
	char	   *at = (char *) emitter->array + ARR_OVERHEAD_NONULLS(1);

	if (length <= TRIANGLE_LENGTH)
	{
		const uint32 *ranks = TriangleRow(emitter, length);

		for (uint32 i = 0; i < length; i++)
			at = AppendImage(emitter, at, ranks[i]);
	}
	else
	{
		for (uint32 i = 0; i < length; i++)
		{
			if (i % INTERRUPT_ITEMS == 0)
				CHECK_FOR_INTERRUPTS();
			at = AppendImage(emitter, at, RankOf(emitter->placed[i]));
		}
	}
	ARR_DIMS(emitter->array)[0] = length;
	SET_VARSIZE(emitter->array, at - (char *) emitter->array);
}

static void
EmitItemset(GpufimEmitter *emitter, uint32 length, uint32 support)
{
	Datum		values[3];
	bool		nulls[3] = {false, false, false};

	BuildArray(emitter, length);
	values[0] = PointerGetDatum(emitter->array);
	values[1] = Int64GetDatum((int64) support);
	values[2] = Float8GetDatum(support / emitter->transactions);
	tuplestore_putvalues(emitter->store, emitter->desc, values, nulls);
	emitter->lengths[length]++;
}

/* Said once, when results pass the limit: where they come from. */
static void
WarnOfMany(const GpufimEmitter *emitter)
{
	uint32		level = 1;

	for (uint32 i = 2; i <= emitter->max_length; i++)
		if (emitter->lengths[i] > emitter->lengths[level])
			level = i;
	ereport(NOTICE,
			(errmsg("%s has found more than " INT64_FORMAT " itemsets so far",
					CurrentRun->function, MANY_RESULTS),
			 errdetail("Most of them, " INT64_FORMAT ", have %u items.",
					   emitter->lengths[level], level),
			 errhint("Raise \"minsup\", lower \"max_length\" or ask for \"closed\" or \"maximal\" "
					 "itemsets to get fewer; itemset_counts() tells how many there are.")));
}

static bool
EmitBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	GpufimEmitter *emitter = (GpufimEmitter *) sink;
	const uint32_t *end = words + nwords;
	int64		before = CurrentRun->results;
	uint32		length = 0;
	instr_time	start;
	instr_time	now;

	CHECK_FOR_INTERRUPTS();
	INSTR_TIME_SET_CURRENT(start);
	while (words < end)
	{
		uint32		added;

		length = emitter->nrequired + *words++;
		added = *words++;
		if (length + added > emitter->max_length)
			GrowEmitter(emitter, length + added);
		for (; added > 0 && length < TRIANGLE_LENGTH; added--)
			InsertRank(emitter, length++, emitter->items[*words++].rank);
		if (length + added > TRIANGLE_LENGTH)
			MergeRanks(emitter, length, words, added);
		length += added;
		words += added;
		EmitItemset(emitter, length, *words++);
	}

	CurrentRun->results = before + nresults;
	CurrentRun->level = length;
	if (before <= MANY_RESULTS && CurrentRun->results > MANY_RESULTS)
		WarnOfMany(emitter);
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	CurrentRun->emit_ms += INSTR_TIME_GET_MILLISEC(now);
	return true;
}

/* Another engine starts over: what has been written so far is void. */
static void
Restart(FimSink *sink)
{
	GpufimEmitter *emitter = (GpufimEmitter *) sink;

	tuplestore_clear(emitter->store);
	memset(emitter->lengths, 0, (emitter->max_length + 1) * sizeof(int64));
	CurrentRun->results = 0;
	CurrentRun->level = 0;
}

/* The required items, sorted already, are in every result. */
static void
PlaceRequired(GpufimEmitter *emitter, const GpufimItems *items)
{
	uint32		n = items->nrequired;

	for (uint32 i = 0; i < n; i++)
	{
		if (n <= TRIANGLE_LENGTH)
			TriangleRow(emitter, n)[i] = items->required[i].rank;
		else
			emitter->placed[i] = PlaceRank(items->required[i].rank, 0);
	}
	emitter->nplaced = n;
}

GpufimEmitter *
EmitterCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *items,
			  int64 transactions)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GpufimEmitter *emitter = palloc0(sizeof(GpufimEmitter));
	bool		as_text;

	emitter->sink.write = EmitBatch;
	emitter->sink.restart = Restart;
	emitter->context = CurrentMemoryContext;
	emitter->store = rsinfo->setResult;
	emitter->desc = rsinfo->setDesc;
	emitter->transactions = (double) transactions;
	emitter->items = items->items;
	emitter->nrequired = items->nrequired;

	emitter->element_type = get_element_type(TupleDescAttr(emitter->desc, 0)->atttypid);
	get_typlenbyvalalign(emitter->element_type, &emitter->element_length,
						 &emitter->element_byval, &emitter->element_align);
	as_text = emitter->element_type == TEXTOID && items->type != TEXTOID;

	emitter->ledger = ledger;
	emitter->block_size = FIRST_BLOCK;
	emitter->images = Resize(emitter, NULL, 0,
							 ((size_t) items->nitems + items->nrequired + 1) * sizeof(Image));
	MakeImages(emitter, items->type, as_text, items->items, items->nitems);
	MakeImages(emitter, items->type, as_text, items->required, items->nrequired);

	emitter->array_size = FIRST_BLOCK;
	emitter->array = MemoryContextAllocZero(emitter->context, FIRST_BLOCK);
	emitter->array->ndim = 1;
	emitter->array->dataoffset = 0;
	emitter->array->elemtype = emitter->element_type;
	ARR_LBOUND(emitter->array)[0] = 1;
	GrowEmitter(emitter, items->nrequired + 16);
	PlaceRequired(emitter, items);
	return emitter;
}

FimSink *
EmitterSink(GpufimEmitter *emitter)
{
	return &emitter->sink;
}

void
EmitterUseJob(GpufimEmitter *emitter, struct Job *job)
{
	emitter->ledger = NULL;
	emitter->job = job;
}

void
EmitCounts(FunctionCallInfo fcinfo, const FimTally *tally)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int64	   *lengths = RunLengths(tally->lengths);

	CurrentRun->results = 0;
	for (uint32 length = 0; length < tally->lengths; length++)
	{
		const FimCount *count = &tally->counts[length];
		Datum		values[2];
		bool		nulls[2] = {false, false};

		if (count->high == 0 && count->low == 0)
			continue;
		if (count->high > 0 || count->low > PG_INT64_MAX)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("number of itemsets with %u items is out of range for type bigint",
							length),
					 errhint("Raise \"minsup\" or lower \"max_length\".")));
		lengths[length] = count->low;
		if (pg_add_s64_overflow(CurrentRun->results, count->low, &CurrentRun->results))
			CurrentRun->results = PG_INT64_MAX;

		values[0] = Int32GetDatum(length);
		values[1] = Int64GetDatum((int64) count->low);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}
