/*-------------------------------------------------------------------------
 *
 * regroup.c
 *	  Pieces of transactions, and bringing together those of each transaction.
 *
 * While a source is read, nobody asks whether a transaction id has been there before: what comes
 * of a transaction in one stretch becomes a piece.  As long as integers ascend, as they do where a
 * table was filled with one transaction after the other, each piece is a transaction's record.  From
 * the first id on that does not ascend, pieces are dealt to partitions by their ids.  When all has been
 * read, one partition after the other is grouped.  Its ids are numbered in a dictionary that is small
 * enough for the cache, the entries are sorted by these numbers, by counting, and each transaction is
 * written as a record in which each item is once, with its value if it has one.  Only then are the
 * items' counts exact.  A partition that is too long for the memory that is left is first divided, in the
 * temporary file, into shorter ones by its ids' hashes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "read/read.h"
#include "read/rows.h"

/*
 * Adding pieces.
 */

/* Pieces are divided into partitions when there are this many chunks of them, about a megabyte. */
#define UNDIVIDED_CHUNKS	16

/* With less memory than this, chunks of all partitions would take too much of it. */
#define LEAST_TO_DIVIDE		((uint64) 8 * 1024 * 1024)

/*
 * The id of a piece.  Functions of types want values to be aligned, so other ids than integers are
 * copied to the buffer if need be.
 */
static inline Datum
PieceId(GpufimRows *rows, const uint32 *id)
{
	const Dictionary *ids = rows->ids;
	Size		size;

	if (ids->typbyval)
		return IntegerDatum(ids, IntegerOfId(ids, id));
	if (ids->kind == DICTIONARY_BYTES)
		return PointerGetDatum(id);
	size = ids->typlen > 0 ? ids->typlen : VARSIZE(id);
	resetStringInfo(&rows->id_buffer);
	appendBinaryStringInfo(&rows->id_buffer, (const char *) id, size);
	return PointerGetDatum(rows->id_buffer.data);
}

/* Within a partition, integers are dense again once the bits that tell the partition are left out. */
static inline int64
IntegerInPartition(const GpufimRows *rows, int64 id)
{
	if (rows->npartitions == 1)
		return id;
	return (id >> (PIECE_BLOCK_BITS + PIECE_PARTITIONS_BITS)) * (1 << PIECE_BLOCK_BITS) + (id & ((1 << PIECE_BLOCK_BITS) - 1));
}

static inline ChunkList *
PartitionOf(GpufimRows *rows, const uint32 *id)
{
	if (rows->npartitions == 1)
		return &rows->pieces[0];
	if (rows->ids->kind == DICTIONARY_INTEGER)
		return &rows->pieces[PartitionOfInteger(IntegerOfId(rows->ids, id))];
	return &rows->pieces[DictionaryHash(rows->ids, PieceId(rows, id)) >> (32 - PIECE_PARTITIONS_BITS)];
}

/* Adds a piece whose list has been found. */
static inline uint32 *
AddTo(GpufimRows *rows, ChunkList *list, const uint32 *id, uint32 id_words, uint32 nentries)
{
	uint32		words = 1 + id_words + nentries * EntryWords(&rows->layout);
	uint32	   *piece = ChunkReserve(rows, list, words);

	piece[0] = nentries;
	for (uint32 i = 0; i < id_words; i++)
		piece[1 + i] = id[i];
	ChunkAdvance(list, words);
	return piece + 1 + id_words;
}

/* Adds another piece's entries to a list.  "map", if not NULL, gives this process's numbers of items. */
static void
CopyPiece(GpufimRows *rows, ChunkList *list, const Piece *piece, const uint32 *map)
{
	uint32		entry_words = EntryWords(&rows->layout);
	uint32	   *entries = AddTo(rows, list, piece->id, piece->entries - piece->id, piece->nentries);

	memcpy(entries, piece->entries, piece->nentries * entry_words * sizeof(uint32));
	for (uint32 i = 0; map != NULL && i < piece->nentries; i++)
		entries[i * entry_words] = map[entries[i * entry_words]];
}

/* The map of the numbers in the chunk that is being read; NULL if they are this process's. */
static inline const uint32 *
MapOfChunk(const PieceReader *reader)
{
	const RowPart *part = reader->walk.chunk->part;

	return part != NULL ? part->maps[0] : NULL;
}

