/*-------------------------------------------------------------------------
 *
 * pair_rows.c
 *	  Turning pairs of values into rows of the SQL function's result.
 *
 * There may be hundreds of times more pairs than values.  So each value is made ready once,
 * as the very bytes that stand for it in a row, and a row is put together from two of
 * them in the place of the one before, without a look at its columns' types.  Short values
 * are copied with what lies behind them, in one or two moves of a size that is known.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "compat.h"
#include "executor/tuptable.h"
#include "figures.h"
#include "images.h"
#include "miscadmin.h"
#include "sets/pair_rows.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

/* Between two looks at interrupts. */
#define INTERRUPT_PAIRS		4096

/* What messages call the memory that is charged here. */
#define VALUES_OF_PAIRS		"the values of pairs"

/* A value is on its way into the cache while so many pairs before it are put out. */
#define PAIRS_AHEAD			8

/* Columns of numbers behind the values, at most; the first one may be NULL. */
#define NUMBER_COLUMNS		2
#define FIRST_NUMBER		2

/* Values up to this size lie in their images, which are half a cache line then. */
#define INSIDE_BYTES		24

/* A value as it stands in a row. */
typedef struct Image
{
	union
	{
		char		inside[INSIDE_BYTES];
		const char *bytes;		/* of one that is larger */
	}			at;
	uint32		size;
	uint32		alignment;		/* in bytes */
} Image;

typedef struct PairRows
{
	FimSink		sink;			/* must be first */
	Tuplestorestate *store;
	const FimSetsJob *job;
	int			ncolumns;
	const Image *left;			/* by number */
	const Image *right;
	bool		one;			/* one relation is both sides */
	double		transactions;

	/* the row that is put out, written over by the next one */
	TupleTableSlot *slot;
	MinimalTuple row;
	char	   *data;			/* where its first value begins */
	Size		least_bytes;	/* that a row takes in a file */
} PairRows;

/* The sizes of values. */
typedef struct Sizes
{
	uint32		least;
	uint32		most;
} Sizes;

static uint32
AlignmentOf(char align)
{
	switch (align)
	{
		case TYPALIGN_DOUBLE:
			return ALIGNOF_DOUBLE;
		case TYPALIGN_INT:
			return ALIGNOF_INT;
		case TYPALIGN_SHORT:
			return ALIGNOF_SHORT;
		default:
			return 1;
	}
}

/* Where the bytes of a value of this size go. */
static char *
AllocateImage(ImageMaker *maker, Image *image, uint32 size)
{
	char	   *bytes;

	image->size = size;
	if (size <= INSIDE_BYTES)
		return image->at.inside;
	bytes = ImageBytes(maker, size);
	image->at.bytes = bytes;
	return bytes;
}

/* The value, which is not compressed or stored elsewhere, has the short header that rows give it. */
static void
MakeShort(ImageMaker *maker, Image *image, const char *value)
{
	uint32		size = VARATT_CONVERTED_SHORT_SIZE(value);
	char	   *bytes = AllocateImage(maker, image, size);

	SET_VARSIZE_SHORT(bytes, size);
	memcpy(bytes + VARHDRSZ_SHORT, VARDATA(value), size - VARHDRSZ_SHORT);
	image->alignment = 1;
}

static void
MakeImage(ImageMaker *maker, Form_pg_attribute column, Datum value, Image *image)
{
	uint32		size = column->attlen;

	memset(image, 0, sizeof(Image));
	image->alignment = AlignmentOf(column->attalign);
	if (column->attbyval)
	{
		store_att_byval(AllocateImage(maker, image, size), value, column->attlen);
		return;
	}
	if (column->attlen == -1)
	{
		const char *bytes = DatumGetPointer(value);

		if (column->attstorage != TYPSTORAGE_PLAIN && VARATT_CAN_MAKE_SHORT(bytes))
		{
			MakeShort(maker, image, bytes);
			return;
		}
		size = VARSIZE_ANY(bytes);
		if (VARATT_IS_SHORT(bytes))
			image->alignment = 1;
	}
	memcpy(AllocateImage(maker, image, size), DatumGetPointer(value), size);
}

/* A value as the result's column has it, in the ledger's scratch context. */
static Datum
ResultValue(ImageMaker *maker, const KeptValues *kept, uint32 i)
{
	if (kept->items == NULL)
		/* rows are counted from 1 */
		return CStringGetTextDatum(psprintf("%u", i + 1));
	return ImageValue(maker, kept->items->items[i].value);
}

