/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Storage of the encoded rows: memory up to gpufim.memory_limit, a temporary file beyond.
 *
 * Rows are kept in chunks.  When the ledger runs short, all chunks but the one being
 * filled go to the end of a BufFile, and the second pass reads them back one at a time.
 * Dictionaries cannot be spilled, since every row needs them.  If they do not fit, the
 * call ends with an error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "miscadmin.h"
#include "read/rows.h"
#include "utils/memutils.h"

/*
 * Rows that are equal to one shortly before them.
 *
 * In many data sets many rows are equal.  A row that is found in a table of recent records
 * gets no record of its own, but is counted in the one that was found.  The table holds
 * the last record of each hash value, as long as that lies in memory.  While few rows are
 * found, fewer and fewer are looked up.
 *
 * A record of one row has no word for the number of rows.  When the same entries come a
 * second time, they are kept once more, as a record that has such a word.
 */

/* No row is looked up before the source has filled about this many chunks. */
#define CHUNKS_TO_LOOK			32

#define RECENT_RECORDS			8192

/* The table of recent records may take one in ROOM_PART of the bytes that are left. */
#define ROOM_PART				16

/*
 * When ROWS_TO_JUDGE rows have been looked up and less than one in ROWS_TO_FIND has been
 * found, the next LEAST_TO_SKIP rows are not looked up.  Each time that this happens again,
 * twice as many are not, up to MOST_TO_SKIP.
 */
#define ROWS_TO_JUDGE			1024
#define ROWS_TO_FIND			4
#define LEAST_TO_SKIP			(16 * ROWS_TO_JUDGE)
#define MOST_TO_SKIP			(64 * LEAST_TO_SKIP)

typedef struct RecentRecord
{
	uint32	   *record;			/* NULL: none */
	uint32		hash;
} RecentRecord;

struct RecentRecords
{
	uint32		looked_up;		/* rows, since JudgeRepeats() judged last */
	uint32		found;			/* of these */
	uint32		to_skip;		/* rows, if the next judgement is that too few are found */
	RecentRecord recent[RECENT_RECORDS];
};

void
ForgetRecentRecords(GpufimRows *rows)
{
	if (rows->recent != NULL)
		memset(rows->recent->recent, 0, sizeof(rows->recent->recent));
}