void
PiecesDeal(GpufimRows *rows, ChunkList *pieces)
{
	PieceReader	reader;
	Piece		piece;

	PieceReaderBegin(&reader, rows, pieces, true);
	while (NextPiece(&reader, &piece))
		CopyPiece(rows, PartitionOf(rows, piece.id), &piece, MapOfChunk(&reader));
	ChunkWalkEnd(&reader.walk);
}

/* Have pieces few entries each, so that it is not worth looking whether the next pair belongs to the same one? */
static bool
AreSmall(GpufimRows *rows, ChunkList *pieces)
{
	uint64		npieces = 0;
	uint64		nentries = 0;
	PieceReader reader;
	Piece		piece;

	PieceReaderBegin(&reader, rows, pieces, false);
	while (NextPiece(&reader, &piece))
	{
		npieces++;
		nentries += piece.nentries;
	}
	ChunkWalkEnd(&reader.walk);
	return nentries < 2 * npieces;
}

static void
Divide(GpufimRows *rows)
{
	ChunkList	undivided = rows->pieces[0];

	memset(&rows->pieces[0], 0, sizeof(ChunkList));
	rows->scattered = rows->ids->kind == DICTIONARY_INTEGER && AreSmall(rows, &undivided);
	rows->npartitions = PIECE_PARTITIONS;
	/* more than a block, since a memory context keeps blocks of this size when they are freed */
	rows->max_chunk_blocks = Min(rows->max_chunk_blocks,
								 2 + rows->ledger->limit / (PIECE_PARTITIONS * PIECE_PARTITIONS * BLCKSZ));
	PiecesDeal(rows, &undivided);
}

/* An id does not ascend.  Records of earlier ones may not have all of their transactions. */
static pg_noinline void
StopAscending(GpufimRows *rows)
{
	rows->ascending = false;
	rows->transactions = 0;
	rows->longest = 0;
}

uint32 *
PieceAdd(GpufimRows *rows, const uint32 *id, uint32 id_words, uint32 nentries)
{
	if (rows->ascending)
	{
		int64		integer = IntegerOfId(rows->ids, id);

		if (integer > rows->last_id || rows->transactions == 0)
		{
			rows->last_id = integer;
			rows->longest = Max(rows->longest, nentries);
			CountTransaction(rows);
			return AddTo(rows, &rows->pieces[0], id, id_words, nentries);
		}
		StopAscending(rows);
	}
	if (rows->npartitions == 1 && rows->pieces[0].nchunks >= UNDIVIDED_CHUNKS &&
		rows->ledger->limit >= LEAST_TO_DIVIDE)
		Divide(rows);
	return AddTo(rows, PartitionOf(rows, id), id, id_words, nentries);
}

void
PiecesUnite(GpufimRows *rows, uint32 npartitions, bool ascending)
{
	if (rows->ids == NULL)
		return;
	if (rows->ascending && !ascending)
		StopAscending(rows);
	if (rows->npartitions < npartitions)
		Divide(rows);
}

/*
 * Grouping.
 */

/* Dividing a partition is of no use if it takes less memory than this, in bytes, to group it. */
#define LEAST_TO_DIVIDE_AGAIN	((uint64) 64 * 1024)

/* A partition is divided into few, since each of them has a chunk in memory meanwhile. */
#define DIVISION_BITS		3
#define DIVISIONS			(1 << DIVISION_BITS)

/* How often a partition can be divided before no bits of the hashes are left. */
#define MOST_DIVIDED		((32 - PIECE_PARTITIONS_BITS) / DIVISION_BITS)

/* The most that grouping takes for each word of the pieces, in bytes, if each is a piece of one entry. */
#define BYTES_PER_WORD		16

typedef struct Grouping
{
	GpufimRows *rows;
	uint32		entry_words;
	uint32		done;			/* transactions that have their record */

	/* the partition */
	bool		integers;		/* ids are integers */
	Dictionary *ids;			/* numbers those of the partition */

	uint32	   *number;			/* of each piece, that of its id */
	uint64		max_pieces;
	uint64	   *ends;			/* of each id the number of its entries, then where they begin in
								 * entries[], and in the end where they end */
	uint64		max_ids;
	uint32	   *entries;		/* sorted by id */
	uint64		max_entries;
} Grouping;

