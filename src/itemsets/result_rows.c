/*-------------------------------------------------------------------------
 *
 * result_rows.c
 *	  Turning results into rows.
 *
 * Results are often what most of a call's time goes to, so a row costs one walk
 * over its items.  Every item's array element is made once, as the very bytes
 * that stand for it in an array, padding included; a result's array is a header
 * and copies of such images.  Items are known by their rank in the sort order of
 * their type, prefix items included, so sorting a result is sorting integers.
 *
 * Consecutive results share items.  The emitter keeps, for every length of the
 * shared part, the sorted ranks of the result so far, one triangle row each: row
 * n starts at n * (n - 1) / 2 and is made from row n - 1 by inserting one rank.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "compat.h"
#include "gpufim.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Past so many results, tell the user that it may not be what was meant. */
#define MANY_RESULTS	INT64CONST(10000000)

/* An array element as it stands in the array, aligned and padded. */
typedef struct Image
{
	size_t		at;				/* in the emitter's pool */
	uint32		size;
} Image;

struct GpufimEmitter
{
	FimSink		sink;			/* must be first */
	MemoryContext context;
	Tuplestorestate *store;
	TupleDesc	desc;
	double		transactions;

	const GpufimItem *items;	/* for their ranks */
	uint32		nprefix;
	Oid			element_type;
	int16		element_length;
	bool		element_byval;
	char		element_align;
	Image	   *images;			/* by rank */
	uint32		largest_image;
	char	   *pool;			/* the images' bytes */
	size_t		pool_used;
	size_t		pool_size;

	uint32		max_length;		/* lengths that there is room for below */
	uint32	   *triangle;		/* sorted ranks by length, see above */
	ArrayType  *array;			/* the result being built */
	size_t		array_size;
	int64	   *lengths;		/* results by length, RunLengths() */
};

static inline uint32 *
TriangleRow(const GpufimEmitter *emitter, uint32 length)
{
	return emitter->triangle + (size_t) length * (length - 1) / 2;
}

/* Bytes at the end of the pool, zeroed. */
static char *
ExtendPool(GpufimEmitter *emitter, size_t size)
{
	char	   *bytes;

	if (emitter->pool_used + size > emitter->pool_size)
	{
		emitter->pool_size = 2 * emitter->pool_size + size;
		emitter->pool = repalloc_huge(emitter->pool, emitter->pool_size);
	}
	bytes = emitter->pool + emitter->pool_used;
	memset(bytes, 0, size);
	emitter->pool_used += size;
	return bytes;
}

static void
MakeImage(GpufimEmitter *emitter, Image *image, Datum value)
{
	size_t		size;

	if (emitter->element_length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	size = att_addlength_datum(0, emitter->element_length, value);

	image->at = emitter->pool_used;
	image->size = att_align_nominal(size, emitter->element_align);
	ExtendPool(emitter, image->size);
	if (emitter->element_byval)
		store_att_byval(emitter->pool + image->at, value, emitter->element_length);
	else
		memcpy(emitter->pool + image->at, DatumGetPointer(value), size);
	emitter->largest_image = Max(emitter->largest_image, image->size);
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
	size_t		max_length = Max(length, 2 * emitter->max_length);
	size_t		triangle = max_length * (max_length + 1) / 2 * sizeof(uint32);

	/* No array datum is larger than MaxAllocSize; BuildArray() checks. */
	emitter->array_size = ARR_OVERHEAD_NONULLS(1) + max_length * emitter->largest_image;
	emitter->array_size = Min(emitter->array_size, MaxAllocSize);
	if (emitter->max_length == 0)
	{
		emitter->triangle = MemoryContextAllocHuge(emitter->context, triangle);
		emitter->array = MemoryContextAllocZero(emitter->context, emitter->array_size);
	}
	else
	{
		emitter->triangle = repalloc_huge(emitter->triangle, triangle);
		emitter->array = repalloc(emitter->array, emitter->array_size);
	}
	emitter->max_length = max_length;
	emitter->lengths = RunLengths(max_length + 1);

	emitter->array->ndim = 1;
	emitter->array->dataoffset = 0;
	emitter->array->elemtype = emitter->element_type;
	ARR_LBOUND(emitter->array)[0] = 1;
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

static void
BuildArray(GpufimEmitter *emitter, uint32 length)
{
	const uint32 *ranks = TriangleRow(emitter, length);
	char	   *start = (char *) emitter->array;
	char	   *end = start + emitter->array_size;
	char	   *at = start + ARR_OVERHEAD_NONULLS(1);

	for (uint32 i = 0; i < length; i++)
	{
		const Image *image = &emitter->images[ranks[i]];

		if (image->size > end - at)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("array size of an itemset exceeds the maximum allowed (%zu)",
							(size_t) MaxAllocSize)));
		memcpy(at, emitter->pool + image->at, image->size);
		at += image->size;
	}
	ARR_DIMS(emitter->array)[0] = length;
	SET_VARSIZE(emitter->array, at - start);
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

		length = emitter->nprefix + *words++;
		added = *words++;
		if (length + added > emitter->max_length)
			GrowEmitter(emitter, length + added);
		while (added-- > 0)
			InsertRank(emitter, length++, emitter->items[*words++].rank);
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

GpufimEmitter *
EmitterCreate(FunctionCallInfo fcinfo, const GpufimItems *items, int64 transactions)
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
	emitter->nprefix = items->nprefix;

	emitter->element_type = get_element_type(TupleDescAttr(emitter->desc, 0)->atttypid);
	get_typlenbyvalalign(emitter->element_type, &emitter->element_length,
						 &emitter->element_byval, &emitter->element_align);
	as_text = emitter->element_type == TEXTOID && items->type != TEXTOID;

	emitter->images = MemoryContextAllocHuge(emitter->context,
											 ((size_t) items->nitems + items->nprefix + 1) *
											 sizeof(Image));
	emitter->pool_size = 1024;
	emitter->pool = palloc(emitter->pool_size);
	MakeImages(emitter, items->type, as_text, items->items, items->nitems);
	MakeImages(emitter, items->type, as_text, items->prefix, items->nprefix);

	GrowEmitter(emitter, items->nprefix + 16);
	for (uint32 i = 0; i < items->nprefix; i++)
		InsertRank(emitter, i, items->prefix[i].rank);
	return emitter;
}

FimSink *
EmitterSink(GpufimEmitter *emitter)
{
	return &emitter->sink;
}

/* One row for every length that there are itemsets of. */
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
