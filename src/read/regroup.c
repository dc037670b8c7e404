/*-------------------------------------------------------------------------
 *
 * regroup.c
 *	  Brings the pairs of each transaction together, where they came apart.
 *
 * Pairs were filed in streams of 65536 transactions.  One stream after the other
 * is sorted by transaction, by counting, and written as records in which each
 * item is once; only then are the items' counts exact.  Items that are
 * infrequent even with duplicates counted are left out at the start.  A stream
 * that is too long for the memory left is sorted in several passes over it, each
 * for a range of its transactions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "figures.h"
#include "miscadmin.h"
#include "read/regroup.h"

#define SMALLEST_PASS			((uint64) 256 * 1024)	/* items */

typedef struct Regrouping
{
	GpufimRows *rows;
	RecordReader reader;		/* records from before pairs were scattered */
	uint32		done;			/* transactions */

	uint32	   *buffer;			/* of chunks read back */
	uint32		buffer_size;
	uint32	   *items;			/* sorted by transaction */
	uint64		max_items;
	uint64	   *ends;			/* where transactions end in it */
} Regrouping;

/*
 * Forgets the counts, which are to be taken anew, but for whether they were too
 * low: such an item seems to be in every transaction already.
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
IsKept(const Dictionary *items, uint32 id)
{
	return items->entries[id].stamp != UINT32_MAX;
}

/* Writes the next transaction's record from its items in any number and order. */
static void
WriteRecord(Regrouping *work, const uint32 *items, uint64 nitems)
{
	GpufimRows *rows = work->rows;
	uint32		stamp = ++work->done;
	uint64		room = Min(nitems, rows->items->n);
	uint32	   *record = ChunkReserve(rows, &rows->records, room + 1);
	uint32		nout = 0;

	CHECK_FOR_INTERRUPTS();
	for (uint64 i = 0; i < nitems; i++)
	{
		DictionaryEntry *entry = &rows->items->entries[items[i]];

		if (entry->stamp == stamp || entry->stamp == UINT32_MAX)
			continue;
		entry->stamp = stamp;
		entry->count++;
		record[1 + nout++] = items[i];
	}
	RecordAdvance(rows, record, nout);
}

/* Files the records of a stream's transactions in it, as if they came last. */
static void
MergeRecords(Regrouping *work, PendingPairs *pending, uint32 first, uint32 n)
{
	GpufimRows *rows = work->rows;

	for (uint32 transaction = 0; transaction < n; transaction++)
	{
		const uint32 *items;
		uint32		nitems;
		uint32	   *words;

		if (first + transaction >= rows->nrecords ||
			!RecordReaderNext(&work->reader, &items, &nitems))
			break;
		words = ChunkReserve(rows, &pending->stream, nitems + 1);
		words[0] = PENDING_MARK | transaction;
		memcpy(words + 1, items, nitems * sizeof(uint32));
		ChunkAdvance(&pending->stream, nitems + 1);
	}
}

/* Counts the items of each transaction of a stream, into ends[transaction]. */
static void
CountStream(Regrouping *work, const ChunkList *stream, uint32 n)
{
	const Dictionary *items = work->rows->items;
	uint32		transaction = 0;

	memset(work->ends, 0, n * sizeof(uint64));
	for (uint32 i = 0; i < stream->nchunks; i++)
	{
		const uint32 *words = ChunkRead(work->rows, &stream->chunks[i],
										&work->buffer, &work->buffer_size);

		for (uint32 at = 0; at < stream->chunks[i].used; at++)
		{
			if (words[at] & PENDING_MARK)
				transaction = words[at] & ~PENDING_MARK;
			else if (IsKept(items, words[at]))
				work->ends[transaction]++;
		}
	}
}

/*
 * Puts the items of the transactions first .. last - 1 into work->items.
 * ends[] holds where each begins, and where it ends when this is done.
 */
static void
SortStream(Regrouping *work, const ChunkList *stream, uint32 first, uint32 last)
{
	const Dictionary *items = work->rows->items;
	uint32		transaction = 0;

	for (uint32 i = 0; i < stream->nchunks; i++)
	{
		const uint32 *words = ChunkRead(work->rows, &stream->chunks[i],
										&work->buffer, &work->buffer_size);

		for (uint32 at = 0; at < stream->chunks[i].used; at++)
		{
			if (words[at] & PENDING_MARK)
				transaction = words[at] & ~PENDING_MARK;
			else if (transaction >= first && transaction < last &&
					 IsKept(items, words[at]))
				work->items[work->ends[transaction]++] = words[at];
		}
	}
}

/* Makes room for as many sorted items. */
static void
GrowItems(Regrouping *work, uint64 nitems)
{
	MemoryLedger *ledger = work->rows->ledger;

	if (nitems <= work->max_items)
		return;
	LedgerFree(ledger, work->items, work->max_items * sizeof(uint32));
	work->items = NULL;
	work->items = LedgerAlloc(ledger, nitems * sizeof(uint32), "the items of transactions");
	work->max_items = nitems;
}

/*
 * Writes the records of one range of a stream's transactions, as many as the
 * memory left allows, and returns where the next range begins.
 */
static uint32
RegroupRange(Regrouping *work, const ChunkList *stream, uint32 first, uint32 n)
{
	uint64		budget = LedgerRoom(work->rows->ledger) / (4 * sizeof(uint32));
	uint64		total = 0;
	uint64		start = 0;
	uint32		last = first;

	budget = Max(budget, work->max_items);
	budget = Max(budget, SMALLEST_PASS);
	while (last < n && (last == first || total + work->ends[last] <= budget))
	{
		uint64		count = work->ends[last];

		work->ends[last++] = total;
		total += count;
	}
	GrowItems(work, total);
	SortStream(work, stream, first, last);
	for (; first < last; first++)
	{
		WriteRecord(work, work->items + start, work->ends[first] - start);
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

/* Copies the records of transactions none of which was left and came back. */
static void
CopyRecords(Regrouping *work, uint32 n)
{
	const uint32 *items = NULL;
	uint32		nitems;

	while (n-- > 0)
	{
		/* late transactions all of whose items are NULL have no record */
		if (!RecordReaderNext(&work->reader, &items, &nitems))
			nitems = 0;
		WriteRecord(work, items, nitems);
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
	work.ends = LedgerAlloc(rows->ledger, ends_size, "the items of transactions");
	RecordReaderBegin(&work.reader, rows, &records, true);
	ResetCounts(rows->items, minsup);
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
	LedgerFree(rows->ledger, work.items, work.max_items * sizeof(uint32));
	LedgerFree(rows->ledger, work.ends, ends_size);
	LedgerFree(rows->ledger, rows->pending, rows->npending * sizeof(PendingPairs));
	rows->pending = NULL;
	rows->npending = 0;
	rows->scattered = false;
}