/* Make room for more elements of "size" bytes, and keep those that are there. */
static void *
Grow(Grouping *work, void *block, uint64 *max, uint64 n, Size size)
{
	uint64		old_max = *max;

	*max = Max(Max(n, 2 * old_max), 1024);
	return LedgerGrow(work->rows->ledger, block, old_max * size, *max * size,
					  "the items of transactions");
}

static inline uint32
NumberOfPiece(Grouping *work, const Piece *piece)
{
	GpufimRows *rows = work->rows;
	uint32		number;

	if (work->integers)
		return DictionaryInteger(work->ids, IntegerInPartition(rows, IntegerOfId(rows->ids, piece->id)));
	number = DictionaryLookup(work->ids, PieceId(rows, piece->id), true);
	LedgerForget(rows->ledger);
	return number;
}

/* Numbers the ids of the partition, and counts the entries of each. */
static void
NumberPieces(Grouping *work, ChunkList *pieces)
{
	PieceReader	reader;
	Piece		piece;
	uint64		npieces = 0;
	uint64		known = 0;

	PieceReaderBegin(&reader, work->rows, pieces, false);
	while (NextPiece(&reader, &piece))
	{
		uint32		number = NumberOfPiece(work, &piece);

		if (npieces == work->max_pieces)
			work->number = Grow(work, work->number, &work->max_pieces, npieces + 1, sizeof(uint32));
		if (number == known)
		{
			if (known == work->max_ids)
				work->ends = Grow(work, work->ends, &work->max_ids, known + 1, sizeof(uint64));
			work->ends[known++] = 0;
		}
		work->ends[number] += piece.nentries;
		work->number[npieces++] = number;
	}
	ChunkWalkEnd(&reader.walk);
}

/* Turns the numbers of entries into the places where they begin.  Returns their sum. */
static uint64
FindPlaces(Grouping *work)
{
	uint64		sum = 0;

	for (uint32 id = 0; id < work->ids->n; id++)
	{
		uint64		n = work->ends[id];

		work->ends[id] = sum;
		sum += n;
	}
	return sum;
}

/*
 * Copies a piece's entries to where those of its transaction go, with this process's numbers of
 * items.  entry_words is a constant wherever this is called.
 */
static pg_always_inline void
PlaceEntries(const Piece *piece, const uint32 *map, uint32 *to, uint32 entry_words)
{
	for (uint32 i = 0; i < piece->nentries; i++)
	{
		const uint32 *from = piece->entries + i * entry_words;

		to[i * entry_words] = map != NULL ? map[from[0]] : from[0];
		for (uint32 word = 1; word < entry_words; word++)
			to[i * entry_words + word] = from[word];
	}
}

/* Sorts the entries of the partition by id. */
static void
SortPieces(Grouping *work, ChunkList *pieces)
{
	const uint32 *number = work->number;
	PieceReader	reader;
	Piece		piece;

	PieceReaderBegin(&reader, work->rows, pieces, true);
	while (NextPiece(&reader, &piece))
	{
		const uint32 *map = MapOfChunk(&reader);
		uint32	   *to = work->entries + work->ends[*number] * work->entry_words;

		if (work->entry_words == 1)
			PlaceEntries(&piece, map, to, 1);
		else
			PlaceEntries(&piece, map, to, VALUED_WORDS);
		work->ends[*number++] += piece.nentries;
	}
	ChunkWalkEnd(&reader.walk);
}

static uint32
AppendItems(Grouping *work, const uint32 *items, uint64 nitems, uint32 *out)
{
	Dictionary *dictionary = work->rows->items;
	uint32		nout = 0;

	for (uint64 i = 0; i < nitems; i++)
		nout = AppendItem(dictionary, items[i], work->done, out, nout);
	return nout;
}

static pg_noinline void
NoteConflict(const GpufimRows *rows, uint32 item, float8 one, float8 other)
{
	if (rows->conflict == NULL)
		RaiseTwoProbabilities(rows, NULL, item, one, other);
	*rows->conflict = (ValueConflict) {true, item, one, other};
}

