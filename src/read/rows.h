/*-------------------------------------------------------------------------
 *
 * rows.h
 *	  The set of encoded rows: the records, and bringing together those of a transaction
 *	  that came apart.
 *
 * A value of an item column is encoded as its number in a dictionary.  What a source holds
 * of one transaction becomes a record, which consists of words of 32 bits:
 *
 * 	the number of entries
 * 	how many rows the record stands for, if the first word has RECORD_TIMES set
 * 	a value that goes with the whole record, if the layout says so
 * 	the entries: an item's number and, if the layout says so, the item's value
 *
 * Records lie in chunks of a few dozen kilobytes, which never split a record and can be
 * written to a temporary file one by one.
 *
 * Where a row of the source is an item of a transaction, its rows may be anywhere, and several
 * processes may have read some of them.  What a process finds of a transaction in one stretch is a
 * piece, which has the transaction's id.  Pieces are dealt into partitions by their ids; when
 * everything has been read, the pieces of each id become one record.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_READ_ROWS_H
#define GPUFIM_READ_ROWS_H

#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "lib/stringinfo.h"
#include "read/dictionary.h"
#include "storage/buffile.h"
#include "storage/dsm.h"
#include "storage/sharedfileset.h"
#include "utils/resowner.h"

/*
 * rows.c: The rows of a source, encoded as records of numbers, in memory or in a file.
 */

struct GpufimSource;

struct RecentRecords;

/* What a family wants its rows to be like. */
typedef struct RowLayout
{
	bool		grouped;		/* a record has all entries of a transaction id;
								 * otherwise it has those of a row */
	bool		unique;			/* an item has one entry in a record, however often
								 * the source has it there */
	uint32		value_words;	/* of the value behind the item's number in an entry */
	bool		merged;			/* a record may stand for several rows of the same
								 * entries */
	uint32		head_words;		/* of the value before the entries of a record */
} RowLayout;

/* The words of a value, which is a float8, and those of an entry with a value. */
#define VALUE_WORDS		((uint32) (sizeof(float8) / sizeof(uint32)))
#define VALUED_WORDS	(1 + VALUE_WORDS)

static inline uint32
EntryWords(const RowLayout *layout)
{
	return 1 + layout->value_words;
}

/* The value of the i-th entry of a record whose entries have values. */
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

/* The value that goes with a whole record, if the layout has one.  It lies before the entries. */
static inline float8
RecordValue(const uint32 *entries)
{
	float8		value;

	memcpy(&value, entries - VALUE_WORDS, sizeof(value));
	return value;
}

/* Does an entry count?  It does not if its value is a probability of 0. */
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

/* A temporary file of chunks. */
typedef struct ChunkFile
{
	BufFile    *file;			/* NULL: none */
	uint64		blocks;
	uint64		at;				/* the block at which the file is positioned */
} ChunkFile;

/* A segment of shared memory to which chunks belong.  It is detached when nobody uses it any more. */
typedef struct PartSegment
{
	dsm_segment *segment;		/* NULL: has been detached */
	MemoryLedger *ledger;
	uint32		users;			/* chunks; of the segment of shared files, parts */
	uint32		number;			/* see PartSegmentsCollect() */
	LedgerRelief relief;
} PartSegment;

/* The words of a segment, of which chunks have some. */
static inline uint32 *
SegmentWords(const PartSegment *segment)
{
	return dsm_segment_address(segment->segment);
}

/* Shared memory that a process fills with chunks: see segments.c. */
typedef struct ChunkStore ChunkStore;

/*
 * What another process has read.  Its chunks lie in segments or in a file, and have the other process's numbers of values,
 * which maps[] turn into those of this process.
 */
typedef struct RowPart
{
	struct RowPart *next;
	uint32	   *maps[2];		/* by number there, for each of the two kinds of numbers that words may be; NULL: they are
								 * this process's own */
	uint32		nmapped[2];		/* numbers in each */
	ChunkFile	file;
	PartSegment *files;			/* has the shared files' names */
} RowPart;

/* A part of a stream of words, in memory or in a file. */
typedef struct Chunk
{
	uint32	   *words;			/* NULL: in a file */
	ChunkFile  *file;			/* if so */
	uint64		block;			/* its first one in the file */
	uint32		size;			/* in words, whole blocks */
	uint32		used;			/* in words */
	RowPart    *part;			/* the words have its numbers; NULL: this process's */
	PartSegment *segment;		/* where the words lie; NULL: in this process's memory */
} Chunk;

