/*-------------------------------------------------------------------------
 *
 * pairs.c
 *	  Encodes the rows of a source of which each is an item of a transaction.
 *
 * The pairs may come in any order.  Those of a transaction that come together make a piece, whose
 * entries lie in current[] until a pair of another transaction comes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "read/read.h"
#include "read/rows.h"

/* The id of a pair's transaction, as the row has it. */
typedef struct PairId
{
	const void *bytes;
	uint32		size;			/* in bytes */
} PairId;

/* Adds the piece of the pairs that have arrived last. */
static void
FinishPiece(RowsReceiver *receiver)
{
	GpufimRows *rows = receiver->rows;
	uint32		words = receiver->ncurrent * EntryWords(&rows->layout);
	uint32	   *entries;

	if (receiver->given_size == 0)
		return;
	entries = PieceAdd(rows, receiver->id, receiver->id_words, receiver->ncurrent);
	for (uint32 i = 0; i < words; i++)
		entries[i] = receiver->current[i];
	receiver->ncurrent = 0;
}

/* Makes room for an id, as it is given and in words. */
static void
GrowId(RowsReceiver *receiver, uint32 size)
{
	MemoryLedger *ledger = receiver->base.ledger;
	Size		max = Max(64, 2 * (Size) size);

	receiver->given = LedgerGrow(ledger, receiver->given, receiver->max_given, max, "a transaction id");
	receiver->id = LedgerGrow(ledger, receiver->id, receiver->max_given, max, "a transaction id");
	receiver->max_given = max;
}

/*
 * Begins a piece.  Its id's words are the bytes as given, but a short varlena gets a header of four
 * bytes.  No item has the new stamp yet.
 */
static void
BeginPiece(RowsReceiver *receiver, PairId id)
{
	GpufimRows *rows = receiver->rows;
	const char *bytes = id.bytes;
	uint32		size = id.size;
	uint32		header = 0;

	FinishPiece(receiver);
	if (size + sizeof(uint64) > receiver->max_given)
		GrowId(receiver, size + sizeof(uint64));
	memcpy(receiver->given, bytes, size);
	receiver->given_size = size;
	if (rows->ids->typlen == -1 && VARATT_IS_SHORT(bytes))
	{
		bytes += VARHDRSZ_SHORT;
		size -= VARHDRSZ_SHORT;
		header = VARHDRSZ;
	}
	receiver->id_words = WordsOf(header + size);
	receiver->id[receiver->id_words - 1] = 0;
	if (header > 0)
		SET_VARSIZE(receiver->id, header + size);
	memcpy((char *) receiver->id + header, bytes, size);
	if (++receiver->stamp == 0)
	{
		DictionaryForgetStamps(rows->items);
		receiver->stamp = 1;
	}
}

static void
GrowCurrent(RowsReceiver *receiver)
{
	Size		old_size = receiver->max_current * sizeof(uint32);
	Size		size = Max(4096, 2 * old_size);

	receiver->current = LedgerGrow(receiver->rows->ledger, receiver->current, old_size,
								   size, "the items of a transaction");
	receiver->max_current = size / sizeof(uint32);
}

/*
 * Adds an item to the piece, unless the piece has it already.
 *
 * This and what calls it are compiled twice, for pairs without and with values: "valued" is a
 * constant wherever they are called.
 */
static pg_always_inline void
AddToPiece(RowsReceiver *receiver, uint32 item, float8 value, bool valued)
{
	Dictionary *items = receiver->rows->items;
	uint32		words = valued ? VALUED_WORDS : 1;

	if ((receiver->ncurrent + 1) * words > receiver->max_current)
		GrowCurrent(receiver);
	if (!valued)
		receiver->ncurrent = AppendItem(items, item, receiver->stamp, receiver->current,
										receiver->ncurrent);
	else
		receiver->ncurrent = AppendProbability(receiver->rows, NULL, item, value, receiver->current,
											   receiver->ncurrent);
}

/* Begins a piece if the pair's id is another one than that of the pair before. */
static pg_always_inline void
TakeId(RowsReceiver *receiver, PairId id)
{
	bool		same = id.size == receiver->given_size;

	/* integers are compared without a call */
	if (same && id.size == sizeof(uint32))
		same = *(const uint32 *) id.bytes == *(const uint32 *) receiver->given;
	else if (same)
		same = memcmp(id.bytes, receiver->given, id.size) == 0;
	if (!same)
		BeginPiece(receiver, id);
}

static pg_always_inline void
AddPair(RowsReceiver *receiver, PairId id, uint32 item, float8 value, bool valued)
{
	if (receiver->rows->scattered)
		PieceAddPair(receiver->rows, IntegerOfId(receiver->rows->ids, id.bytes), item, value, valued);
	else
	{
		TakeId(receiver, id);
		AddToPiece(receiver, item, value, valued);
	}
}

