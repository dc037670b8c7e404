/*-------------------------------------------------------------------------
 *
 * parts.c
 *	  Leaving what a process has read to another one, and taking it.
 *
 * A part is a segment of shared memory, or a file that processes share, with chunks of words: the
 * values of the receiver's dictionaries, which become chunks for this purpose, and its rows.  The
 * process that takes a part looks the values up in its own dictionaries, which gives a map from
 * the part's numbers to its own, and appends the chunks of rows to its own ones.  They are not
 * copied; whoever reads them maps their numbers.
 *
 * What the process has read itself moves to a segment, too, where helpers will find all chunks.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "read/read.h"
#include "read/rows.h"
#include "utils/datum.h"
#include "work/work.h"

/*
 * A ticket has this head, the figures of each of the receiver's rows, the number of the values of each dictionary and the
 * places of their chunks, those of the rows' lists, and that of the receiver's own figures.
 */
typedef struct TicketHead
{
	Size		size;			/* of the ticket, aligned */
	uint32		number;			/* of the part */
	bool		has_segment;
} TicketHead;

/* What a ticket says of a chunk. */
typedef struct ChunkPlace
{
	uint64		at;				/* the first word in the segment, or the first block in the file */
	uint32		used;
	bool		in_file;
} ChunkPlace;

/* What a ticket says of rows. */
typedef struct RowsFigures
{
	int64		rows_read;
	int64		transactions;
	uint64		nmerged;
	uint64		nmerged_entries;
	uint32		longest;
	uint32		npartitions;
	bool		ascending;
	bool		has_file;
	char		file_name[lengthof(((GpufimRows *) NULL)->file_name)];
} RowsFigures;

/* The chunks of words that a part consists of. */
#define MAX_LISTS	(MAX_DICTIONARIES + MAX_ROWS * (PIECE_PARTITIONS + 1) + 1)

typedef struct PartLists
{
	int			n;
	ChunkList  *lists[MAX_LISTS];
	GpufimRows *rows[MAX_LISTS];	/* to whose file a list goes */
} PartLists;

static void
AddLists(PartLists *part, GpufimRows *rows, ChunkList *lists, int n)
{
	for (int i = 0; i < n; i++)
	{
		part->lists[part->n] = &lists[i];
		part->rows[part->n++] = rows;
	}
}

/*
 * Leaving a part.
 */

#define INTERRUPT_VALUES	65536

/* An integer is its count, its number and its Datum. */
#define INTEGER_WORDS		(2 + WordsOf(sizeof(Datum)))

static void
WriteInteger(GpufimRows *rows, const Dictionary *dictionary, uint32 id, Datum value, ChunkList *list)
{
	uint32	   *to = ChunkReserve(rows, list, INTEGER_WORDS);

	to[0] = dictionary->entries[id].count;
	to[1] = id;
	memcpy(to + 2, &value, sizeof(Datum));
	ChunkAdvance(list, INTEGER_WORDS);
}

/* So many places further on in a window, another entry is fetched. */
#define PLACES_AHEAD		32

/*
 * Those in a window are left in ascending order.  Where all parts have that order, the process that takes
 * them looks most of them up side by side.
 */
static void
WriteIntegers(GpufimRows *rows, const Dictionary *dictionary, ChunkList *list)
{
	const uint32 *window = dictionary->window;

	for (uint64 at = 0; at < dictionary->window_size; at++)
	{
		uint64		ahead = at + PLACES_AHEAD;

		if (at % INTERRUPT_VALUES == 0)
			CHECK_FOR_INTERRUPTS();
		if (ahead < dictionary->window_size && window[ahead] != 0)
			DictionaryPrefetchEntry(dictionary, window[ahead] - 1);
		if (window[at] != 0)
			WriteInteger(rows, dictionary, window[at] - 1,
						 IntegerDatum(dictionary, (int64) ((uint64) dictionary->window_low + at)), list);
	}
	for (uint32 id = 0; window == NULL && id < dictionary->n; id++)
	{
		if (id % INTERRUPT_VALUES == 0)
			CHECK_FOR_INTERRUPTS();
		WriteInteger(rows, dictionary, id, dictionary->entries[id].value, list);
	}
}