typedef struct ChunkList
{
	Chunk	   *chunks;
	uint32		nchunks;
	uint32		max_chunks;
	uint32		nspilled;		/* the first ones are in a file */
	Chunk	   *last;			/* the one that is being filled; NULL: none */
} ChunkList;

/*
 * A piece: a transaction's id, and what has been read of the transaction in one stretch.  Its words are
 * the number of entries, the id, and the entries.  An id that is passed by value has as many words
 * as its type needs, one that is not has its bytes, or the varlena, without a short header.
 */
typedef struct Piece
{
	const uint32 *id;
	const uint32 *entries;
	uint32		nentries;
} Piece;

/* An item that is in one transaction with two values. */
typedef struct ValueConflict
{
	bool		found;
	uint32		item;
	float8		one;
	float8		other;
} ValueConflict;

/* Pieces are dealt into this many partitions once there is more than a little of them. */
#define PIECE_PARTITIONS_BITS	6
#define PIECE_PARTITIONS		(1 << PIECE_PARTITIONS_BITS)

typedef struct GpufimRows
{
	MemoryLedger *ledger;		/* the call's */
	const struct GpufimSource *source; /* for messages; its plan may be gone */
	RowLayout	layout;
	Dictionary *items;			/* the call's; NULL once it has been freed */
	int64		rows_read;		/* rows of the source, also those that are no transaction */
	int64		transactions;
	uint32		longest;		/* entries in the longest record */

	/* If rows may be merged: the number of records, and of the entries in them. */
	uint64		nmerged;
	uint64		nmerged_entries;
	struct RecentRecords *recent; /* for rows.c; NULL: not needed yet */
	uint32		not_looked_up;	/* the number of next rows that are not looked up there */

	ChunkList	records;

	/* If rows are grouped: the pieces, until RowsGroup() makes records of them. */
	Dictionary *ids;			/* has no values, but tells how to compare them */
	StringInfoData id_buffer;	/* for an id that must be aligned */
	bool		ascending;		/* ids are integers and have ascended, so each piece is a transaction */
	int64		last_id;		/* if so */
	bool		scattered;		/* integer ids, divided, and nearly each pair has another one */
	ChunkList	pieces[PIECE_PARTITIONS];
	uint32		npartitions;	/* 1 or PIECE_PARTITIONS */
	ValueConflict *conflict;	/* where grouping notes one, for another process to raise the error; NULL:
								 * it raises the error */

	uint32		max_chunk_blocks;
	ChunkStore *store;			/* where chunks go that others will read; NULL: there are no others */
	bool		passing;		/* nobody else will read the next chunks */
	LedgerRelief relief;
	ChunkFile	file;
	SharedFileSet *shared_files; /* the file is one of these; NULL: it is this process's own */
	char		file_name[32];	/* if so */
	RowPart    *parts;			/* what other processes have read */
	const uint32 *map;			/* see RowsMapItems(); NULL: not yet */
	uint32		map_end;
	bool		numbered;		/* rows_read tells which row of the source is read */
} GpufimRows;

/* Have so many rows been merged, at least a quarter, that it is worth making use of? */
static inline bool
RowsRepeat(const GpufimRows *rows)
{
	return rows->layout.merged && rows->nmerged <= rows->transactions - rows->transactions / 4;
}

/* Rows live as long as the ledger.  "ids" is NULL unless the layout is grouped. */
extern GpufimRows *RowsCreate(MemoryLedger *ledger, const struct GpufimSource *source,
							  const RowLayout *layout, Dictionary *items, Dictionary *ids);

/* Raises the error that there are too many transactions. */
pg_noreturn extern void RaiseTooManyTransactions(void);

/* Counts a transaction. */
static inline void
CountTransaction(GpufimRows *rows)
{
	if (unlikely(rows->transactions == FIM_MAX_TRANSACTIONS - 1))
		RaiseTooManyTransactions();
	rows->transactions++;
}

extern uint32 *ChunkReserveSlowly(GpufimRows *rows, ChunkList *list, uint32 nwords);
extern void ChunkListFree(GpufimRows *rows, ChunkList *list);

/*
 * The chunks of a list from *next on that one process has read, as a list that shares them.  *next goes
 * on behind them.
 */
extern ChunkList ChunkListStretch(const ChunkList *list, uint32 *next);

