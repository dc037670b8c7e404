/*-------------------------------------------------------------------------
 *
 * read.h
 *	  Reading a source into encoded rows: opening it, what may be in its columns, what messages say of
 *	  its rows, and taking them as they arrive.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_READ_H
#define GPUFIM_READ_H

#include "postgres.h"

#include "compat.h"
#include "engine/engine.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "read/rows.h"
#include "tcop/dest.h"
#include "utils/array.h"
#include "utils/memutils.h"

/*
 * source.c: What a source argument names, ready to be read.
 *
 * A source is the name of a relation or a query in parentheses.  Whoever opens one
 * says for each of its columns in which role it is wanted, so that types can be
 * checked and messages can say what a column is for.
 */

/*
 * The relation that a source names, and its number of rows as far as PostgreSQL knows.  Raises no error: InvalidOid for a
 * query, if there is no such relation, or if the user may not read all of its rows, and so must not learn from its
 * statistics what occurs in them.
 */
extern Oid	SourceTable(const char *source, double *rows);

typedef enum ColumnRole
{
	ROLE_KEY,					/* what rows of two sources may have in common */
	ROLE_TRANSACTION,			/* the id of the transaction that a row belongs to */
	ROLE_ITEM,					/* an item */
	ROLE_ITEMS,					/* an array of items, which are a transaction */
	ROLE_VALUE,					/* a number that goes with the row's item */
	ROLE_TIME,					/* when the row's item occurred; the family says which
								 * types can be times */
	ROLE_PROBABILITY			/* of the row; or, beside an array of items, an array of
								 * as many probabilities, one for each item */
} ColumnRole;

typedef struct SourceColumn
{
	ColumnRole	role;
	const char *name;
	const char *argument;		/* SQL name of the argument that names it */
	Oid			type_sample;		/* the type in which results shall have the values, or
								 * InvalidOid if they are given as text */
	bool		sample_is_value;	/* the sample is of the type of values, not of arrays of
									 * them */

	/*
	 * For messages: what a value is called, in the singular and in the plural, and the
	 * SQL name of the type sample's argument.  If value is NULL, these are set for items.
	 */
	const char *value;
	const char *values;
	const char *sample_argument;

	/*
	 * Set by SourceOpen().  Of a column of arrays, type, typmod and collation are those
	 * of the elements.
	 */
	bool		is_array;		/* always true of an array of items */
	Oid			type;			/* domains resolved */
	Oid			converted;		/* the type that SourceConvert() was given, or InvalidOid */
	int32		typmod;
	Oid			collation;
} SourceColumn;

#define SOURCE_MAX_COLUMNS	4

typedef struct GpufimSource
{
	SPIPlanPtr	plan;			/* selects the columns, in their order */
	const char *given;			/* the source argument, for messages */
	char	   *from;			/* the plan's FROM item */
	int			ncolumns;
	SourceColumn columns[SOURCE_MAX_COLUMNS];
} GpufimSource;

/*
 * Sources must be opened and read between these two calls.  Between them, the current
 * memory context is one that SourceDisconnect() deletes.
 */
extern void SourceConnect(void);
extern void SourceDisconnect(void);

/*
 * Open a source.  Raises an error if the relation or query does not exist, if its
 * columns do not or if their types do not fit their roles.  After that, only executing
 * the source can raise errors about it.  Must be called between SourceConnect() and
 * SourceDisconnect(); the result outlives these, but its plan does not.
 */
extern GpufimSource *SourceOpen(const char *source, const SourceColumn *columns,
								int ncolumns);

/* The same for a source that is given by an argument of another SQL name than "source". */
extern GpufimSource *SourceOpenAs(const char *source, const char *argument,
								  const SourceColumn *columns, int ncolumns);

/*
 * To be called before a source is read.  SourceConvert() has the values of a column converted
 * to another type, to which PostgreSQL can cast them.  SourceReadInOrder() rules out a
 * parallel plan, so that rows come in the order in which the query gives them.
 */
extern void SourceConvert(GpufimSource *source, int column, Oid type);
extern void SourceReadInOrder(GpufimSource *source);

/*
 * Open all relations that the source's plan refers to, until SourceRelease().  If two sources are
 * read one after the other, they are held while either is read.  Otherwise a function in one
 * query could change or drop what the other one is going to read; as in a join, that is now the
 * function's error.  Returns the relations, to which "held" is added.
 */
extern List *SourceHold(const GpufimSource *source, List *held);
extern void SourceRelease(List *held);