/* The same for items with probabilities. */
static uint32
AppendUncertain(Grouping *work, const uint32 *entries, uint64 nentries, uint32 *out)
{
	Dictionary *dictionary = work->rows->items;
	uint32		nout = 0;

	for (uint64 i = 0; i < nentries; i++)
	{
		uint32		item = entries[i * VALUED_WORDS];
		float8		value = EntryValue(entries, i);
		uint32		appended = AppendValued(dictionary, item, value, out, nout);

		if (unlikely(appended == ENTRIES_CONFLICT))
			NoteConflict(work->rows, item, ValueInRecord(dictionary, item, out), value);
		else
			nout = appended;
	}
	return nout;
}

/* Writes the next transaction's record from its entries, which may have duplicates. */
static void
WriteRecord(Grouping *work, const uint32 *entries, uint64 nentries)
{
	GpufimRows *rows = work->rows;
	uint32	   *out;
	uint32	   *record = RecordReserve(rows, Min(nentries, rows->items->n), &out);

	CHECK_FOR_INTERRUPTS();
	CountTransaction(rows);
	work->done++;
	RecordAdvance(rows, record,
				  (work->entry_words > 1 ? AppendUncertain : AppendItems)
				  (work, entries, nentries, out));
}

/* Groups the pieces of a list, for which there is room. */
static void
GroupPieces(Grouping *work, ChunkList *pieces)
{
	GpufimRows *rows = work->rows;
	uint64		nentries;
	uint64		start = 0;
	bool		in_memory = true;

	for (uint32 i = 0; i < pieces->nchunks; i++)
		in_memory &= pieces->chunks[i].words != NULL;
	/* other ids are looked up where they have been aligned */
	work->ids->borrows = in_memory && work->ids->kind == DICTIONARY_BYTES;
	NumberPieces(work, pieces);
	nentries = FindPlaces(work);
	if (nentries > work->max_entries)
	{
		Size		size = work->entry_words * sizeof(uint32);

		LedgerFree(rows->ledger, work->entries, work->max_entries * size);
		work->entries = NULL;
		work->max_entries = 0;
		work->entries = LedgerAlloc(rows->ledger, nentries * size, "the items of transactions");
		work->max_entries = nentries;
	}
	SortPieces(work, pieces);
	for (uint32 id = 0; id < work->ids->n; id++)
	{
		WriteRecord(work, work->entries + start * work->entry_words, work->ends[id] - start);
		start = work->ends[id];
	}
	DictionaryClear(work->ids);
}

/* Moves a list's pieces to shorter lists in the file.  "divided" says how often that has been done before. */
static void
DivideAgain(Grouping *work, ChunkList *pieces, int divided, ChunkList *lists)
{
	GpufimRows *rows = work->rows;
	bool		passing = rows->passing;
	PieceReader	reader;
	Piece		piece;

	rows->passing = true;
	PieceReaderBegin(&reader, rows, pieces, true);
	while (NextPiece(&reader, &piece))
	{
		uint32		hash = DictionaryHash(work->ids, PieceId(rows, piece.id));
		ChunkList  *list;

		/* the first bits may be those that tell the partition */
		hash <<= PIECE_PARTITIONS_BITS + divided * DIVISION_BITS;
		list = &lists[hash >> (32 - DIVISION_BITS)];
		CopyPiece(rows, list, &piece, MapOfChunk(&reader));
		ChunkListSpillFilled(rows, list);
		LedgerForget(rows->ledger);
	}
	ChunkWalkEnd(&reader.walk);
	for (int i = 0; i < DIVISIONS; i++)
		ChunkListSpill(rows, &lists[i]);
	rows->passing = passing;
}

/* "undivided" is what that of which the list is a part would have needed, in bytes. */
static void
GroupPartition(Grouping *work, ChunkList *pieces, int divided, uint64 undivided)
{
	MemoryLedger *ledger = work->rows->ledger;
	uint64		needed = 0;
	ChunkList	list;

	for (uint32 i = 0; i < pieces->nchunks; i++)
		needed += (uint64) pieces->chunks[i].used * BYTES_PER_WORD;
	if (needed > LedgerRoom(ledger) / 2)
		LedgerRelieve(ledger);
	/* what is being read must not move to a file meanwhile */
	list = *pieces;
	memset(pieces, 0, sizeof(ChunkList));
	/* what has most of the pieces after a division is one id, or ids without hashes */
	if (needed <= Max(LedgerRoom(ledger) / 2, LEAST_TO_DIVIDE_AGAIN) || divided == MOST_DIVIDED || needed > undivided / 2)
		GroupPieces(work, &list);
	else
	{
		ChunkList	lists[DIVISIONS] = {0};

		DivideAgain(work, &list, divided, lists);
		for (int i = 0; i < DIVISIONS; i++)
			GroupPartition(work, &lists[i], divided + 1, needed);
	}
}