/* The words that the longest chunk has. */
extern uint32 ChunkListLongest(const ChunkList *list);

/* Append a chunk, which the caller sets.  No chunk is being filled after that. */
extern Chunk *ChunkListAppend(GpufimRows *rows, ChunkList *list);

/* Move all chunks to the file, also that which is being filled, or all but that one. */
extern void ChunkListSpill(GpufimRows *rows, ChunkList *list);
extern void ChunkListSpillFilled(GpufimRows *rows, ChunkList *list);

/* No row will be found to be equal to one of the records so far, which are about to move. */
extern void ForgetRecentRecords(GpufimRows *rows);

/*
 * Put every n-th chunk first, so that the first part of the records that are read is
 * a sample of all.  No more may be added to the list, and no rows moved to the file.
 */
extern void ChunkListSpread(ChunkList *list, uint32 n);

/* Reserves room for nwords words side by side, at the end of a list. */
static inline uint32 *
ChunkReserve(GpufimRows *rows, ChunkList *list, uint32 nwords)
{
	Chunk	   *chunk = list->last;

	if (likely(chunk != NULL && chunk->size - chunk->used >= nwords))
		return chunk->words + chunk->used;
	return ChunkReserveSlowly(rows, list, nwords);
}

/* Says how much of the room that was reserved last has been filled. */
static inline void
ChunkAdvance(ChunkList *list, uint32 nwords)
{
	list->last->used += nwords;
}

/* Reserves room for a record of nentries entries.  These begin at *entries. */
static inline uint32 *
RecordReserve(GpufimRows *rows, uint32 nentries, uint32 **entries)
{
	uint32		head = 1 + rows->layout.head_words;
	uint32	   *record = ChunkReserve(rows, &rows->records,
									  head + nentries * EntryWords(&rows->layout));

	*entries = record + head;
	return record;
}

/*
 * Set in a record's first word if the second word says how many rows the record stands for.  Where
 * rows are grouped, it says that another record stands for this one's transaction.
 */
#define RECORD_TIMES			((uint32) 0x80000000)
#define RECORD_REPLACED			RECORD_TIMES

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
	Chunk	   *chunk;			/* the one that was given last */
	uint32	   *buffer;
	uint32		buffer_size;
} ChunkWalk;

extern void ChunkWalkBegin(ChunkWalk *walk, GpufimRows *rows, ChunkList *list, bool consume);
extern void ChunkWalkEnd(ChunkWalk *walk);

/* The next chunk's words, up to *end; false if there is none. */
extern bool ChunkWalkNext(ChunkWalk *walk, uint32 **words, uint32 **end);

/*
 * Where a reader of records gives the items' numbers, these are those of this process, until RowsMapItems() says
 * what each of them leads to: map[Min(number, map_end)].  From then on, readers give items as they are in the chunks, and
 * RecordReaderMap() is the map of those of the record that was read last.  So there is one step from what another
 * process has read to what is wanted, and frequent items, which appear early, need only the beginning of a map.
 */
typedef struct ItemMap
{
	const uint32 *map;
	uint32		end;
} ItemMap;

static inline uint32
MapItem(ItemMap map, uint32 item)
{
	return map.map[Min(item, map.end)];
}

extern void RowsMapItems(GpufimRows *rows, const uint32 *map, uint32 map_end);

/* Reads records one after the other, as a walk goes through their chunks. */
typedef struct RecordReader
{
	ChunkWalk	walk;
	uint32	   *at;
	uint32	   *end;
	bool		grouped;
	uint32		head_words;
	uint32		entry_words;
	uint32		times;			/* how many rows the last record stands for */
} RecordReader;

static inline ItemMap
RecordReaderMap(const RecordReader *reader)
{
	const GpufimRows *rows = reader->walk.rows;
	const RowPart *part = reader->walk.chunk->part;

	return part != NULL ? (ItemMap) {part->maps[0], part->nmapped[0] - 1} : (ItemMap) {rows->map, rows->map_end};
}

extern void RecordReaderBegin(RecordReader *reader, GpufimRows *rows,
							  ChunkList *list, bool consume);
extern void RecordReaderEnd(RecordReader *reader);

/* Give the records of the chunk, which another process has read, this process's numbers of items. */
extern void RecordReaderRenumber(RecordReader *reader);