/*
 * The query, as a literal that can be given as the source, that reads the same columns of the source
 * with a row for each element of the lists in one of them.  The expression that gives the elements
 * is the column's name between "before" and "after".  For messages, before SourceDisconnect().
 */
extern char *SourceElementsQuery(const GpufimSource *source, const SourceColumn *column,
								 const char *before, const char *after);

/* The formats in which the numbers of a column may be read. */
typedef enum NumberFormat
{
	NUMBER_FLOAT8,
	NUMBER_FLOAT4,				/* in arrays only */
	NUMBER_NUMERIC
} NumberFormat;

/*
 * The format of a column's numbers.  The query casts numbers of any type to float8, except
 * probabilities of two common types: reading those as they are takes less time than the cast.
 */
extern NumberFormat SourceNumberFormat(const SourceColumn *column);

/*
 * Set up a column to be opened, without a type sample.  Returns where the next one goes.
 */
extern SourceColumn *SourceColumnSet(SourceColumn *column, ColumnRole role, const char *name,
									 const char *argument);

/* The column of a role, or NULL if the source has been opened without one. */
extern const SourceColumn *SourceColumnOf(const GpufimSource *source, ColumnRole role);

/* The column of the items, in the pair form or in the array form. */
extern const SourceColumn *SourceItemColumn(const GpufimSource *source);

/*
 * messages.c: What messages say of the row that is being read, and of columns that may hold lists.
 */

/*
 * The text of a value, and that of a column of the row in a slot, which is cut if it is
 * long.  Both are palloc'd.
 */
extern char *ValueText(Oid type, Datum value);
extern char *ColumnText(TupleTableSlot *slot, int column);

/* Append a text, which is cut if it is long. */
extern void AppendClipped(StringInfo text, const char *value);

/*
 * An errdetail(): "Row 7 of the source is (3, b, 1.5)."  It shows the columns that are
 * read.
 */
extern int	RowDetail(const GpufimRows *rows, TupleTableSlot *slot);

/*
 * Raises a notice if a column's values, each of which is read as one item, may be lists of them:
 * arrays, or arrays in jsonb.  Text with commas may also be a single item, and is only taken for a
 * list if no transaction has more than one item.  "value" is what messages call an item.  To be
 * called after reading and before SourceDisconnect().
 */
extern void NoteLists(const GpufimSource *source, const SourceColumn *column,
					  const Dictionary *values, const char *value, bool single);

/*
 * probabilities.c: What a source may give as probabilities, the errors about anything else, and
 * reading those of type numeric.
 */

/* False for NaN, too. */
static inline bool
IsProbability(float8 value)
{
	return value >= 0 && value <= 1;
}

/* Raises an error: a value of the row that is being read, in "slot", is no probability. */
pg_noreturn extern void RaiseNotProbability(const GpufimRows *rows, TupleTableSlot *slot,
											float8 value);

/* Raises an error: the row that is being read has not as many probabilities as items. */
pg_noreturn extern void RaiseNotAsMany(const GpufimRows *rows, int nitems, int nprobabilities);

/*
 * Raises an error: an item is in one transaction with two probabilities.  The slot has the
 * row to show, or is NULL if the item may have come in another row than the one that is
 * being read.
 */
pg_noreturn extern void RaiseTwoProbabilities(const GpufimRows *rows, TupleTableSlot *slot,
											  uint32 item, float8 one, float8 other);

/*
 * Converts a probability of the row that is being read to float8, with the result of a cast, or
 * with its error.  The value may be toasted or have a short header.  The cast goes through text.
 * That is avoided here for 0 and for positive numbers of up to 15 significant digits, unless they
 * are tiny or multiples of 10000.  For all others the cast is called, and leaves its garbage in
 * the ledger's scratch context.
 */
extern float8 NumericToFloat8(Datum value, const GpufimRows *rows);

/*
 * ingest.c: Reading the rows of a source and encoding them as they arrive.
 */

/*
 * What takes a source's rows as they arrive, and what all ways of reading share.
 */

/* The figures of the call are updated after every REPORT_ROWS rows. */
#define REPORT_ROWS				1024

/* Number of pairs that are looked up together. */
#define WAITING_PAIRS			64

typedef struct WaitingPair
{
	int64		tid;
	int64		item_value;		/* the item, if it is an integer not looked up yet */
	float8		value;			/* what goes with the item, if values are read */
	uint32		item;			/* WAITING_ITEM if item_value is to be looked up, otherwise
								 * the item's id, or DICTIONARY_NONE for NULL */
} WaitingPair;

