/*-------------------------------------------------------------------------
 *
 * rows.h
 *	  The encoded rows of a source.
 *
 * A value of an item column is encoded as its number in a dictionary.  What a
 * source holds of one transaction is a record: the number of entries in one word, if
 * the layout says so words of a value that goes with all of it, then the entries.  An
 * entry is an item's number and, if the layout says so, words of a value that goes with
 * it.  Records lie in chunks of a few dozen kilobytes, which never split a record and
 * can be written to a temporary file one by one.
 *
 * Included by what reads rows, and by families, to read them again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ROWS_H
#define GPUFIM_ROWS_H

#include "postgres.h"

#include "read/dictionary.h"
#include "read/growth.h"
#include "read/ledger.h"
#include "storage/buffile.h"

struct GpufimRows;
struct GpufimSource;
struct RecentRecords;

/* What a family wants its rows to be like. */
typedef struct RowLayout
{
	bool		grouped;		/* a record has all entries of a transaction id;
								 * otherwise it has those of a row */
	bool		unique;			/* an item has one entry in a record, however often
								 * the source has it there */
	uint32		value_words;	/* in an entry, behind the item's number */
	bool		merged;			/* a record may stand for several rows of the same
								 * entries */
	uint32		head_words;		/* in a record, before the entries */

	/*
	 * How many bytes the call will need in all, for messages, from what has been read
	 * so far.  Sets *first_row to true if that is only a part of the first of several
	 * rows, and the bytes are for this one.  NULL: nobody knows.
	 */
	uint64		(*foresee) (const struct GpufimRows *rows, bool *first_row);

	/* how many of them the engine's data will take; what an entry takes may vary */
	double		(*data_bytes) (const struct RowLayout *layout, double rows, double entries,
							   double nitems);
	uint32		entry_bytes;	/* for data_bytes(), if it wants to know */

	/*
	 * How many bytes mining takes beside that for the class of the most frequent item, which
	 * is in so many records, and frequent together with nitems others.  NULL: none.
	 */
	double		(*class_bytes) (double records, double nitems, double entries);
	double		minsup;			/* for foresee(): items in fewer records will be
								 * dropped, a fraction of all if below 1 */
} RowLayout;

/* Values are float8, and take so many words; an item with one takes one more. */
#define VALUE_WORDS		((uint32) (sizeof(float8) / sizeof(uint32)))
#define VALUED_WORDS	(1 + VALUE_WORDS)

static inline uint32
EntryWords(const RowLayout *layout)
{
	return 1 + layout->value_words;
}

/* The i-th entry's value, of a record whose entries have one. */
static inline float8
EntryValue(const uint32 *entries, uint32 i)
{
	float8		value;

	memcpy(&value, entries + i * VALUED_WORDS + 1, sizeof(value));
	return value;
}

static inline void
SetEntry(uint32 *entries, uint32 i, uint32 item, float8 value)
{
	entries[i * VALUED_WORDS] = item;
	memcpy(entries + i * VALUED_WORDS + 1, &value, sizeof(value));
}

/* The value that goes with all of a record's entries, if there is one. */
static inline float8
RecordValue(const uint32 *entries)
{
	float8		value;

	memcpy(&value, entries - VALUE_WORDS, sizeof(value));
	return value;
}

/* Is an entry's item there at all, if its value is a probability? */
static inline bool
EntryCounts(const RowLayout *layout, const uint32 *entries, uint32 i)
{
	return layout->value_words == 0 || EntryValue(entries, i) != 0;
}

static inline void
SetRecordValue(uint32 *entries, float8 value)
{
	memcpy(entries - VALUE_WORDS, &value, sizeof(value));
}

/* A piece of a stream of words, in memory or in the spill file. */
typedef struct Chunk
{
	uint32	   *words;			/* NULL: in the file */
	uint64		block;			/* where in the file */
	uint32		size;			/* in words, whole blocks */
	uint32		used;			/* in words */
} Chunk;

typedef struct ChunkList
{
	Chunk	   *chunks;
	uint32		nchunks;
	uint32		max_chunks;
	uint32		nspilled;		/* the first ones are in the file */
} ChunkList;

/*
 * Pairs whose transaction had been left and came back: those of 65536
 * consecutive transactions in one stream.  A word with the highest bit set names
 * the transaction, by its lower 16 bits, that the items after it belong to.
 */
#define PENDING_BITS			16
#define PENDING_TRANSACTIONS	((uint32) 1 << PENDING_BITS)
#define PENDING_MARK			((uint32) 0x80000000)

typedef struct PendingPairs
{
	ChunkList	stream;
	uint32		last_mark;		/* 0: none yet */
} PendingPairs;

