/*-------------------------------------------------------------------------
 *
 * regroup.c
 *	  Brings the pairs of each transaction together, if they came apart.
 *
 * Pairs were filed in streams, each of 65536 transactions.  One stream after the other is
 * sorted by transaction, by counting, and written as records in which each item is once,
 * with its value if it has one.  Only then are the items' counts exact.  Items without
 * values that are infrequent even if duplicates are counted are left out from the start.  If a stream is
 * too long for the memory that is left, it is sorted in several passes, each of which
 * takes a range of its transactions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "read/read.h"
#include "read/rows.h"

#define SMALLEST_PASS			((uint64) 256 * 1024)	/* words */

typedef struct Regrouping
{
	GpufimRows *rows;
	uint32		entry_words;
	RecordReader reader;		/* of the records from before pairs were scattered */
	uint32		done;			/* transactions that have their final record */

	uint32	   *buffer;			/* for a chunk that is read from the file */
	uint32		buffer_size;
	uint32	   *entries;		/* sorted by transaction */
	uint64		max_entries;
	uint64	   *ends;			/* of each transaction the number of its entries, then where they begin in
								 * entries[], and in the end where they end */
} Regrouping;

/*
 * Sets the counts to 0, since they are taken anew.  The stamp of an item that is too
 * rare is set to UINT32_MAX, see IsKept().
 */