/* Where a short array is copied to, so that it is aligned. */
typedef union AlignedArrayBuffer
{
	int64		force_alignment;
	char		bytes[VARATT_SHORT_MAX + VARHDRSZ];
} AlignedArrayBuffer;

typedef struct IngestReceiver
{
	DestReceiver pub;
	GpufimRows *rows;
	Dictionary *tids;			/* NULL unless rows are grouped by a column */
	NumberFormat number_format; /* of probabilities */

	/* array form: for AlignedArray(), of the items and of their probabilities */
	AlignedArrayBuffer aligned[2];

	/*
	 * Pair form with integers as transaction ids: pairs wait here for a moment, while
	 * what the dictionaries need to look them up is fetched into the cache.
	 */
	WaitingPair waiting[WAITING_PAIRS];
	uint32		nwaiting;

	/*
	 * Pair form: the transaction that is arriving (DICTIONARY_NONE: none yet), and its
	 * ncurrent entries, with each item once.
	 */
	uint32		tid;
	uint32	   *current;
	uint32		ncurrent;
	uint32		max_current;	/* in words */
} IngestReceiver;

/* Let the figures of the call show how much has been read. */
extern void ReportRows(const IngestReceiver *receiver);

static inline void
CountRow(IngestReceiver *receiver)
{
	if (++receiver->rows->rows_read % REPORT_ROWS == 0)
		ReportRows(receiver);
}

/* Frees what handling a row has left in memory, which for many types is nothing. */
static inline void
ForgetRow(GpufimRows *rows)
{
	if (!rows->ledger->scratch->isReset)
		MemoryContextReset(rows->ledger->scratch);
}

static inline uint32
LookupItem(Dictionary *items, Datum value)
{
	if (items->kind == DICTIONARY_INTEGER)
		return DictionaryInteger(items, DatumInteger(items, value));
	return DictionaryLookup(items, value, true);
}

/*
 * Reading the array form: a row is a transaction.
 */

/* Detoasts an array into the ledger's scratch context. */
extern ArrayType *DetoastedArray(IngestReceiver *receiver, Datum value);

/*
 * Returns a Datum's array, detoasted and aligned.  A short array, which a table holds with a
 * header of one byte, is copied to the buffer, so that nothing has to be allocated for it.
 */
static inline ArrayType *
AlignedArray(IngestReceiver *receiver, AlignedArrayBuffer *buffer, Datum value)
{
	const struct varlena *pointer = (const struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_SHORT(pointer) && !VARATT_IS_EXTERNAL(pointer))
	{
		Size		length = VARSIZE_SHORT(pointer) - VARHDRSZ_SHORT;

		SET_VARSIZE(buffer->bytes, length + VARHDRSZ);
		memcpy(buffer->bytes + VARHDRSZ, VARDATA_SHORT(pointer), length);
		return (ArrayType *) buffer->bytes;
	}
	if (!VARATT_IS_EXTENDED(pointer))
		return (ArrayType *) DatumGetPointer(value);
	return DetoastedArray(receiver, value);
}

static inline uint32
CountElements(const ArrayType *array)
{
	return ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] :
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/*
 * Looks all elements of an array up in the dictionary, adding those that are new, and sets
 * ids[0 .. nelements-1] to their ids.  The id of a NULL is DICTIONARY_NONE.
 */
extern void FindArray(Dictionary *items, ArrayType *array, uint32 nelements, uint32 *ids);

/*
 * Execute the source's plan and encode its rows.  Items are numbered in a dictionary that
 * belongs to the rows.  If the layout is grouped, transactions are numbered, too, in a
 * dictionary that is freed when all rows have been read.
 *
 * A row is skipped if its array, transaction id, value or probability is NULL.  A NULL item
 * is left out, and so is an item whose probability in an array is NULL.
 *
 * Records of these forms can be read:
 *
 *		the items of an array or of a transaction, each once
 *		the same, with a probability behind each item
 *		the items of an array, each once, with a probability before them
 *		the item of a row, with its value
 *
 * An item whose probability is 0 does not count, though it may have an entry.  A row whose
 * one probability for all its items is 0 has no record.
 */
extern GpufimRows *IngestSource(GpufimSource *source, const RowLayout *layout,
								MemoryLedger *ledger);

/*
 * Execute the source's plan and call receive() for each of its rows.  The caller has set
 * the receiver up except for its DestReceiver, which is done here.
 */
typedef bool (*ReceiveFunction) (TupleTableSlot *slot, DestReceiver *self);

extern void IngestInto(GpufimSource *source, IngestReceiver *receiver, ReceiveFunction receive);

#endif							/* GPUFIM_READ_H */