/* Another value is its count, and its Datum or the number of its bytes and these. */
static void
WriteValues(GpufimRows *rows, const Dictionary *dictionary, ChunkList *list)
{
	if (dictionary->kind == DICTIONARY_INTEGER)
	{
		WriteIntegers(rows, dictionary, list);
		return;
	}
	for (uint32 id = 0; id < dictionary->n; id++)
	{
		const DictionaryEntry *entry = &dictionary->entries[id];
		Size		bytes = dictionary->typbyval ? sizeof(Datum) :
			datumGetSize(entry->value, false, dictionary->typlen);
		uint32		words = 2 + WordsOf(bytes);
		uint32	   *to = ChunkReserve(rows, list, words);

		if (id % INTERRUPT_VALUES == 0)
			CHECK_FOR_INTERRUPTS();
		to[0] = entry->count;
		to[1] = bytes;
		if (dictionary->typbyval)
			memcpy(to + 2, &entry->value, sizeof(Datum));
		else
			memcpy(to + 2, DatumGetPointer(entry->value), bytes);
		ChunkAdvance(list, words);
	}
}

/* Figures may be as many as there are distinct values, so they become words of a chunk, too. */
static void
WriteReceiverFigures(GpufimRows *rows, const ReceiverContents *contents, ChunkList *list)
{
	uint32		words = WordsOf(contents->figures_size);

	if (words == 0)
		return;
	memcpy(ChunkReserve(rows, list, words), contents->figures, contents->figures_size);
	ChunkAdvance(list, words);
}

/* Are a chunk's words in the memory of this process alone? */
static inline bool
IsOwn(const Chunk *chunk)
{
	return chunk->words != NULL && chunk->segment == NULL;
}

/*
 * The words that a chunk takes in a segment, so that the next one is aligned as if it had been allocated.  An empty one,
 * where room was reserved for rows that turned out to have no value, takes some, too, so that it lies in a segment.
 */
static uint64
WordsOfChunk(const Chunk *chunk)
{
	return TYPEALIGN(MAXIMUM_ALIGNOF / sizeof(uint32), Max(chunk->used, 1));
}

static uint64
OwnWords(const ChunkList *list)
{
	uint64		words = 0;

	for (uint32 i = 0; i < list->nchunks; i++)
		words += IsOwn(&list->chunks[i]) ? WordsOfChunk(&list->chunks[i]) : 0;
	return words;
}

static void
SpillLists(PartLists *part)
{
	for (int i = 0; i < part->n; i++)
		ChunkListSpill(part->rows[i], part->lists[i]);
}

/* A segment for this number of words; NULL if there are none, or no room. */
static dsm_segment *
CreateSegment(MemoryLedger *ledger, uint64 words)
{
	dsm_segment *segment = NULL;
	Size		size = words * sizeof(uint32);
	/* a worker's error may come at any interrupt, when the rows do not know of the segment yet */
	ResourceOwner owner = AttemptExecutes(ledger);

	if (size > 0 && size <= LedgerRoom(ledger) / 4 * 3)
		segment = SegmentCreate(size);
	if (segment != NULL)
	{
		LedgerMakeRoom(ledger, dsm_segment_map_length(segment), "encoded rows");
		MakePages(dsm_segment_address(segment), size);
		dsm_pin_mapping(segment);
	}
	CurrentResourceOwner = owner;
	if (segment != NULL)
		dsm_unpin_mapping(segment);
	return segment;
}

/* Moves the words of a list to the segment, and writes to the ticket where its chunks are. */
static void
MoveList(StringInfo ticket, GpufimRows *rows, ChunkList *list, dsm_segment *segment, uint64 *at)
{
	appendBinaryStringInfo(ticket, (const char *) &list->nchunks, sizeof(uint32));
	for (uint32 c = 0; c < list->nchunks; c++)
	{
		Chunk	   *chunk = &list->chunks[c];
		ChunkPlace	place;

		CHECK_FOR_INTERRUPTS();
		memset(&place, 0, sizeof(place));
		place.used = chunk->used;
		place.in_file = chunk->words == NULL;
		place.at = place.in_file ? chunk->block : *at;
		if (!place.in_file)
		{
			memcpy((uint32 *) dsm_segment_address(segment) + *at, chunk->words,
				   chunk->used * sizeof(uint32));
			*at += WordsOfChunk(chunk);
		}
		appendBinaryStringInfo(ticket, (const char *) &place, sizeof(place));
	}
	ChunkListFree(rows, list);
}