static inline bool
RecordReaderNext(RecordReader *reader, const uint32 **entries, uint32 *nentries)
{
next:
	while (reader->at == reader->end)
	{
		if (!ChunkWalkNext(&reader->walk, &reader->at, &reader->end))
			return false;
		if (unlikely(reader->walk.chunk->part != NULL) && reader->walk.rows->map == NULL)
			RecordReaderRenumber(reader);
	}
	*nentries = *reader->at++;
	reader->times = 1;
	if (unlikely(*nentries & RECORD_TIMES))
	{
		*nentries &= ~RECORD_TIMES;
		if (reader->grouped)
		{
			reader->at += reader->head_words + *nentries * reader->entry_words;
			goto next;
		}
		reader->times = *reader->at++;
	}
	reader->at += reader->head_words;
	*entries = reader->at;
	reader->at += *nentries * reader->entry_words;
	return true;
}

/*
 * Appending entries to a record: each item once, and counted.
 */

/*
 * Appends an item to the nout items of a transaction unless it is there already, and counts
 * it.  Returns the new number of items.  The stamp identifies the transaction: it is in the
 * dictionary's entry of each item that the transaction has so far, and of no other.
 */
static inline uint32
AppendItem(Dictionary *items, uint32 id, uint32 stamp, uint32 *out, uint32 nout)
{
	DictionaryEntry *entry = &items->entries[id];

	if (entry->stamp != stamp)
	{
		entry->stamp = stamp;
		entry->count++;
		out[nout++] = id;
	}
	return nout;
}

#define ENTRIES_CONFLICT	UINT32_MAX

/*
 * The same for an item with a value.  An item whose value is 0 gets an entry, but is not
 * counted.  Returns ENTRIES_CONFLICT if the item is there with another value.
 *
 * Here the stamp in the dictionary is the item's place in the record, so that its value
 * there can be found.  It is left from an earlier record if that place has another item.
 */
static inline uint32
AppendValued(Dictionary *items, uint32 id, float8 value, uint32 *out, uint32 nout)
{
	DictionaryEntry *entry = &items->entries[id];
	uint32		place = entry->stamp;

	if (place < nout && out[place * VALUED_WORDS] == id)
		return EntryValue(out, place) == value ? nout : ENTRIES_CONFLICT;
	entry->stamp = nout;
	entry->count += value != 0;
	SetEntry(out, nout, id, value);
	return nout + 1;
}

/* The value of an item that AppendValued() has found to be in the record already. */
static inline float8
ValueInRecord(const Dictionary *items, uint32 id, const uint32 *record)
{
	return EntryValue(record, items->entries[id].stamp);
}

/*
 * Rows that are equal to one shortly before them.
 */

extern bool LookUpRecord(GpufimRows *rows, uint32 *record, uint32 nentries);

/*
 * Counts a row in the record of an equal row shortly before it, if there is one.  The caller
 * has filled in the row's own record, whose entries are items alone, but has not called
 * RecordAdvance(); the record has room for one more entry.  Returns true if an equal row was
 * found: then the row is dealt with, and its record must not be completed.  Returns false
 * if not, or if the layout does not allow rows to be merged.
 */
static inline bool
RecordRepeats(GpufimRows *rows, uint32 *record, uint32 nentries)
{
	bool		found = false;

	if (!rows->layout.merged)
		return false;
	if (rows->not_looked_up > 0)
		rows->not_looked_up--;
	else
		found = LookUpRecord(rows, record, nentries);
	if (!found)
	{
		rows->nmerged++;
		rows->nmerged_entries += nentries;
	}
	return found;
}

/*
 * segments.c: Segments of shared memory in which chunks lie, and the pages of memory that they take.
 */

/*
 * Have the kernel map all pages of new memory at once, if it can.  The page faults of one page at a time took an eighth of
 * the time of reading, and twice as long as copying to a new segment.
 */
extern void MakePages(void *memory, Size bytes);

/*
 * Give the pages back on which a chunk lies in a segment.  No process will read it any more.  Several processes do that in a fraction
 * of the time in which the one that is the last to let a segment go would.
 */
extern void ChunkGivePagesBack(const Chunk *chunk);

/*
 * Have a segment detached when its last user releases it, or when the ledger is destroyed.  The caller is the first user, and counts
 * its memory in the ledger.
 */
extern PartSegment *PartSegmentAdd(MemoryLedger *ledger, dsm_segment *segment);