/*
 * Uniting ascending pieces of several processes.
 *
 * Each process has read some stretches of the source.  So nearly all transactions are complete, but
 * those on the border of a stretch are not.  Merging the ids of the processes finds them.  All
 * records stay where they are, but a new one replaces those of a transaction that is in two.
 */

/* The pieces of a process, and the one that it is at. */
typedef struct Stretch
{
	ChunkList	chunks;
	PieceReader	reader;
	Piece		piece;
	int64		id;
} Stretch;

static bool
NextOfStretch(const GpufimRows *rows, Stretch *stretch)
{
	if (!NextPiece(&stretch->reader, &stretch->piece))
		return false;
	stretch->id = IntegerOfId(rows->ids, stretch->piece.id);
	return true;
}

/* Returns the stretches, and sets *n to their number. */
static Stretch **
BeginStretches(GpufimRows *rows, const ChunkList *pieces, int *n)
{
	Stretch   **stretches = palloc((pieces->nchunks + 1) * sizeof(Stretch *));

	*n = 0;
	for (uint32 i = 0; i < pieces->nchunks;)
	{
		Stretch    *stretch = palloc0(sizeof(Stretch));

		stretch->chunks = ChunkListStretch(pieces, &i);
		PieceReaderBegin(&stretch->reader, rows, &stretch->chunks, false);
		if (NextOfStretch(rows, stretch))
			stretches[(*n)++] = stretch;
	}
	return stretches;
}

/* Adds the entries of a piece to those of its transaction.  Those that are there already had been counted twice. */
static uint32
UnitePiece(GpufimRows *rows, const Stretch *stretch, uint32 stamp, uint32 *entries, uint32 n)
{
	const uint32 *map = MapOfChunk(&stretch->reader);
	uint32		entry_words = EntryWords(&rows->layout);

	for (uint32 i = 0; i < stretch->piece.nentries; i++)
	{
		const uint32 *entry = stretch->piece.entries + i * entry_words;
		uint32		item = map != NULL ? map[*entry] : *entry;

		rows->items->entries[item].count -= EntryCounts(&rows->layout, stretch->piece.entries, i);
		if (entry_words == 1)
			n = AppendItem(rows->items, item, stamp, entries, n);
		else
			n = AppendProbability(rows, NULL, item, EntryValue(stretch->piece.entries, i), entries, n);
	}
	return n;
}

/* Makes one record of the pieces of an id that is in several stretches. */
static void
UnitePieces(GpufimRows *rows, Stretch *const *stretches, int n, int64 id, uint32 stamp, ChunkList *united)
{
	uint32		id_words = PieceIdWords(rows->ids);
	uint64		most = 0;
	uint32		npieces = 0;
	uint32		nentries = 0;
	uint32	   *record;
	uint32	   *entries;

	for (int i = 0; i < n; i++)
	{
		if (stretches[i]->id == id)
		{
			npieces++;
			most += stretches[i]->piece.nentries;
		}
	}
	record = ChunkReserve(rows, united, 1 + id_words + most * EntryWords(&rows->layout));
	entries = record + 1 + id_words;
	for (int i = 0; i < n; i++)
	{
		if (stretches[i]->id != id)
			continue;
		nentries = UnitePiece(rows, stretches[i], stamp, entries, nentries);
		memcpy(record + 1, stretches[i]->piece.id, id_words * sizeof(uint32));
		unconstify(uint32 *, stretches[i]->piece.id)[-1] |= RECORD_REPLACED;
	}
	record[0] = nentries;
	ChunkAdvance(united, 1 + id_words + nentries * EntryWords(&rows->layout));
	rows->longest = Max(rows->longest, nentries);
	rows->transactions -= npieces - 1;
}