static void
WriteFigures(StringInfo ticket, GpufimRows *rows)
{
	RowsFigures figures;

	memset(&figures, 0, sizeof(figures));
	figures.rows_read = rows->rows_read;
	figures.transactions = rows->transactions;
	figures.nmerged = rows->nmerged;
	figures.nmerged_entries = rows->nmerged_entries;
	figures.longest = rows->longest;
	figures.npartitions = rows->npartitions;
	figures.ascending = rows->ascending;
	figures.has_file = rows->file.file != NULL;
	strlcpy(figures.file_name, rows->file_name, sizeof(figures.file_name));
	appendBinaryStringInfo(ticket, (const char *) &figures, sizeof(figures));
}

/* The lists of rows: those of all partitions, and the records. */
static void
AddListsOf(PartLists *part, GpufimRows *rows)
{
	AddLists(part, rows, rows->pieces, rows->npartitions);
	AddLists(part, rows, &rows->records, 1);
}

void
PartLeave(Receiver *receiver, volatile dsm_handle *place, StringInfo tickets)
{
	MemoryLedger *ledger = receiver->ledger;
	ReceiverContents contents = {0};
	ChunkList	values[MAX_DICTIONARIES] = {{0}};
	ChunkList	figures = {0};
	PartLists	part = {0};
	TicketHead	head;
	dsm_segment *segment = NULL;
	int			start = tickets->len;
	uint64		words = 0;
	uint64		at = 0;

	receiver->kind->contents(receiver, &contents);
	for (int i = 0; i < contents.ndictionaries; i++)
		WriteValues(contents.rows[0], contents.dictionaries[i], &values[i]);
	AddLists(&part, contents.rows[0], values, contents.ndictionaries);
	for (int i = 0; i < contents.nrows; i++)
		AddListsOf(&part, contents.rows[i]);
	WriteReceiverFigures(contents.rows[0], &contents, &figures);
	AddLists(&part, contents.rows[0], &figures, 1);
	for (int i = 0; i < part.n; i++)
		words += OwnWords(part.lists[i]);
	if (place != NULL)
		segment = CreateSegment(ledger, words);
	if (segment == NULL)
		SpillLists(&part);

	memset(&head, 0, sizeof(head));
	head.number = receiver->part;
	head.has_segment = segment != NULL;
	appendBinaryStringInfo(tickets, (const char *) &head, sizeof(head));
	for (int i = 0; i < contents.nrows; i++)
		WriteFigures(tickets, contents.rows[i]);
	for (int i = 0; i < part.n; i++)
	{
		if (i < contents.ndictionaries)
			appendBinaryStringInfo(tickets, (const char *) &contents.dictionaries[i]->n, sizeof(uint32));
		MoveList(tickets, part.rows[i], part.lists[i], segment, &at);
	}
	appendStringInfoSpaces(tickets, MAXALIGN(tickets->len - start) - (tickets->len - start));
	head.size = tickets->len - start;
	memcpy(tickets->data + start, &head, sizeof(head));

	for (int i = 0; i < contents.nrows; i++)
	{
		if (contents.rows[i]->file.file != NULL)
			SharedFileExport(contents.rows[i]->file.file);
	}
	if (segment != NULL)
	{
		ledger->used -= dsm_segment_map_length(segment);
		SegmentLeave(segment, place);
	}
	/* the other process will find nothing else */
	LedgerGiveBack(ledger, ledger->used);
}

/*
 * Taking a part.
 */

typedef struct TicketReader
{
	const char *at;
	uint32	   *words;			/* of the segment; NULL if there is none */
	PartSegment *segment;
} TicketReader;

static void
ReadBytes(TicketReader *ticket, void *to, Size size)
{
	memcpy(to, ticket->at, size);
	ticket->at += size;
}