static void
ResetCounts(Dictionary *items, uint32 minsup)
{
	for (uint32 id = 0; id < items->n; id++)
	{
		DictionaryEntry *entry = &items->entries[id];

		if (id % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		entry->stamp = entry->count < minsup ? UINT32_MAX : 0;
		entry->count = 0;
	}
}

static inline bool
IsKept(const DictionaryEntry *items, uint32 id)
{
	return items[id].stamp != UINT32_MAX;
}

/* Appends those items of a transaction that are kept, each once. */
static uint32
AppendItems(Regrouping *work, const uint32 *items, uint64 nitems, uint32 *out)
{
	Dictionary *dictionary = work->rows->items;
	uint32		nout = 0;

	for (uint64 i = 0; i < nitems; i++)
	{
		if (IsKept(dictionary->entries, items[i]))
			nout = AppendItem(dictionary, items[i], work->done, out, nout);
	}
	return nout;
}

/* The same for items with probabilities. */
static uint32
AppendUncertain(Regrouping *work, const uint32 *entries, uint64 nentries, uint32 *out)
{
	Dictionary *dictionary = work->rows->items;
	uint32		nout = 0;

	for (uint64 i = 0; i < nentries; i++)
	{
		uint32		id = entries[i * VALUED_WORDS];
		float8		value = EntryValue(entries, i);
		uint32		appended;

		if (!IsKept(dictionary->entries, id))
			continue;
		appended = AppendValued(dictionary, id, value, out, nout);
		if (appended == ENTRIES_CONFLICT)
			RaiseTwoProbabilities(work->rows, NULL, id, ValueInRecord(dictionary, id, out), value);
		nout = appended;
	}
	return nout;
}

/* Writes the next transaction's record from its entries, which may be in any order and have duplicates. */
static void
WriteRecord(Regrouping *work, const uint32 *entries, uint64 nentries)
{
	GpufimRows *rows = work->rows;
	uint32	   *out;
	uint32	   *record = RecordReserve(rows, Min(nentries, rows->items->n), &out);

	CHECK_FOR_INTERRUPTS();
	work->done++;
	RecordAdvance(rows, record,
				  (work->entry_words > 1 ? AppendUncertain : AppendItems)
				  (work, entries, nentries, out));
}

/* Appends the records that a stream's transactions had before to the stream. */
static void
MergeRecords(Regrouping *work, PendingPairs *pending, uint32 first, uint32 n)
{
	GpufimRows *rows = work->rows;

	for (uint32 transaction = 0; transaction < n; transaction++)
	{
		const uint32 *entries;
		uint32		nentries;
		uint32		nwords;
		uint32	   *words;

		if (first + transaction >= rows->nrecords ||
			!RecordReaderNext(&work->reader, &entries, &nentries))
			break;
		nwords = nentries * work->entry_words;
		words = ChunkReserve(rows, &pending->stream, nwords + 1);
		words[0] = PENDING_MARK | transaction;
		memcpy(words + 1, entries, nwords * sizeof(uint32));
		ChunkAdvance(&pending->stream, nwords + 1);
	}
}

/*
 * Moves "at" to the next entry of a piece of a stream, and sets "transaction" when a mark
 * comes before it.  Returns false at the end.  "at" must be where an entry may begin,
 * because a value within an entry may look like a mark.
 */
static inline bool
NextPending(const uint32 *words, uint32 used, uint32 *at, uint32 *transaction)
{
	while (*at < used && (words[*at] & PENDING_MARK))
		*transaction = words[(*at)++] & ~PENDING_MARK;
	return *at < used;
}

/*
 * Counts the items of each transaction of a stream, into ends[transaction].  As in
 * SortEntries(), entry_words is a constant wherever this is called, so that the loop over
 * all pairs is compiled for it.
 */
static pg_always_inline void
CountEntries(Regrouping *work, const ChunkList *stream, uint32 entry_words)
{
	const DictionaryEntry *items = work->rows->items->entries;
	uint64	   *ends = work->ends;
	uint32		transaction = 0;

	for (uint32 i = 0; i < stream->nchunks; i++)
	{
		const uint32 *words = ChunkRead(work->rows, &stream->chunks[i],
										&work->buffer, &work->buffer_size);
		uint32		used = stream->chunks[i].used;

		for (uint32 at = 0; NextPending(words, used, &at, &transaction); at += entry_words)
			ends[transaction] += IsKept(items, words[at]);
	}
}

static void
CountStream(Regrouping *work, const ChunkList *stream, uint32 n)
{
	memset(work->ends, 0, n * sizeof(uint64));
	if (work->entry_words == 1)
		CountEntries(work, stream, 1);
	else
		CountEntries(work, stream, VALUED_WORDS);
}

/*
 * Puts the entries of the transactions first .. last - 1 into work->entries.
 * ends[] holds where each begins, and where it ends when this is done.
 */
static pg_always_inline void
SortEntries(Regrouping *work, const ChunkList *stream, uint32 first, uint32 last,
			uint32 entry_words)
{
	const DictionaryEntry *items = work->rows->items->entries;
	uint64	   *ends = work->ends;
	uint32	   *entries = work->entries;
	uint32		transaction = 0;

	for (uint32 i = 0; i < stream->nchunks; i++)
	{
		const uint32 *words = ChunkRead(work->rows, &stream->chunks[i],
										&work->buffer, &work->buffer_size);
		uint32		used = stream->chunks[i].used;

		for (uint32 at = 0; NextPending(words, used, &at, &transaction); at += entry_words)
		{
			if (transaction >= first && transaction < last && IsKept(items, words[at]))
				memcpy(entries + ends[transaction]++ * entry_words, words + at,
					   entry_words * sizeof(uint32));
		}
	}
}

static void
SortStream(Regrouping *work, const ChunkList *stream, uint32 first, uint32 last)
{
	if (work->entry_words == 1)
		SortEntries(work, stream, first, last, 1);
	else
		SortEntries(work, stream, first, last, VALUED_WORDS);
}

/* Makes room for nentries sorted entries; those that are there are lost. */
static void
GrowEntries(Regrouping *work, uint64 nentries)
{
	MemoryLedger *ledger = work->rows->ledger;
	Size		entry_size = work->entry_words * sizeof(uint32);

	if (nentries <= work->max_entries)
		return;
	LedgerFree(ledger, work->entries, work->max_entries * entry_size);
	work->entries = NULL;
	work->entries = LedgerAlloc(ledger, nentries * entry_size, "the items of transactions");
	work->max_entries = nentries;
}

/*
 * Writes the records of one range of a stream's transactions, as many as the
 * memory left allows, and returns where the next range begins.
 */
static uint32
RegroupRange(Regrouping *work, const ChunkList *stream, uint32 first, uint32 n)
{
	uint64		budget = LedgerRoom(work->rows->ledger) /
		(4 * work->entry_words * sizeof(uint32));
	uint64		total = 0;
	uint64		start = 0;
	uint32		last = first;

	budget = Max(budget, work->max_entries);
	budget = Max(budget, SMALLEST_PASS / work->entry_words);
	while (last < n && (last == first || total + work->ends[last] <= budget))
	{
		uint64		count = work->ends[last];

		work->ends[last++] = total;
		total += count;
	}
	GrowEntries(work, total);
	SortStream(work, stream, first, last);
	for (; first < last; first++)
	{
		WriteRecord(work, work->entries + start * work->entry_words,
					work->ends[first] - start);
		start = work->ends[first];
	}
	return last;
}

static void
RegroupStream(Regrouping *work, PendingPairs *pending, uint32 n)
{
	uint32		first = 0;

	MergeRecords(work, pending, work->done, n);
	CountStream(work, &pending->stream, n);
	while (first < n)
		first = RegroupRange(work, &pending->stream, first, n);
	ChunkListFree(work->rows, &pending->stream);
}

/* Writes the records of the next n transactions, to whose stream no pair has come. */
static void
CopyRecords(Regrouping *work, uint32 n)
{
	const uint32 *entries = NULL;
	uint32		nentries;

	while (n-- > 0)
	{
		/* late transactions all of whose items are NULL have no record */
		if (!RecordReaderNext(&work->reader, &entries, &nentries))
			nentries = 0;
		WriteRecord(work, entries, nentries);
	}
}

void
RowsRegroup(GpufimRows *rows, uint32 minsup)
{
	Regrouping	work = {0};
	ChunkList	records = rows->records;
	uint32		total = (uint32) rows->transactions;
	Size		ends_size = Min(total, PENDING_TRANSACTIONS) * sizeof(uint64);

	if (!rows->scattered)
		return;
	memset(&rows->records, 0, sizeof(ChunkList));
	rows->longest = 0;
	work.rows = rows;
	work.entry_words = EntryWords(&rows->layout);
	work.ends = LedgerAlloc(rows->ledger, ends_size, "the items of transactions");
	RecordReaderBegin(&work.reader, rows, &records, true);
	/* an item with two probabilities is an error, even where it is infrequent */
	ResetCounts(rows->items, work.entry_words > 1 ? 0 : minsup);
	CurrentRun->total = total;

	while (work.done < total)
	{
		uint32		stream = work.done >> PENDING_BITS;
		uint32		n = Min(total - work.done, PENDING_TRANSACTIONS);

		CurrentRun->done = work.done;
		if (stream < rows->npending && rows->pending[stream].stream.nchunks > 0)
			RegroupStream(&work, &rows->pending[stream], n);
		else
			CopyRecords(&work, n);
	}

	RecordReaderEnd(&work.reader);
	LedgerFree(rows->ledger, work.buffer, work.buffer_size * sizeof(uint32));
	LedgerFree(rows->ledger, work.entries,
			   work.max_entries * work.entry_words * sizeof(uint32));
	LedgerFree(rows->ledger, work.ends, ends_size);
	LedgerFree(rows->ledger, rows->pending, rows->npending * sizeof(PendingPairs));
	rows->pending = NULL;
	rows->npending = 0;
	rows->scattered = false;
}