/* The values as the result's column has them, by number. */
static Image *
MakeImages(MemoryLedger *ledger, const KeptValues *kept, Form_pg_attribute column, Sizes *sizes)
{
	Size		size = ((Size) kept->n + 1) * sizeof(Image);
	ImageMaker	maker;
	Image	   *images;

	ImageMakerInit(&maker, ledger, kept->items ? kept->items->type : column->atttypid,
				   column->atttypid, VALUES_OF_PAIRS);
	LedgerMakeRoom(ledger, size, VALUES_OF_PAIRS);
	images = MemoryContextAllocHuge(CurrentMemoryContext, size);
	for (uint32 i = 0; i < kept->n; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(ledger->scratch);
		Datum		value = ResultValue(&maker, kept, i);

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(caller);
		MakeImage(&maker, column, value, &images[i]);
		sizes->least = Min(sizes->least, images[i].size);
		sizes->most = Max(sizes->most, images[i].size);
		if (!ledger->scratch->isReset)
			MemoryContextReset(ledger->scratch);
	}
	return images;
}

/*
 * Where something of this alignment goes behind what is there.  The gap is zeroed, as it is
 * in all rows.
 */
static inline char *
AlignBehind(char *at, uint32 alignment)
{
	memset(at, 0, MAXIMUM_ALIGNOF);
	return (char *) TYPEALIGN(alignment, at);
}

static inline char *
AppendImage(char *at, const Image *image)
{
	at = AlignBehind(at, image->alignment);
	if (image->size <= INSIDE_BYTES)
		memcpy(at, image->at.inside, INSIDE_BYTES);
	else
		memcpy(at, image->at.bytes, image->size);
	return at + image->size;
}

static inline char *
AppendNumber(char *at, const void *number)
{
	at = AlignBehind(at, ALIGNOF_DOUBLE);
	memcpy(at, number, sizeof(int64));
	return at + sizeof(int64);
}

/* What a record says of a pair beside its values. */
typedef struct Pair
{
	int64		witnesses;
	double		part;			/* a frequency or a similarity */
} Pair;

static void
PutPair(const PairRows *rows, const Image *left, const Image *right, const Pair *pair)
{
	char	   *at = AppendImage(AppendImage(rows->data, left), right);

	if (rows->ncolumns > FIRST_NUMBER && rows->job->witnesses)
		at = AppendNumber(at, &pair->witnesses);
	if (rows->ncolumns > FIRST_NUMBER + 1)
		at = AppendNumber(at, &pair->part);
	rows->row->t_len = at - (char *) rows->row;
	tuplestore_puttupleslot(rows->store, rows->slot);
}

/* A pair of one relation, which the engine gives once and in no order. */
static void
PutOwnPair(const PairRows *rows, uint32 value, uint32 other, const Pair *pair)
{
	const FimSetsJob *job = rows->job;

	if (job->result == FIM_SETS_PRODUCT)
	{
		PutPair(rows, &rows->left[value], &rows->left[other], pair);
		if (value != other)
			PutPair(rows, &rows->left[other], &rows->left[value], pair);
		return;
	}
	if (value > other && !(job->result == FIM_SETS_SIMILAR && job->measure == FIM_CONTAINMENT))
	{
		uint32		first = other;

		other = value;
		value = first;
	}
	PutPair(rows, &rows->left[value], &rows->left[other], pair);
}

/* Puts the pairs of a record out, and returns where the next one begins. */
static const uint32_t *
PutRecord(const PairRows *rows, const uint32_t *words)
{
	const FimSetsJob *job = rows->job;
	uint32		value = words[0];
	uint32		n = words[1];
	const uint32_t *others = words + 2;
	const Image *images = rows->one ? rows->left : rows->right;
	const uint32_t *witnesses = others + n;
	const uint32_t *similarities = witnesses + (job->witnesses ? n : 0);

	for (uint32 i = 0; i < n; i++)
	{
		Pair		pair = {0, 0};

		if (i % INTERRUPT_PAIRS == INTERRUPT_PAIRS - 1)
			CHECK_FOR_INTERRUPTS();
		if (i + PAIRS_AHEAD < n)
			__builtin_prefetch(&images[others[i + PAIRS_AHEAD]]);
		if (job->witnesses)
			pair.witnesses = witnesses[i];
		if (job->result == FIM_SETS_SIMILAR)
			memcpy(&pair.part, similarities + 2 * (Size) i, sizeof(double));
		else
			pair.part = pair.witnesses / rows->transactions;
		if (rows->one)
			PutOwnPair(rows, value, others[i], &pair);
		else
			PutPair(rows, &rows->left[value], &images[others[i]], &pair);
	}
	return words + FimSetsRecordWords(job, n);
}