/* Appends the chunks of the ticket's next list, which belongs to the newest part, to a list. */
static void
TakeList(TicketReader *ticket, GpufimRows *rows, ChunkList *list)
{
	RowPart    *part = rows->parts;
	uint32		nchunks;

	ReadBytes(ticket, &nchunks, sizeof(nchunks));
	for (uint32 i = 0; i < nchunks; i++)
	{
		Chunk	   *chunk = ChunkListAppend(rows, list);
		ChunkPlace	place;

		ReadBytes(ticket, &place, sizeof(place));
		chunk->used = place.used;
		chunk->size = TYPEALIGN(BLCKSZ / sizeof(uint32), place.used);
		/* words that have no map have this process's numbers */
		chunk->part = part->maps[0] != NULL ? part : NULL;
		if (place.in_file)
		{
			chunk->file = &part->file;
			chunk->block = place.at;
		}
		else
		{
			chunk->words = ticket->words + place.at;
			chunk->segment = ticket->segment;
			ticket->segment->users++;
		}
	}
}

/* The value of a part, which must be aligned for functions of its type. */
static Datum
PartValue(const Dictionary *dictionary, const uint32 *value, StringInfo buffer)
{
	Datum		datum;

	if (dictionary->typbyval)
	{
		memcpy(&datum, value + 2, sizeof(Datum));
		return datum;
	}
	resetStringInfo(buffer);
	appendBinaryStringInfo(buffer, (const char *) (value + 2), value[1]);
	return PointerGetDatum(buffer->data);
}

/* Values of a part that are looked up together, which makes use of the cache: see WaitingValue. */
#define TAKEN_TOGETHER	64

typedef struct ValueTaker
{
	Dictionary *dictionary;
	uint32	   *map;			/* of the numbers of the n values that have been looked up */
	uint32		n;
	WaitingValue waiting[TAKEN_TOGETHER]; /* the next ones */
	uint32		counts[TAKEN_TOGETHER];
	uint32		nwaiting;
} ValueTaker;

/* Adds the count of a value in another process. */
static inline void
AddCount(Dictionary *dictionary, uint32 id, uint32 count)
{
	if (dictionary->entries != NULL)
		dictionary->entries[id].count += Min(count, UINT32_MAX - dictionary->entries[id].count);
}

/* Takes the next value, which has this number here. */
static void
MapValue(ValueTaker *taker, uint32 id, uint32 count)
{
	taker->map[taker->n++] = id;
	AddCount(taker->dictionary, id, count);
}

static void
TakeWaitingValues(ValueTaker *taker)
{
	for (uint32 i = 0; i < taker->nwaiting; i++)
		DictionaryFetchEntry(taker->dictionary, &taker->waiting[i]);
	for (uint32 i = 0; i < taker->nwaiting; i++)
		DictionaryFetchBytes(taker->dictionary, &taker->waiting[i]);
	for (uint32 i = 0; i < taker->nwaiting; i++)
		MapValue(taker, DictionaryWaited(taker->dictionary, &taker->waiting[i]), taker->counts[i]);
	taker->nwaiting = 0;
}

static void
TakeValue(ValueTaker *taker, Datum value, uint32 count)
{
	if (DictionaryLetWait(taker->dictionary, value, &taker->waiting[taker->nwaiting]))
	{
		taker->counts[taker->nwaiting++] = count;
		if (taker->nwaiting == TAKEN_TOGETHER)
			TakeWaitingValues(taker);
	}
	else
	{
		TakeWaitingValues(taker);
		MapValue(taker, DictionaryLookup(taker->dictionary, value, true), count);
		LedgerForget(taker->dictionary->ledger);
	}
}

/* The same for all values from "at" on if they are integers, which need not be copied to wait. */
static void
TakeIntegers(Dictionary *dictionary, uint32 *map, const uint32 *at, const uint32 *end)
{
	while (at < end)
	{
		const uint32 *first = at;
		int64		keys[TAKEN_TOGETHER];
		uint32		ids[TAKEN_TOGETHER];
		int			n = 0;

		for (; at < end && n < TAKEN_TOGETHER; at += INTEGER_WORDS)
		{
			Datum		value;

			memcpy(&value, at + 2, sizeof(Datum));
			keys[n] = DatumInteger(dictionary, value);
			DictionaryPrefetch(dictionary, keys[n++]);
		}
		for (int i = 0; i < n; i++)
		{
			ids[i] = DictionaryInteger(dictionary, keys[i]);
			if (dictionary->entries != NULL)
				DictionaryPrefetchEntry(dictionary, ids[i]);
		}
		for (int i = 0; i < n; i++, first += INTEGER_WORDS)
		{
			map[first[1]] = ids[i];
			AddCount(dictionary, ids[i], first[0]);
		}
	}
}