/* Adds the pairs that have waited. */
static pg_noinline void
AddWaitingPairs(RowsReceiver *receiver)
{
	Dictionary *items = receiver->rows->items;
	WaitingPair *waiting = receiver->waiting;
	bool		valued = receiver->rows->layout.value_words > 0;

	for (uint32 i = 0; i < receiver->nwaiting; i++)
		DictionaryFetchEntry(items, &waiting[i].item);
	for (uint32 i = 0; i < receiver->nwaiting; i++)
		DictionaryFetchBytes(items, &waiting[i].item);
	for (uint32 i = 0; i < receiver->nwaiting; i++)
	{
		waiting[i].number = DictionaryWaited(items, &waiting[i].item);
		DictionaryPrefetchEntry(items, waiting[i].number);
	}
	for (uint32 i = 0; i < receiver->nwaiting; i++)
	{
		PairId		id = {waiting[i].id, waiting[i].id_size};

		if (valued)
			AddPair(receiver, id, waiting[i].number, waiting[i].value, true);
		else
			AddPair(receiver, id, waiting[i].number, 0, false);
	}
	receiver->nwaiting = 0;
}

/* Lets a pair wait until there are WAITING_PAIRS of them.  Returns false if it cannot. */
static bool
LetPairWait(RowsReceiver *receiver, PairId id, Datum item, float8 value)
{
	WaitingPair *pair = &receiver->waiting[receiver->nwaiting];

	if (id.size > sizeof(pair->id) || !DictionaryLetWait(receiver->rows->items, item, &pair->item))
		return false;
	if (receiver->rows->ids->typbyval)
		memcpy(pair->id, id.bytes, sizeof(uint64)); /* see IdOf() */
	else
		memcpy(pair->id, id.bytes, id.size);
	pair->id_size = id.size;
	pair->value = value;
	if (++receiver->nwaiting == WAITING_PAIRS)
		AddWaitingPairs(receiver);
	return true;
}

/* The id that a row has.  An integer is put into "word".  What has to be detoasted is the ledger's garbage. */
static pg_always_inline PairId
IdOf(RowsReceiver *receiver, Datum value, uint64 *word)
{
	const Dictionary *ids = receiver->rows->ids;
	const struct varlena *pointer = (const struct varlena *) DatumGetPointer(value);

	if (ids->typbyval)
	{
		uint32		size = PutIntegerId(ids, value, word);

		return (PairId) {word, size};
	}
	if (ids->typlen > 0)
		return (PairId) {pointer, ids->typlen};
	if (VARATT_IS_EXTERNAL(pointer) || VARATT_IS_COMPRESSED(pointer))
		pointer = LedgerDetoast(receiver->base.ledger, value);
	return (PairId) {pointer, VARSIZE_ANY(pointer)};
}

/*
 * Are pairs looked up together?  It takes copies of them, which is worth it if the dictionary is
 * large, or if pairs are scattered and their items passed by reference: then each row would wait
 * for the reads and writes of the one before it.
 */
static inline bool
LooksUpTogether(const GpufimRows *rows)
{
	return rows->items->n > CACHED_ITEMS || (rows->scattered && !rows->items->typbyval);
}

/* Adds the pair of a row, or lets it wait. */
static pg_always_inline void
TakePair(RowsReceiver *receiver, const SourceRow *row, float8 value, bool valued)
{
	GpufimRows *rows = receiver->rows;
	uint64		word;
	PairId		id = IdOf(receiver, RowValue(row, 0), &word);

	if (unlikely(LooksUpTogether(rows)))
	{
		if (!RowIsNull(row, 1) && LetPairWait(receiver, id, RowValue(row, 1), value))
		{
			LedgerForget(rows->ledger);
			return;
		}
		if (receiver->nwaiting > 0)
			AddWaitingPairs(receiver);
	}
	if (RowIsNull(row, 1))
		TakeId(receiver, id);
	else
		AddPair(receiver, id, LookupItem(rows->items, RowValue(row, 1)), value, valued);
	LedgerForget(rows->ledger);
}

/* A row is a transaction's id and an item. */
void
ReceivePair(Receiver *base, const SourceRow *row)
{
	if (!RowIsNull(row, 0))
		TakePair((RowsReceiver *) base, row, 0, false);
}

/* The same, and the item's probability. */
void
ReceiveUncertainPair(Receiver *base, const SourceRow *row)
{
	RowsReceiver *receiver = (RowsReceiver *) base;
	float8		value;

	if (RowIsNull(row, 0) || RowIsNull(row, 2))
		return;
	value = ReceivedProbability(receiver, RowValue(row, 2));
	if (!IsProbability(value))
		RaiseNotProbability(receiver->rows, row, value);
	TakePair(receiver, row, value, true);
}

void
FinishPairs(RowsReceiver *receiver)
{
	MemoryLedger *ledger = receiver->base.ledger;

	if (receiver->nwaiting > 0)
		AddWaitingPairs(receiver);
	FinishPiece(receiver);
	LedgerFree(ledger, receiver->current, receiver->max_current * sizeof(uint32));
	LedgerFree(ledger, receiver->id, receiver->max_given);
	LedgerFree(ledger, receiver->given, receiver->max_given);
}