/* Goes on as long as the stretch has smaller ids than all others.  Returns false at its end. */
static bool
PassSmaller(const GpufimRows *rows, Stretch *stretch, int64 others)
{
	do
	{
		if (!NextOfStretch(rows, stretch))
			return false;
	} while (stretch->id < others);
	return true;
}

/* Takes stretch i out of n. */
static void
DropStretch(Stretch **stretches, int *n, int i)
{
	memmove(&stretches[i], &stretches[i + 1], (--*n - i) * sizeof(Stretch *));
}

static void
UniteAscending(GpufimRows *rows)
{
	ChunkList	united = {0};
	ChunkList	pieces = rows->pieces[0];
	int			n;
	Stretch   **stretches = BeginStretches(rows, &pieces, &n);
	uint32		stamp = 0;

	/* they must not move to a file meanwhile */
	memset(&rows->pieces[0], 0, sizeof(ChunkList));
	DictionaryForgetStamps(rows->items);
	while (n > 1)
	{
		int			first = 0;
		int64		others = PG_INT64_MAX;

		CHECK_FOR_INTERRUPTS();
		for (int i = 1; i < n; i++)
		{
			if (stretches[i]->id < stretches[first]->id)
				first = i;
		}
		for (int i = 0; i < n; i++)
		{
			if (i != first)
				others = Min(others, stretches[i]->id);
		}
		if (others > stretches[first]->id)
		{
			if (!PassSmaller(rows, stretches[first], others))
				DropStretch(stretches, &n, first);
			continue;
		}
		UnitePieces(rows, stretches, n, others, ++stamp, &united);
		for (int i = n - 1; i >= 0; i--)
		{
			if (stretches[i]->id == others && !NextOfStretch(rows, stretches[i]))
				DropStretch(stretches, &n, i);
		}
	}
	pfree(stretches);
	rows->pieces[0] = pieces;
	for (uint32 i = 0; i < united.nchunks; i++)
		*ChunkListAppend(rows, &rows->pieces[0]) = united.chunks[i];
	LedgerFree(rows->ledger, united.chunks, united.max_chunks * sizeof(Chunk));
}

/* Are all pieces in memory, where records can be replaced? */
static bool
PiecesAreInMemory(const GpufimRows *rows)
{
	const ChunkList *pieces = &rows->pieces[0];

	for (uint32 i = 0; i < pieces->nchunks; i++)
	{
		if (pieces->chunks[i].words == NULL)
			return false;
	}
	return true;
}

void
GroupPartitions(GpufimRows *rows, pg_atomic_uint32 *next)
{
	Grouping	work = {0};
	uint32		partition = 0;

	rows->transactions = 0;
	rows->longest = 0;
	work.rows = rows;
	work.entry_words = EntryWords(&rows->layout);
	work.integers = rows->ids->kind == DICTIONARY_INTEGER;
	DictionaryForgetCounts(rows->items);
	work.ids = DictionaryCreate(rows->ledger, rows->ids->type->type_id, rows->ids->collation, false,
								rows->ids->what);
	work.number = Grow(&work, NULL, &work.max_pieces, 1, sizeof(uint32));
	work.ends = Grow(&work, NULL, &work.max_ids, 1, sizeof(uint64));
	while ((partition = next != NULL ? pg_atomic_fetch_add_u32(next, 1) : partition) < rows->npartitions)
		GroupPartition(&work, &rows->pieces[partition++], 0, PG_UINT64_MAX);
	DictionaryFree(work.ids);
	LedgerFree(rows->ledger, work.number, work.max_pieces * sizeof(uint32));
	LedgerFree(rows->ledger, work.ends, work.max_ids * sizeof(uint64));
	LedgerFree(rows->ledger, work.entries,
			   work.max_entries * work.entry_words * sizeof(uint32));
}

void
RowsGroup(GpufimRows *rows)
{
	if (!rows->layout.grouped)
		return;
	if (rows->ascending && rows->parts != NULL && !PiecesAreInMemory(rows))
		StopAscending(rows);
	if (rows->ascending)
	{
		if (rows->parts != NULL)
			UniteAscending(rows);
		/* the records have the ids before their entries */
		rows->layout.head_words = PieceIdWords(rows->ids);
		rows->records = rows->pieces[0];
		memset(&rows->pieces[0], 0, sizeof(ChunkList));
		return;
	}
	GroupPartitions(rows, NULL);
}