/* A new segment for this number of words, whose user is the caller.  NULL: there is no room for one. */
extern PartSegment *PartSegmentCreate(MemoryLedger *ledger, uint64 words);

/* Say that one user of a segment less is left, or of each segment of a list. */
extern void PartSegmentRelease(PartSegment *segment);
extern void PartSegmentsRelease(const List *segments);

/* Append the segments of a list's chunks to a list of segments, each once.  Their numbers are their places there. */
extern List *PartSegmentsCollect(List *segments, const ChunkList *list);

/*
 * The store of a process, which lives as long as the ledger.  ChunkStoreReserve() returns room for so many words, and makes the chunk
 * that they are for a user of *segment, or returns NULL: then the chunk has to be in memory of the process's own.
 */
extern ChunkStore *ChunkStoreCreate(MemoryLedger *ledger);
extern uint32 *ChunkStoreReserve(ChunkStore *store, uint64 nwords, PartSegment **segment);

/* No chunks will come any more. */
extern void ChunkStoreClose(ChunkStore *store);

/*
 * Where processes leave segments to another one, which makes this part of a segment of its own; when it detaches that, those are
 * dropped that have not been taken.  What is left later is dropped by whoever leaves it.
 */
#define MOST_PLACES		1024
#define NO_PLACES		UINT32_MAX

typedef struct SegmentPlaces
{
	pg_atomic_uint32 taken;
	pg_atomic_uint32 closed;	/* nobody will take what is left */
	pg_atomic_uint32 handles[MOST_PLACES];
} SegmentPlaces;

extern void SegmentPlacesInit(SegmentPlaces *places, dsm_segment *segment);

/* Take n places side by side.  Returns the first one, or NO_PLACES if there are not enough left. */
extern uint32 SegmentPlacesTake(SegmentPlaces *places, uint32 n);

/* Leave segments there.  They are detached here, but still count. */
extern void SegmentsLeave(SegmentPlaces *places, uint32 first, const List *segments);

/* Take n segments from the first place on.  Their user is the caller. */
extern List *SegmentsTake(MemoryLedger *ledger, SegmentPlaces *places, uint32 first, uint32 n);

/*
 * regroup.c: Pieces of transactions, and bringing together those of each transaction.
 */

/* The number of words that so many bytes take. */
static inline uint32
WordsOf(Size bytes)
{
	return (bytes + sizeof(uint32) - 1) / sizeof(uint32);
}

/* The integer that is an id, in a piece or as a row has it. */
static inline int64
IntegerOfId(const Dictionary *ids, const void *id)
{
	int32		half;
	int64		whole;

	if (ids->typlen == sizeof(whole))
	{
		memcpy(&whole, id, sizeof(whole));
		return whole;
	}
	memcpy(&half, id, sizeof(half));
	return half;
}

/* Puts the words that an id which is passed by value has in a piece where there is room for two.  Returns their bytes. */
static inline uint32
PutIntegerId(const Dictionary *ids, Datum id, uint64 *words)
{
	if (ids->typlen == sizeof(uint64))
		*words = DatumGetInt64(id);
	else
		*(uint32 *) words = (uint32) DatumInteger(ids, id);
	return Max(ids->typlen, sizeof(uint32));
}

/* The words of an id in a piece, if it is not a varlena; 0 if it is. */
static inline uint32
PieceIdWords(const Dictionary *ids)
{
	return ids->typlen > 0 ? WordsOf(ids->typlen) : 0;
}

/*
 * Integers are often dense.  So blocks of consecutive ones are dealt to partitions in turn, and
 * within a partition they are dense again once the bits that tell the partition are left out.
 * Then the partition's dictionary is a window, which is faster than a hash table.
 */
#define PIECE_BLOCK_BITS	10

static inline uint32
PartitionOfInteger(int64 id)
{
	return (uint32) (id >> PIECE_BLOCK_BITS) & (PIECE_PARTITIONS - 1);
}

/*
 * Add a pair as a piece of its own.  Only for rows that are scattered.  "valued" is a constant
 * wherever this is called.
 */