typedef struct GpufimRows
{
	MemoryLedger *ledger;		/* the call's */
	const struct GpufimSource *source; /* for messages; its plan may be gone */
	RowLayout	layout;
	Dictionary *items;			/* the call's; NULL once it has been freed */
	int64		transactions;
	uint32		longest;		/* entries in the longest record */

	/* Rows that are merged: how many records they are, and the entries of these. */
	uint64		nmerged;
	uint64		nmerged_entries;
	struct RecentRecords *recent;	/* for repeats.c; NULL: not needed yet */
	uint32		not_looked_up;	/* so many of the next rows are not compared with them */

	ReadingGrowth growth;

	ChunkList	records;		/* of the transactions, by number */

	/*
	 * Rows that are grouped: once a transaction comes back that had been left,
	 * "scattered" is set, and no record is added any more.  Items' counts are upper
	 * bounds until RowsRegroup().
	 */
	bool		scattered;
	uint32		nrecords;
	PendingPairs *pending;
	uint32		npending;

	uint32		max_chunk_blocks;
	LedgerRelief relief;
	BufFile    *spill;
	uint64		spill_blocks;
	uint64		spill_at;		/* the block where the file stands */
} GpufimRows;

/* Do records stand for several rows so often that it is worth knowing? */
static inline bool
RowsRepeat(const GpufimRows *rows)
{
	return rows->layout.merged && rows->nmerged <= rows->transactions - rows->transactions / 4;
}

extern GpufimRows *RowsCreate(MemoryLedger *ledger, const struct GpufimSource *source,
							  const RowLayout *layout, Dictionary *items);

/* Close the file.  The memory is the ledger's, and goes with it. */
extern void RowsClose(GpufimRows *rows);

extern uint32 *ChunkReserveSlowly(GpufimRows *rows, ChunkList *list, uint32 nwords);
extern const uint32 *ChunkRead(GpufimRows *rows, const Chunk *chunk, uint32 **buffer,
							   uint32 *buffer_size);
extern void ChunkListFree(GpufimRows *rows, ChunkList *list);

/*
 * Put every n-th chunk first, so that the first part of the records that are read is
 * a sample of all.  No more may be added to the list, and no rows moved to the file.
 */
extern void ChunkListSpread(ChunkList *list, uint32 n);

/* Room for nwords words in one piece, at the end of a list. */
static inline uint32 *
ChunkReserve(GpufimRows *rows, ChunkList *list, uint32 nwords)
{
	if (list->nchunks > list->nspilled)
	{
		Chunk	   *chunk = &list->chunks[list->nchunks - 1];

		if (chunk->size - chunk->used >= nwords)
			return chunk->words + chunk->used;
	}
	return ChunkReserveSlowly(rows, list, nwords);
}

/* Says how much of the room that was reserved last has been filled. */
static inline void
ChunkAdvance(ChunkList *list, uint32 nwords)
{
	list->chunks[list->nchunks - 1].used += nwords;
}

/* Room for a record of as many entries as that.  They begin at *entries. */
static inline uint32 *
RecordReserve(GpufimRows *rows, uint32 nentries, uint32 **entries)
{
	uint32		head = 1 + rows->layout.head_words;
	uint32	   *record = ChunkReserve(rows, &rows->records,
									  head + nentries * EntryWords(&rows->layout));

	*entries = record + head;
	return record;
}

/* In a record's first word: the second one says how many rows it stands for. */
#define RECORD_TIMES			((uint32) 0x80000000)

/* Completes a record whose entries have been filled in. */
static inline void
RecordAdvance(GpufimRows *rows, uint32 *record, uint32 nentries)
{
	record[0] = nentries;
	ChunkAdvance(&rows->records,
				 1 + rows->layout.head_words + nentries * EntryWords(&rows->layout));
	rows->longest = Max(rows->longest, nentries);
}

/*
 * Goes through the words of a list, chunk by chunk.  With "consume", a chunk's memory is
 * given back as soon as the next one is asked for.
 */
typedef struct ChunkWalk
{
	GpufimRows *rows;
	ChunkList  *list;
	bool		consume;
	uint32		next_chunk;
	uint32	   *buffer;
	uint32		buffer_size;
} ChunkWalk;

extern void ChunkWalkBegin(ChunkWalk *walk, GpufimRows *rows, ChunkList *list, bool consume);
extern void ChunkWalkEnd(ChunkWalk *walk);

/* The next chunk's words, up to *end; false if there is none. */
extern bool ChunkWalkNext(ChunkWalk *walk, const uint32 **words, const uint32 **end);

/* Reads records one after the other, as a walk goes through their chunks. */
typedef struct RecordReader
{
	ChunkWalk	walk;
	const uint32 *at;
	const uint32 *end;
	uint32		head_words;
	uint32		entry_words;
	uint32		times;			/* how many rows the last record stands for */
} RecordReader;

extern void RecordReaderBegin(RecordReader *reader, GpufimRows *rows,
							  ChunkList *list, bool consume);
extern void RecordReaderEnd(RecordReader *reader);

static inline bool
RecordReaderNext(RecordReader *reader, const uint32 **entries, uint32 *nentries)
{
	while (reader->at == reader->end)
	{
		if (!ChunkWalkNext(&reader->walk, &reader->at, &reader->end))
			return false;
	}
	*nentries = *reader->at++;
	reader->times = 1;
	if (*nentries & RECORD_TIMES)
	{
		*nentries &= ~RECORD_TIMES;
		reader->times = *reader->at++;
	}
	reader->at += reader->head_words;
	*entries = reader->at;
	reader->at += *nentries * reader->entry_words;
	return true;
}

#endif							/* GPUFIM_ROWS_H */