/* Looks the n values of a part up, and returns the map of their numbers.  Consumes the list. */
static uint32 *
TakeValues(GpufimRows *rows, ChunkList *list, Dictionary *dictionary, uint32 n)
{
	ValueTaker	taker = {.dictionary = dictionary};
	StringInfoData buffer;
	ChunkWalk	walk;
	uint32	   *at;
	uint32	   *end;

	/* there is room for one more, for RowsMapItems() */
	taker.map = LedgerAlloc(rows->ledger, ((Size) n + 1) * sizeof(uint32), dictionary->what);
	initStringInfo(&buffer);
	ChunkWalkBegin(&walk, rows, list, true);
	while (ChunkWalkNext(&walk, &at, &end))
	{
		if (dictionary->kind == DICTIONARY_INTEGER)
			TakeIntegers(dictionary, taker.map, at, end);
		else
			for (; at < end; at += 2 + WordsOf(at[1]))
				TakeValue(&taker, PartValue(dictionary, at, &buffer), at[0]);
	}
	TakeWaitingValues(&taker);
	ChunkWalkEnd(&walk);
	pfree(buffer.data);
	return taker.map;
}

/* Has the receiver add its figures of the part, if it has some. */
static void
TakeReceiverFigures(TicketReader *ticket, Receiver *receiver, GpufimRows *rows)
{
	ChunkList	list = {0};
	ChunkWalk	walk;
	uint32	   *figures;
	uint32	   *end;

	TakeList(ticket, rows, &list);
	ChunkWalkBegin(&walk, rows, &list, true);
	while (ChunkWalkNext(&walk, &figures, &end))
		receiver->kind->add(receiver, figures);
	ChunkWalkEnd(&walk);
}

static void
AddFigures(GpufimRows *rows, const RowsFigures *figures)
{
	rows->rows_read += figures->rows_read;
	rows->transactions += figures->transactions;
	if (rows->transactions >= FIM_MAX_TRANSACTIONS && rows->layout.unique)
		RaiseTooManyTransactions();
	rows->nmerged += figures->nmerged;
	rows->nmerged_entries += figures->nmerged_entries;
	rows->longest = Max(rows->longest, figures->longest);
}

static RowPart *
AddPart(GpufimRows *rows, PartSegment *files, PartSegment *segment)
{
	RowPart    *part = MemoryContextAllocZero(rows->ledger->context, sizeof(RowPart));

	part->files = files;
	files->users++;
	part->segment = segment;
	part->next = rows->parts;
	rows->parts = part;
	return part;
}

static BufFile *
OpenFile(MemoryLedger *ledger, SharedFileSet *set, const RowsFigures *figures)
{
	MemoryContext old = MemoryContextSwitchTo(ledger->context);
	BufFile    *file = figures->has_file ? SharedFileOpen(set, figures->file_name) : NULL;

	MemoryContextSwitchTo(old);
	return file;
}

static PartSegment *
CreatePartSegment(MemoryLedger *ledger, dsm_segment *segment)
{
	PartSegment *result = MemoryContextAllocZero(ledger->context, sizeof(PartSegment));

	result->segment = segment;
	result->users = 1;			/* until the part has been taken */
	return result;
}

Size
PartTicketSize(const char *ticket)
{
	TicketHead	head;

	memcpy(&head, ticket, sizeof(head));
	return head.size;
}

/* Takes the part's segment. */
static PartSegment *
TakeSegment(MemoryLedger *ledger, const TicketHead *head, volatile dsm_handle *places)
{
	return head->has_segment ? CreatePartSegment(ledger, SegmentTake(&places[head->number])) : NULL;
}