static pg_always_inline void
PieceAddPair(GpufimRows *rows, int64 id, uint32 item, float8 value, bool valued)
{
	ChunkList  *list = &rows->pieces[PartitionOfInteger(id)];
	uint32		id_words = PieceIdWords(rows->ids);
	uint32		words = 1 + id_words + (valued ? VALUED_WORDS : 1);
	uint32	   *piece = ChunkReserve(rows, list, words);

	piece[0] = 1;
	if (id_words == 1)
		piece[1] = (uint32) id;
	else
		memcpy(piece + 1, &id, sizeof(id));
	if (valued)
		SetEntry(piece + 1 + id_words, 0, item, value);
	else
		piece[1 + id_words] = item;
	ChunkAdvance(list, words);
}

/*
 * Add a piece, whose id has this many words.  Returns where the caller writes the entries.  The
 * items have been counted.
 */
extern uint32 *PieceAdd(GpufimRows *rows, const uint32 *id, uint32 id_words, uint32 nentries);

/* Goes through the pieces of a list, as a walk goes through their chunks. */
typedef struct PieceReader
{
	ChunkWalk	walk;
	uint32	   *at;
	uint32	   *end;
	uint32		id_words;		/* 0: ids are varlenas */
	uint32		entry_words;
} PieceReader;

static inline void
PieceReaderBegin(PieceReader *reader, GpufimRows *rows, ChunkList *list, bool consume)
{
	memset(reader, 0, sizeof(PieceReader));
	ChunkWalkBegin(&reader->walk, rows, list, consume);
	reader->id_words = PieceIdWords(rows->ids);
	reader->entry_words = EntryWords(&rows->layout);
}

static inline bool
NextPiece(PieceReader *reader, Piece *piece)
{
	while (reader->at == reader->end)
	{
		if (!ChunkWalkNext(&reader->walk, &reader->at, &reader->end))
			return false;
	}
	piece->nentries = *reader->at++;
	piece->id = reader->at;
	reader->at += reader->id_words > 0 ? reader->id_words : WordsOf(VARSIZE(piece->id));
	piece->entries = reader->at;
	reader->at += piece->nentries * reader->entry_words;
	return true;
}

/*
 * Prepare rows for pieces of another process, which has dealt them to this number of partitions, and
 * may have met ids in ascending order only.  PiecesDeal() deals such pieces to partitions of these rows, if
 * they are not divided yet; it consumes the list.
 */
extern void PiecesUnite(GpufimRows *rows, uint32 npartitions, bool ascending);
extern void PiecesDeal(GpufimRows *rows, ChunkList *pieces);

/*
 * Make records of the pieces of partitions that are not ascending.  Where several processes do that, each takes the
 * next partition by a counter that they share; otherwise that is NULL.
 */
extern void GroupPartitions(GpufimRows *rows, pg_atomic_uint32 *next);

/*
 * Make a record of the pieces of each transaction, in which each item is once, and count the
 * items and the transactions.  Does nothing if the layout is not grouped.  Raises an error if an
 * item has two probabilities in one transaction.
 */
extern void RowsGroup(GpufimRows *rows);

/*
 * attempt.c: Reading with several processes, and once more with one if they lack memory.
 */

typedef struct ReadAttempt
{
	ResourceOwner keeper;		/* the caller's: what has been read belongs to it */
	ResourceOwner executor;		/* of the subtransaction in which plans are executed; NULL: none has begun */
} ReadAttempt;

/*
 * Have "read" read sources into the ledger.  If several processes do so and find gpufim.memory_limit too low, or the system has no room for
 * shared memory, what has been read is dropped, and "read" is called a second time, when one process reads.  All that it makes must be in the ledger.
 */
extern void ReadWithinLimit(MemoryLedger *ledger, void (*read) (void *arg), void *arg);

/* Several processes are about to read: begin the subtransaction, unless that has been done, or cannot be done. */
extern void AttemptBegin(ReadAttempt *attempt);

/*
 * Within an attempt, make the current resource owner that of what has been read, or that of the executor.  Both return the one
 * that was current, which the caller puts back.
 */
static inline ResourceOwner
AttemptKeeps(const MemoryLedger *ledger)
{
	ResourceOwner current = CurrentResourceOwner;

	if (ledger->attempt != NULL)
		CurrentResourceOwner = ledger->attempt->keeper;
	return current;
}

static inline ResourceOwner
AttemptExecutes(const MemoryLedger *ledger)
{
	ResourceOwner current = CurrentResourceOwner;

	if (ledger->attempt != NULL && ledger->attempt->executor != NULL)
		CurrentResourceOwner = ledger->attempt->executor;
	return current;
}

#endif							/* GPUFIM_READ_ROWS_H */
