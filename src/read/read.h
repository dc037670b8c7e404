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
#include "storage/shm_toc.h"
#include "storage/spin.h"
#include "utils/array.h"
#include "utils/memutils.h"

/*
 * source_text.c: From a source argument to the FROM item of a query.
 */

/* Where the columns come from, as SQL text and in words; palloc'd. */
typedef struct SourceText
{
	const char *argument;		/* its SQL name, for messages */
	const char *given;			/* its text, without blanks around it and without a
								 * query's semicolons */
	char	   *from;			/* FROM item */
	char	   *words;			/* "relation \"x\"", for messages */
	bool		has_system_columns;
} SourceText;

/* Is a source written as a query: does it begin, after blanks and comments, with a parenthesis? */
extern bool SourceIsQuery(const char *source);

/*
 * The text of a source, which was given in the argument of this SQL name.  Raises an error if
 * it is neither the name of a relation that can be read nor one query in parentheses.  A
 * relation stays locked until the transaction ends, as those of any query do.
 */
extern SourceText SourceTextOf(const char *source, const char *argument);

/*
 * The relation that a source names, and its number of rows as far as PostgreSQL knows.  Raises no error: InvalidOid for a
 * query, if there is no such relation, or if the user may not read all of its rows, and so must not learn from its
 * statistics what occurs in them.
 */
extern Oid	SourceTable(const char *source, double *rows);

/*
 * source.c: What a source argument names, ready to be read.
 *
 * A source is the name of a relation or a query in parentheses.  Whoever opens one
 * says for each of its columns in which role it is wanted, so that types can be
 * checked and messages can say what a column is for.
 */

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
	const char *argument;		/* SQL name of the argument that names it; NULL: it is found by its own name */
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
	bool		may_be_sets;	/* of an array of items: each row may have a transaction_set in place of the array */

	/*
	 * Set by SourceOpen().  Of a column of arrays, type, typmod and collation are those
	 * of the elements.
	 */
	bool		is_array;		/* always true of an array of items */
	bool		is_sets;		/* of transaction sets: what follows stands in for that of their items until
								 * SourceSetItems() */
	bool		has_items;		/* that has been called */
	Oid			type;			/* domains resolved */
	Oid			converted;		/* the type that SourceConvert() was given, or InvalidOid */
	int32		typmod;
	Oid			collation;
	Oid			result;			/* the type in which the plan gives the column */
} SourceColumn;

#define SOURCE_MAX_COLUMNS	4