/* Hashes two entries at a time.  The upper half of a product depends on all bits below it. */
static inline uint32
HashEntries(const uint32 *entries, uint32 n)
{
	uint64		h = n;
	uint64		word = 0;
	uint32		i = 0;

	for (; i + 2 <= n; i += 2)
	{
		memcpy(&word, entries + i, sizeof(word));
		h = (h ^ word) * UINT64CONST(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	if (i < n)
		h = (h ^ entries[i]) * UINT64CONST(0x9e3779b97f4a7c15);
	return (uint32) (h >> 32);
}

/* Counts a row that has been looked up, and decides from time to time whether to go on looking. */
static void
JudgeRepeats(GpufimRows *rows, bool found)
{
	struct RecentRecords *records = rows->recent;

	records->found += found;
	if (++records->looked_up < ROWS_TO_JUDGE)
		return;
	if (records->found * ROWS_TO_FIND < records->looked_up)
	{
		rows->not_looked_up = records->to_skip;
		records->to_skip = Min(2 * records->to_skip, MOST_TO_SKIP);
	}
	else
		records->to_skip = LEAST_TO_SKIP;
	records->looked_up = records->found = 0;
}

static inline bool
HasEntries(const uint32 *record, const uint32 *entries, uint32 nentries)
{
	const uint32 *others = record + (record[0] & RECORD_TIMES ? 2 : 1);

	return (record[0] & ~RECORD_TIMES) == nentries &&
		memcmp(others, entries, nentries * sizeof(uint32)) == 0;
}

/*
 * Completes a record with a word that counts its rows, of which there is one so far.  It
 * takes the room for one more entry that the caller of RecordRepeats() has reserved.
 */
static void
AdvanceWithTimes(GpufimRows *rows, uint32 *record, uint32 nentries)
{
	memmove(record + 2, record + 1, nentries * sizeof(uint32));
	record[0] = nentries | RECORD_TIMES;
	record[1] = 1;
	ChunkAdvance(&rows->records, 2 + nentries);
	rows->nmerged++;
	rows->nmerged_entries += nentries;
}

bool
LookUpRecord(GpufimRows *rows, uint32 *record, uint32 nentries)
{
	struct RecentRecords *records = rows->recent;
	RecentRecord *at;
	uint32		hash;
	bool		found;

	if (records == NULL)
	{
		if (rows->records.nchunks < CHUNKS_TO_LOOK ||
			LedgerRoom(rows->ledger) / ROOM_PART < sizeof(struct RecentRecords))
		{
			rows->not_looked_up = ROWS_TO_JUDGE;
			return false;
		}
		records = rows->recent = LedgerAllocZero(rows->ledger, sizeof(struct RecentRecords), "encoded rows");
		records->to_skip = LEAST_TO_SKIP;
	}
	hash = HashEntries(record + 1, nentries);
	at = &records->recent[hash % RECENT_RECORDS];
	found = at->record != NULL && at->hash == hash && HasEntries(at->record, record + 1, nentries);
	if (found && (at->record[0] & RECORD_TIMES) != 0)
		at->record[1]++;
	else
	{
		if (found)
			AdvanceWithTimes(rows, record, nentries);
		*at = (RecentRecord) {record, hash};
	}
	JudgeRepeats(rows, found);
	return found;
}

/* Items between two checks for interrupts. */
#define INTERRUPT_ITEMS			65536

#define BLOCK_WORDS				(BLCKSZ / sizeof(uint32))
#define MAX_CHUNK_BLOCKS		16	/* of a chunk, unless one record takes more */

static void
SeekFile(ChunkFile *file, uint64 block)
{
	if (file->at != block && BufFileSeekBlock(file->file, block) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in temporary file of encoded rows: %m")));
	file->at = block;
}

static void
CreateFile(GpufimRows *rows)
{
	MemoryContext old = MemoryContextSwitchTo(rows->ledger->context);
	ResourceOwner owner = AttemptKeeps(rows->ledger);

	rows->file.file = rows->shared_files == NULL ? BufFileCreateTemp(false) :
		SharedFileCreate(rows->shared_files, rows->file_name);
	CurrentResourceOwner = owner;
	MemoryContextSwitchTo(old);
}

/* Gives the memory of a chunk's words back. */
static void
FreeWords(GpufimRows *rows, Chunk *chunk)
{
	if (chunk->segment == NULL)
		LedgerFree(rows->ledger, chunk->words, chunk->size * sizeof(uint32));
	else
		PartSegmentRelease(chunk->segment);
	chunk->words = NULL;
	chunk->segment = NULL;
}

static void
SpillChunk(GpufimRows *rows, Chunk *chunk)
{
	uint64		blocks = (chunk->used + BLOCK_WORDS - 1) / BLOCK_WORDS;
	ChunkFile  *file = &rows->file;
	PGAlignedBlock last;

	if (file->file == NULL)
		CreateFile(rows);
	SeekFile(file, file->blocks);
	for (uint64 block = 0; block < blocks; block++)
	{
		uint32	   *words = chunk->words + block * BLOCK_WORDS;
		Size		used = Min(chunk->used - block * BLOCK_WORDS, BLOCK_WORDS) * sizeof(uint32);

		CHECK_FOR_INTERRUPTS();
		if (used < BLCKSZ)
		{
			memset(last.data, 0, BLCKSZ);
			memcpy(last.data, words, used);
			words = (uint32 *) last.data;
		}
		BufFileWrite(file->file, words, BLCKSZ);
	}
	FreeWords(rows, chunk);
	chunk->file = file;
	chunk->block = file->blocks;
	chunk->size = blocks * BLOCK_WORDS;
	file->blocks += blocks;
	file->at = file->blocks;
	LedgerNoteSpilled(rows->ledger, blocks * BLCKSZ);
}

/* Moves the first n chunks of a list to the file, as far as they are in memory. */
static void
SpillFirst(GpufimRows *rows, ChunkList *list, uint32 n)
{
	for (; list->nspilled < n; list->nspilled++)
	{
		if (list->chunks[list->nspilled].words != NULL)
			SpillChunk(rows, &list->chunks[list->nspilled]);
	}
}

void
ChunkListSpill(GpufimRows *rows, ChunkList *list)
{
	SpillFirst(rows, list, list->nchunks);
	list->last = NULL;
}

void
ChunkListSpillFilled(GpufimRows *rows, ChunkList *list)
{
	SpillFirst(rows, list, list->nchunks - (list->last != NULL));
}

static void
RelieveRows(void *arg)
{
	GpufimRows *rows = arg;

	/* records in a file cannot be compared */
	ForgetRecentRecords(rows);
	ChunkListSpillFilled(rows, &rows->records);
	for (uint32 i = 0; i < rows->npartitions; i++)
		ChunkListSpillFilled(rows, &rows->pieces[i]);
}

Chunk *
ChunkListAppend(GpufimRows *rows, ChunkList *list)
{
	Chunk	   *chunk;

	if (list->nchunks == list->max_chunks)
	{
		uint32		max_chunks = Max(8, 2 * list->max_chunks);

		list->chunks = LedgerGrow(rows->ledger, list->chunks,
								  list->max_chunks * sizeof(Chunk),
								  max_chunks * sizeof(Chunk), "encoded rows");
		list->max_chunks = max_chunks;
	}
	list->last = NULL;
	chunk = &list->chunks[list->nchunks++];
	memset(chunk, 0, sizeof(Chunk));
	return chunk;
}

uint32
ChunkListLongest(const ChunkList *list)
{
	uint32		most = 0;

	for (uint32 i = 0; i < list->nchunks; i++)
		most = Max(most, list->chunks[i].used);
	return most;
}

ChunkList
ChunkListStretch(const ChunkList *list, uint32 *next)
{
	uint32		first = *next;
	ChunkList	stretch = {.chunks = list->chunks + first};

	while (*next < list->nchunks && list->chunks[*next].part == list->chunks[first].part)
		(*next)++;
	stretch.nchunks = *next - first;
	return stretch;
}

/*
 * Starts a new chunk that has room for nwords.  The first chunks of a list are small,
 * because there may be many lists.
 */
uint32 *
ChunkReserveSlowly(GpufimRows *rows, ChunkList *list, uint32 nwords)
{
	uint64		blocks = Min(1 + list->nchunks, rows->max_chunk_blocks);
	uint64		needed = ((uint64) nwords + BLOCK_WORDS - 1) / BLOCK_WORDS;
	uint64		size = Max(blocks, needed) * BLOCK_WORDS;
	PartSegment *segment = NULL;
	uint32	   *words = NULL;
	Chunk	   *chunk;

	if (rows->store != NULL && !rows->passing)
		words = ChunkStoreReserve(rows->store, size, &segment);
	if (words == NULL)
		words = LedgerAlloc(rows->ledger, size * sizeof(uint32), "encoded rows");
	MakePages(words, size * sizeof(uint32));
	chunk = ChunkListAppend(rows, list);
	chunk->words = words;
	chunk->size = size;
	chunk->segment = segment;
	list->last = chunk;
	return words;
}

/* Returns a chunk's words.  Those in a file are read into the buffer, which grows if it must. */
static uint32 *
ChunkRead(GpufimRows *rows, const Chunk *chunk, uint32 **buffer, uint32 *buffer_size)
{
	uint64		blocks = (chunk->used + BLOCK_WORDS - 1) / BLOCK_WORDS;
	ChunkFile  *file = chunk->file;

	CHECK_FOR_INTERRUPTS();
	if (chunk->words)
		return chunk->words;
	if (*buffer_size < chunk->size)
	{
		LedgerFree(rows->ledger, *buffer, *buffer_size * sizeof(uint32));
		*buffer = NULL;
		*buffer = LedgerAlloc(rows->ledger, chunk->size * sizeof(uint32),
							  "encoded rows");
		*buffer_size = chunk->size;
	}
	SeekFile(file, chunk->block);
	for (uint64 block = 0; block < blocks; block++)
	{
		CHECK_FOR_INTERRUPTS();
		if (BufFileRead(file->file, *buffer + block * BLOCK_WORDS, BLCKSZ) != BLCKSZ)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read temporary file of encoded rows: unexpected end of file")));
	}
	file->at += blocks;
	return *buffer;
}

void
ChunkListFree(GpufimRows *rows, ChunkList *list)
{
	for (uint32 i = 0; i < list->nchunks; i++)
	{
		if (list->chunks[i].words != NULL)
			FreeWords(rows, &list->chunks[i]);
	}
	LedgerFree(rows->ledger, list->chunks, list->max_chunks * sizeof(Chunk));
	memset(list, 0, sizeof(ChunkList));
}

/* Chunks 0, n, 2n ... change places with chunks 0, 1, 2 ... in this order. */
void
ChunkListSpread(ChunkList *list, uint32 n)
{
	for (uint32 first = 0, i = 0; i < list->nchunks; first++, i += n)
	{
		Chunk		chunk = list->chunks[i];

		list->chunks[i] = list->chunks[first];
		list->chunks[first] = chunk;
	}
}

void
ChunkWalkBegin(ChunkWalk *walk, GpufimRows *rows, ChunkList *list, bool consume)
{
	memset(walk, 0, sizeof(ChunkWalk));
	walk->rows = rows;
	walk->list = list;
	walk->consume = consume;
}

bool
ChunkWalkNext(ChunkWalk *walk, uint32 **words, uint32 **end)
{
	ChunkList  *list = walk->list;
	Chunk	   *chunk;

	if (walk->consume && walk->next_chunk > 0 && walk->chunk->words != NULL)
	{
		ChunkGivePagesBack(walk->chunk);
		FreeWords(walk->rows, walk->chunk);
	}
	if (walk->next_chunk == list->nchunks)
		return false;
	chunk = &list->chunks[walk->next_chunk++];
	*words = ChunkRead(walk->rows, chunk, &walk->buffer, &walk->buffer_size);
	*end = *words + chunk->used;
	walk->chunk = chunk;
	return true;
}

void
ChunkWalkEnd(ChunkWalk *walk)
{
	LedgerFree(walk->rows->ledger, walk->buffer, walk->buffer_size * sizeof(uint32));
	if (walk->consume)
		ChunkListFree(walk->rows, walk->list);
}

void
RowsMapItems(GpufimRows *rows, const uint32 *map, uint32 map_end)
{
	for (RowPart *part = rows->parts; part != NULL; part = part->next)
	{
		uint32	   *items = part->maps[0];
		uint32		end = 0;

		for (uint32 i = 0; items != NULL && i < part->nmapped[0]; i++)
		{
			if (i % INTERRUPT_ITEMS == 0)
				CHECK_FOR_INTERRUPTS();
			items[i] = map[Min(items[i], map_end)];
			if (items[i] != map[map_end])
				end = i + 1;
		}
		if (items == NULL)
			continue;
		items[end] = map[map_end];
		part->nmapped[0] = end + 1;
	}
	rows->map = map;
	rows->map_end = map_end;
}

void
RecordReaderBegin(RecordReader *reader, GpufimRows *rows, ChunkList *list,
				  bool consume)
{
	memset(reader, 0, sizeof(RecordReader));
	ChunkWalkBegin(&reader->walk, rows, list, consume);
	reader->grouped = rows->layout.grouped;
	reader->head_words = rows->layout.head_words;
	reader->entry_words = EntryWords(&rows->layout);
}

void
RecordReaderRenumber(RecordReader *reader)
{
	Chunk	   *chunk = reader->walk.chunk;
	const uint32 *map = chunk->part->maps[0];

	for (uint32 *at = reader->at; at < reader->end;)
	{
		bool		has_times = (*at & RECORD_TIMES) != 0 && !reader->grouped;
		uint32		head = (has_times ? 2 : 1) + reader->head_words;
		uint32		nentries = *at & ~RECORD_TIMES;

		for (at += head; nentries > 0; nentries--, at += reader->entry_words)
			*at = map[*at];
	}
	/* words that were read from a file will be read from it again */
	if (chunk->words != NULL)
		chunk->part = NULL;
}

void
RecordReaderEnd(RecordReader *reader)
{
	ChunkWalkEnd(&reader->walk);
}

/* Closes the temporary files. */
static void
CloseRows(void *arg)
{
	GpufimRows *rows = arg;

	if (rows->file.file)
		BufFileClose(rows->file.file);
	for (RowPart *part = rows->parts; part != NULL; part = part->next)
	{
		if (part->file.file)
			BufFileClose(part->file.file);
	}
}

GpufimRows *
RowsCreate(MemoryLedger *ledger, const struct GpufimSource *source,
		   const RowLayout *layout, Dictionary *items, Dictionary *ids)
{
	GpufimRows *rows = MemoryContextAllocZero(ledger->context, sizeof(GpufimRows));

	rows->ledger = ledger;
	rows->source = source;
	rows->layout = *layout;
	rows->items = items;
	rows->ids = ids;
	if (ids != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(ledger->context);

		initStringInfo(&rows->id_buffer);
		rows->ascending = ids->kind == DICTIONARY_INTEGER;
		rows->last_id = PG_INT64_MIN;
		MemoryContextSwitchTo(old);
	}
	rows->npartitions = 1;
	rows->numbered = true;
	rows->max_chunk_blocks = Min(MAX_CHUNK_BLOCKS, 1 + ledger->limit / (64 * BLCKSZ));
	rows->relief.relieve = RelieveRows;
	rows->relief.close = CloseRows;
	rows->relief.arg = rows;
	LedgerAddRelief(ledger, &rows->relief);
	return rows;
}

void
RaiseTooManyTransactions(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many transactions"),
			 errdetail("At most %u can be mined in one call.", FIM_MAX_TRANSACTIONS - 1),
			 errhint("Select fewer rows.")));
}