static bool
PutBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	PairRows   *rows = (PairRows *) sink;
	const uint32_t *end = words + nwords;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	while (words < end)
	{
		CHECK_FOR_INTERRUPTS();
		words = PutRecord(rows, words);
	}
	CurrentRun->results += nresults;
	CurrentRun->emit_ms += MillisecondsSince(start);
	return true;
}

/* Another engine starts over: what has been written so far is void. */
static void
Restart(FimSink *sink)
{
	tuplestore_clear(((PairRows *) sink)->store);
	CurrentRun->results = 0;
}

/*
 * The row in which values are written, up to so many bytes of each, with its header.  There is
 * room for what is copied with the last one.
 */
static void
MakeRow(PairRows *rows, TupleDesc desc, const Sizes *sizes)
{
	bool		null = rows->ncolumns > FIRST_NUMBER && !rows->job->witnesses;
	Size		head = MAXALIGN(SizeofHeapTupleHeader + (null ? BITMAPLEN(rows->ncolumns) : 0));
	MinimalTuple row = MemoryContextAllocExtended(CurrentMemoryContext,
												  head + 2 * ((Size) sizes->most + MAXIMUM_ALIGNOF) +
												  NUMBER_COLUMNS * 2 * sizeof(int64) + INSIDE_BYTES,
												  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	HeapTupleHeaderSetNatts(row, rows->ncolumns);
	for (int i = 0; i < FIRST_NUMBER; i++)
	{
		if (TupleDescAttr(desc, i)->attlen == -1)
			row->t_infomask |= HEAP_HASVARWIDTH;
	}
	if (null)
	{
		row->t_infomask |= HEAP_HASNULL;
		row->t_bits[0] = (1 << FIRST_NUMBER) - 1;
	}
	row->t_hoff = head;
	row->t_len = head - MINIMAL_TUPLE_OFFSET;
	rows->row = row;
	rows->data = (char *) row + row->t_len;
	/* a tuplestore writes the length, and not what is empty at the beginning */
	rows->least_bytes = sizeof(int) + row->t_len - MINIMAL_TUPLE_DATA_OFFSET + 2 * (Size) sizes->least +
		(null ? 0 : (rows->ncolumns - FIRST_NUMBER) * sizeof(int64));
	rows->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	ExecStoreMinimalTuple(row, rows->slot, false);
}

FimSink *
PairRowsCreate(FunctionCallInfo fcinfo, const FimSetsJob *job, MemoryLedger *ledger,
			   const KeptValues *left, const KeptValues *right, uint64 transactions)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	desc = rsinfo->setDesc;
	PairRows   *rows = palloc0(sizeof(PairRows));
	Sizes		sizes = {UINT32_MAX, 0};

	rows->sink.write = PutBatch;
	rows->sink.restart = Restart;
	rows->store = rsinfo->setResult;
	rows->job = job;
	rows->ncolumns = desc->natts;
	rows->one = right == NULL;
	rows->transactions = (double) transactions;
	rows->left = MakeImages(ledger, left, TupleDescAttr(desc, 0), &sizes);
	if (right != NULL)
		rows->right = MakeImages(ledger, right, TupleDescAttr(desc, 1), &sizes);
	sizes.least = Min(sizes.least, sizes.most);
	LedgerMakeRoom(ledger, 2 * (Size) sizes.most, VALUES_OF_PAIRS);
	MakeRow(rows, desc, &sizes);
	return &rows->sink;
}

/*
 * Bytes in files, at least.  There are none if a tuplestore can keep all rows in the memory that
 * work_mem allows it, where a row takes a pointer and its length more.
 */
static double
LeastFileBytes(const PairRows *rows, double pairs)
{
	if (pairs * (rows->least_bytes + 2 * sizeof(void *)) <= work_mem * 1024.0)
		return 0;
	return pairs * rows->least_bytes;
}

bool
PairRowsMayFillFiles(const FimSink *sink, double most_pairs)
{
	return temp_file_limit >= 0 &&
		LeastFileBytes((const PairRows *) sink, most_pairs) > temp_file_limit * 1024.0;
}

void
PairRowsCheckFiles(const FimSink *sink, uint64 pairs)
{
	double		bytes = LeastFileBytes((const PairRows *) sink, (double) pairs);

	if (temp_file_limit >= 0 && bytes > temp_file_limit * 1024.0)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("the result would exceed \"temp_file_limit\" (%dkB)", temp_file_limit),
				 errdetail("It has %llu rows, which take at least %.0f kB.", (unsigned long long) pairs,
						   ceil(bytes / 1024)),
				 errhint("Ask for pairs with more in common, or only for their number.")));
}