typedef struct GpufimSource
{
	SPIPlanPtr	plan;			/* selects the columns, in their order */
	bool		in_order;		/* of the query: no other plan may be taken */
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
 * A plan that gives the columns to the aggregate gpufim_read() (execute.c) with this handle.  NULL if
 * several processes cannot read the source, or if that would not be worth it.
 */
extern SPIPlanPtr SourceParallelPlan(const GpufimSource *source, int64 handle);

/*
 * The query, as a literal that can be given as the source, that reads the same columns of the source
 * with a row for each element of the lists in one of them.  The expression that gives the elements
 * is the column's name between "before" and "after".  For messages, before SourceDisconnect().
 */
extern char *SourceElementsQuery(const GpufimSource *source, const SourceColumn *column,
								 const char *before, const char *after);

/*
 * A transaction set has come whose items have this type and collation.  The first one says of what type the items of its column
 * are, and whether the type sample fits; it is an error if others have other ones.
 */
extern void SourceSetItems(SourceColumn *column, Oid type, Oid collation);

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
 * A row of the source, with the columns that are read.  They lie where the row came from, in a slot or
 * in the arguments of a function, so that they need not be copied.
 */
typedef struct SourceRow
{
	int			ncolumns;
	const Oid  *types;			/* as the query gives them */
	const char *values;			/* the first column's; others follow at this distance in bytes */
	Size		value_step;
	const char *nulls;
	Size		null_step;
} SourceRow;

static inline Datum
RowValue(const SourceRow *row, int column)
{
	return *(const Datum *) (row->values + column * row->value_step);
}

static inline bool
RowIsNull(const SourceRow *row, int column)
{
	return *(const bool *) (row->nulls + column * row->null_step);
}

/*
 * The text of a value, and that of a column of a row, which is cut if it is long.  Both are
 * palloc'd.
 */
extern char *ValueText(Oid type, Datum value);
extern char *ColumnText(const SourceRow *row, int column);

/* Append a text, which is cut if it is long. */
extern void AppendClipped(StringInfo text, const char *value);

/*
 * An errdetail(): "Row 7 of the source is (3, b, 1.5)."  It shows the columns that are
 * read.  Where several processes read, the row has no number.
 */
extern int	RowDetail(const GpufimRows *rows, const SourceRow *row);

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

/* Raises an error: a value of the row that is being read is no probability. */
pg_noreturn extern void RaiseNotProbability(const GpufimRows *rows, const SourceRow *row,
											float8 value);

/* Raises an error: the row that is being read has not as many probabilities as items. */
pg_noreturn extern void RaiseNotAsMany(const GpufimRows *rows, int nitems, int nprobabilities);

/*
 * Raises an error: an item is in one transaction with two probabilities.  The row to show is NULL
 * if the item may have come in another one than that which is being read.
 */
pg_noreturn extern void RaiseTwoProbabilities(const GpufimRows *rows, const SourceRow *row,
											  uint32 item, float8 one, float8 other);

/* AppendValued(), but an item that is there with another probability is that error. */
static inline uint32
AppendProbability(const GpufimRows *rows, const SourceRow *row, uint32 item, float8 value,
				  uint32 *out, uint32 nout)
{
	uint32		appended = AppendValued(rows->items, item, value, out, nout);

	if (appended == ENTRIES_CONFLICT)
		RaiseTwoProbabilities(rows, row, item, ValueInRecord(rows->items, item, out), value);
	return appended;
}

/*
 * Converts a probability of the row that is being read to float8, with the result of a cast, or
 * with its error.  The value may be toasted or have a short header.  The cast goes through text.
 * That is avoided here for 0 and for positive numbers of up to 15 significant digits, unless they
 * are tiny or multiples of 10000.  For all others the cast is called, and leaves its garbage in
 * the ledger's scratch context.
 */
extern float8 NumericToFloat8(Datum value, const GpufimRows *rows);

/*
 * execute.c: Executing a source, whose rows go to a receiver.
 */

struct Receiver;
struct ReceiverContents;

/* Takes a row. */
typedef void (*ReceiveRow) (struct Receiver *receiver, const SourceRow *row);

/* How rows are received. */
typedef struct ReceiverKind
{
	const char *symbol;			/* by which other processes find this */
	Size		size;			/* of the receiver, which begins with a Receiver */
	Size		input_size;		/* of what comes next in it: flat, and set by the caller */

	/* Sets receive and rows, and creates what the rows go to. */
	void		(*begin) (struct Receiver *receiver);

	/* This process may have read all of its rows: see Pause().  NULL: there is nothing to do. */
	void		(*pause) (struct Receiver *receiver);

	/* All rows of this process have come. */
	void		(*end) (struct Receiver *receiver);

	/* Tells what has been found.  NULL: one process has to read all rows. */
	void		(*contents) (struct Receiver *receiver, struct ReceiverContents *contents);

	/* Adds the figures of another receiver's contents to one's own; NULL if there are none. */
	void		(*add) (struct Receiver *receiver, const void *figures);
} ReceiverKind;

typedef struct Receiver
{
	const ReceiverKind *kind;
	GpufimSource *source;
	Oid			types[SOURCE_MAX_COLUMNS]; /* of the source's columns, as the plan gives them */
	MemoryLedger *ledger;
	ReceiveRow	receive;
	GpufimRows *rows;			/* count the source's rows */
	struct SharedReading *shared; /* of the processes that read; NULL: this one alone */
	bool		helps;			/* this process reads for another one */
	int64		reported;		/* rows that the others know of */
} Receiver;

/*
 * What a receiver has found, as far as it can be left to another process: values of dictionaries
 * with their counts, the words of rows, and figures.
 */
#define MAX_DICTIONARIES	3
#define MAX_ROWS			2
#define NO_DICTIONARY		(-1)

typedef struct ReceiverContents
{
	int			ndictionaries;
	Dictionary *dictionaries[MAX_DICTIONARIES];
	int			nrows;
	GpufimRows *rows[MAX_ROWS];
	int			numbers[MAX_ROWS][2]; /* the dictionaries whose numbers the words of rows may be */
	void	   *figures;		/* flat; NULL: none */
	Size		figures_size;
} ReceiverContents;

/*
 * Execute the source's plan and have a receiver of this kind take its rows, which has been zeroed
 * except for its input.  Other processes may take rows, too; what they have found is in the
 * receiver's contents in the end.
 */
extern void SourceRead(GpufimSource *source, const ReceiverKind *kind, Receiver *receiver,
					   MemoryLedger *ledger);

/* The set of files of the segment in which the processes of a reading find what to read: see RowPart. */
extern SharedFileSet *ReadingFiles(dsm_segment *segment);

/* Let the figures of the call show how much has been read. */
extern void ShowRows(const Receiver *receiver);

/*
 * parts.c: Leaving what a process has read to another one, and taking it.
 */

/*
 * Leave a receiver's contents in segments, or in a shared file if there is no room for them, and
 * append a ticket for PartTake() to the tickets.  What the receiver holds in this process
 * is of no use afterwards.
 */
extern void PartLeave(Receiver *receiver, SegmentPlaces *places, StringInfo tickets);

/* The bytes of a ticket, up to the next one. */
extern Size PartTicketSize(const char *ticket);

/* Add a part to a receiver's contents.  "files" is the segment that has the set of shared files. */
extern void PartTake(Receiver *receiver, const char *ticket, SharedFileSet *set, PartSegment *files,
					 SegmentPlaces *places);

/*
 * Move the chunks of lists that are in the memory of this process alone to a segment, where helpers can read them.
 * Returns false, and moves nothing, if there is no room.  ReceiverShare() does it with all chunks of a receiver, if there is room.
 */
extern bool ChunksShare(GpufimRows *rows, ChunkList *lists, uint32 nlists);
extern void ReceiverShare(Receiver *receiver);

/*
 * helpers.c: Having several processes work on the chunks of rows that have been read.
 */

typedef struct Helpers Helpers;
typedef struct Helper Helper;

/* A chunk is little work, so where chunks are units there must be so many times more of them than of others. */
#define CHUNKS_TO_TAKE		4

/* What all processes share.  What they must know beside the chunks, the task, begins with it. */
typedef struct SharedUnits
{
	pg_atomic_uint32 next;		/* unit of work */
	slock_t		mutex;
} SharedUnits;

/* Are all chunks of nlists lists in memory?  Sets *words to the words in them. */
extern bool ChunksInMemory(const ChunkList *lists, uint32 nlists, uint64 *words);

/*
 * Call workers to help with these chunks of the rows.  Each calls the function entry_point(segment, toc) of
 * this library.  The task is copied to where all processes share it, and only its units are set here.
 * Returns NULL if there can be no helpers.  The leader must not free the chunks before DismissHelpers(), which
 * waits for the helpers, raises their errors, and has the receiver take the parts that they leave; it is NULL if
 * they leave none.
 */
extern Helpers *CallHelpers(GpufimRows *rows, ChunkList *lists, uint32 nlists, const char *entry_point,
							const SharedUnits *task, Size task_size);
extern void *TaskOfHelpers(Helpers *helpers);

/* If parallel_leader_participation is off, wait until helpers have taken this number of units, which are all. */
extern void LeaveToHelpers(Helpers *helpers, uint32 nunits);
extern void DismissHelpers(Helpers *helpers, Receiver *receiver);

/*
 * A helper's side.  It joins first, and leaves last: this frees the chunks' lists, and leaves what the
 * receiver has if it is not NULL.  HelperRows() makes rows of the leader's layout, and HelperFindChunks()
 * appends the chunks to lists of such rows.
 */
extern Helper *HelperJoin(dsm_segment *segment, shm_toc *toc);
extern void HelperLeave(Helper *helper, GpufimRows *rows, ChunkList *lists, uint32 nlists,
						Receiver *receiver);
extern void *HelperTask(Helper *helper);
extern MemoryLedger *HelperLedger(Helper *helper);
extern GpufimRows *HelperRows(Helper *helper, Dictionary *items, Dictionary *ids);
extern void HelperFindChunks(Helper *helper, GpufimRows *rows, ChunkList *lists);

/*
 * What helpers leave that make rows of the chunks: these rows, and figures.  A helper counts the items anew, and
 * taking its part adds its counts to those of the leader, modulo 2^32.
 */
typedef struct HelperFigures
{
	ValueConflict conflict;
	uint64		repeated;		/* events that were left out */
	uint32		counts[FLEXIBLE_ARRAY_MEMBER];	/* by the item's number; not used in the leader */
} HelperFigures;

typedef struct RowsOfHelpers
{
	Receiver	base;			/* must be first */
	HelperFigures *figures;		/* a helper's; in the leader, where those of all helpers go */
} RowsOfHelpers;

/* Both sides have such a receiver.  HelperFiguresCreate() is for a helper; its counts are filled in as it leaves. */
extern RowsOfHelpers RowsOfHelpersInit(GpufimRows *rows, HelperFigures *figures);
extern HelperFigures *HelperFiguresCreate(GpufimRows *rows);

/*
 * The same where a chunk of a list is a unit of work, and helpers leave nothing.  "take" is called for each
 * chunk, in one of the processes, with the task and an argument of that process's.  TakeChunksWithHelpers()
 * returns false, and does nothing, if one process can do it as quickly, or has to; otherwise it frees the list,
 * which must not belong to the rows.  HelperTakeChunks() is what the entry point does after joining; its map is that
 * of RowsMapItems() in the leader.
 */
typedef void (*TakeChunk) (GpufimRows *rows, Chunk *chunk, void *task, void *arg);

extern bool TakeChunksWithHelpers(GpufimRows *rows, ChunkList *list, const char *entry_point, const SharedUnits *task,
								  Size task_size, TakeChunk take, void *arg);
extern void HelperTakeChunks(Helper *helper, ItemMap map, TakeChunk take, void *arg);

/*
 * group_workers.c: Grouping the pieces of transactions with several processes.
 */

/*
 * What RowsGroup() does, with workers.  Returns false, and does nothing, if one process can do it as
 * quickly, or has to.
 */
extern bool RowsGroupInParallel(GpufimRows *rows);

/*
 * ingest.c: Encoding the rows of a source as they arrive.
 */

/* Number of pairs that are looked up together. */
#define WAITING_PAIRS			64

/* The longest transaction id of a pair that can wait, in words. */
#define WAITING_ID_WORDS		8

typedef struct WaitingPair
{
	uint32		id[WAITING_ID_WORDS];
	uint32		id_size;		/* in bytes */
	uint32		number;			/* of the item, once it has been looked up */
	float8		value;			/* what goes with the item, if values are read */
	WaitingValue item;
} WaitingPair;

/* Where a short varlena is copied to, so that it is aligned. */
typedef union AlignedBuffer
{
	int64		force_alignment;
	char		bytes[VARATT_SHORT_MAX + VARHDRSZ];
} AlignedBuffer;

/* Receives transactions. */
typedef struct RowsReceiver
{
	Receiver	base;			/* must be first */
	RowLayout	layout;			/* the input */
	GpufimRows *rows;
	NumberFormat number_format; /* of probabilities */

	/* for arrays of items and of their probabilities */
	AlignedBuffer aligned[2];

	/*
	 * Pair form: pairs wait here for a moment, while what the dictionary needs to look their
	 * items up is fetched into the cache.
	 */
	WaitingPair waiting[WAITING_PAIRS];
	uint32		nwaiting;

	/* Pair form: the piece that is arriving, with each item once. */
	uint32	   *id;				/* of its transaction */
	uint32		id_words;
	char	   *given;			/* the id as rows have it */
	uint32		given_size;		/* in bytes; 0: no piece has begun */
	Size		max_given;		/* of both */
	uint32		stamp;			/* the entries in the dictionary of the items that the piece has */
	uint32	   *current;		/* ncurrent entries */
	uint32		ncurrent;
	uint32		max_current;	/* in words */
} RowsReceiver;

extern PGDLLEXPORT const ReceiverKind GpufimRowsReceiver;

/*
 * A dictionary of more items than this does not stay in the cache.  What it needs to look
 * items up is fetched for many elements of an array, or for many waiting pairs, at once.
 */
#define CACHED_ITEMS			16384

/* Reads a probability, which the query gives as a numeric or as a float8. */
static inline float8
ReceivedProbability(const RowsReceiver *receiver, Datum value)
{
	if (receiver->number_format == NUMBER_NUMERIC)
		return NumericToFloat8(value, receiver->rows);
	return DatumGetFloat8(value);
}

static inline uint32
LookupItem(Dictionary *items, Datum value)
{
	if (items->kind == DICTIONARY_INTEGER)
		return DictionaryInteger(items, DatumInteger(items, value));
	return DictionaryLookup(items, value, true);
}

/*
 * pairs.c: The pair form: a row is an item of a transaction.
 */

/* Receive a row: a transaction's id, an item and, of an uncertain one, its probability. */
extern void ReceivePair(Receiver *base, const SourceRow *row);
extern void ReceiveUncertainPair(Receiver *base, const SourceRow *row);

/* No pairs will come any more.  Does nothing where there were none. */
extern void FinishPairs(RowsReceiver *receiver);

/*
 * ingest.c: The array form: a row is a transaction.
 */

/*
 * Returns a Datum's varlena, detoasted and aligned.  A short one, which a table holds with a
 * header of one byte, is copied to the buffer, so that nothing has to be allocated for it.
 */
static inline struct varlena *
AlignedVarlena(MemoryLedger *ledger, AlignedBuffer *buffer, Datum value)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_SHORT(pointer) && !VARATT_IS_EXTERNAL(pointer))
	{
		Size		length = VARSIZE_SHORT(pointer) - VARHDRSZ_SHORT;

		SET_VARSIZE(buffer->bytes, length + VARHDRSZ);
		memcpy(buffer->bytes + VARHDRSZ, VARDATA_SHORT(pointer), length);
		return (struct varlena *) buffer->bytes;
	}
	if (!VARATT_IS_EXTENDED(pointer))
		return pointer;
	return LedgerDetoast(ledger, value);
}

static inline ArrayType *
AlignedArray(MemoryLedger *ledger, AlignedBuffer *buffer, Datum value)
{
	return (ArrayType *) AlignedVarlena(ledger, buffer, value);
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
 * belongs to the rows.
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

#endif							/* GPUFIM_READ_H */