void
PartTake(Receiver *receiver, const char *ticket, SharedFileSet *set, PartSegment *files,
		 volatile dsm_handle *places)
{
	MemoryLedger *ledger = receiver->ledger;
	TicketReader reader = {.at = ticket};
	ReceiverContents contents = {0};
	RowsFigures figures[MAX_ROWS];
	uint32	   *maps[MAX_DICTIONARIES];
	uint32		nvalues[MAX_DICTIONARIES];
	TicketHead	head;

	receiver->kind->contents(receiver, &contents);
	ReadBytes(&reader, &head, sizeof(head));
	reader.segment = TakeSegment(ledger, &head, places);
	if (reader.segment != NULL)
		reader.words = dsm_segment_address(reader.segment->segment);
	for (int i = 0; i < contents.nrows; i++)
	{
		ReadBytes(&reader, &figures[i], sizeof(RowsFigures));
		AddPart(contents.rows[i], files, reader.segment)->file.file = OpenFile(ledger, set, &figures[i]);
	}
	for (int i = 0; i < contents.ndictionaries; i++)
	{
		ChunkList	values = {0};

		ReadBytes(&reader, &nvalues[i], sizeof(uint32));
		TakeList(&reader, contents.rows[0], &values);
		maps[i] = TakeValues(contents.rows[0], &values, contents.dictionaries[i], nvalues[i]);
	}
	for (int i = 0; i < contents.nrows; i++)
	{
		GpufimRows *rows = contents.rows[i];
		RowPart    *part = rows->parts;

		for (int k = 0; k < lengthof(part->maps); k++)
		{
			int			dictionary = contents.numbers[i][k];

			if (dictionary == NO_DICTIONARY)
				continue;
			part->maps[k] = maps[dictionary];
			part->nmapped[k] = nvalues[dictionary];
		}
		PiecesUnite(rows, figures[i].npartitions, figures[i].ascending);
		for (uint32 p = 0; p < figures[i].npartitions; p++)
		{
			if (figures[i].npartitions == rows->npartitions)
				TakeList(&reader, rows, &rows->pieces[p]);
			else
			{
				ChunkList	undivided = {0};

				TakeList(&reader, rows, &undivided);
				PiecesDeal(rows, &undivided);
			}
		}
		TakeList(&reader, rows, &rows->records);
		AddFigures(rows, &figures[i]);
	}
	TakeReceiverFigures(&reader, receiver, contents.rows[0]);
	if (reader.segment != NULL)
		PartSegmentRelease(ledger, reader.segment);
}

/*
 * Sharing what this process has read itself.
 */

/* Moves the chunks of a list that are this process's own to a segment, from word *at on. */
static void
MoveToSegment(GpufimRows *rows, ChunkList *list, PartSegment *segment, uint64 *at)
{
	for (uint32 i = 0; i < list->nchunks; i++)
	{
		Chunk	   *chunk = &list->chunks[i];
		uint32	   *words = (uint32 *) dsm_segment_address(segment->segment) + *at;

		CHECK_FOR_INTERRUPTS();
		if (!IsOwn(chunk))
			continue;
		memcpy(words, chunk->words, chunk->used * sizeof(uint32));
		LedgerFree(rows->ledger, chunk->words, chunk->size * sizeof(uint32));
		*at += WordsOfChunk(chunk);
		chunk->words = words;
		chunk->segment = segment;
		segment->users++;
	}
	list->last = NULL;
}

bool
ChunksShare(GpufimRows *rows, ChunkList *lists, uint32 nlists, PartSegment *files)
{
	dsm_segment *memory;
	PartSegment *segment;
	uint64		words = 0;
	uint64		at = 0;

	for (uint32 l = 0; l < nlists; l++)
		words += OwnWords(&lists[l]);
	if (words == 0)
		return true;
	memory = CreateSegment(rows->ledger, words);
	if (memory == NULL)
		return false;
	ForgetRecentRecords(rows);
	segment = CreatePartSegment(rows->ledger, memory);
	(void) AddPart(rows, files, segment);
	for (uint32 l = 0; l < nlists; l++)
		MoveToSegment(rows, &lists[l], segment, &at);
	PartSegmentRelease(rows->ledger, segment);
	return true;
}

void
ReceiverShare(Receiver *receiver, PartSegment *files)
{
	ReceiverContents contents = {0};

	receiver->kind->contents(receiver, &contents);
	for (int i = 0; i < contents.nrows; i++)
	{
		GpufimRows *rows = contents.rows[i];

		(void) ChunksShare(rows, rows->pieces, rows->npartitions, files);
		(void) ChunksShare(rows, &rows->records, 1, files);
	}
}
