/*-------------------------------------------------------------------------
 *
 * parts.c
 *	  Leaving what a process has read to another one, and taking it.
 *
 * A part is segments of shared memory, or a file that processes share, with chunks of words: the
 * values of the receiver's dictionaries, which become chunks for this purpose, and its rows.  The
 * process that takes a part looks the values up in its own dictionaries, which gives a map from
 * the part's numbers to its own, and appends the chunks of rows to its own ones.  They are not
 * copied; whoever reads them maps their numbers.
 *
 * Most chunks are in segments from the beginning.  Those that are not move to one in the end, also those of the process that
 * takes the parts, so that helpers will find all chunks.
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
	uint32		nsegments;
	uint32		place;			/* of the first one, if there is any */
} TicketHead;

/* What a ticket says of a chunk. */
typedef struct ChunkPlace
{
	uint64		at;				/* the first word in the segment, or the first block in the file */
	uint32		used;
	uint32		segment;		/* one of the part's; IN_FILE: none */
} ChunkPlace;

#define IN_FILE		UINT32_MAX

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

/* Moves the chunks of a list that are this process's own to a segment, from word *at on. */
static void
MoveToSegment(GpufimRows *rows, ChunkList *list, PartSegment *segment, uint64 *at)
{
	for (uint32 i = 0; i < list->nchunks; i++)
	{
		Chunk	   *chunk = &list->chunks[i];
		uint32	   *words = SegmentWords(segment) + *at;

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

/* Moves all chunks that are this process's own to a segment.  Returns false, and moves nothing, if there is no room. */
static bool
ShareLists(const PartLists *part)
{
	PartSegment *segment;
	uint64		words = 0;
	uint64		at = 0;

	for (int i = 0; i < part->n; i++)
		words += OwnWords(part->lists[i]);
	if (words == 0)
		return true;
	segment = PartSegmentCreate(part->rows[0]->ledger, words);
	if (segment == NULL)
		return false;
	MakePages(SegmentWords(segment), words * sizeof(uint32));
	for (int i = 0; i < part->n; i++)
	{
		if (part->lists[i] == &part->rows[i]->records)
			ForgetRecentRecords(part->rows[i]);
		MoveToSegment(part->rows[i], part->lists[i], segment, &at);
	}
	PartSegmentRelease(segment);
	return true;
}

/* Writes to the ticket where the chunks of a list are. */
static void
WriteList(StringInfo ticket, const ChunkList *list)
{
	appendBinaryStringInfo(ticket, (const char *) &list->nchunks, sizeof(uint32));
	for (uint32 c = 0; c < list->nchunks; c++)
	{
		const Chunk *chunk = &list->chunks[c];
		ChunkPlace	place;

		memset(&place, 0, sizeof(place));
		place.used = chunk->used;
		place.segment = chunk->words != NULL ? chunk->segment->number : IN_FILE;
		place.at = chunk->words != NULL ? chunk->words - SegmentWords(chunk->segment) : chunk->block;
		appendBinaryStringInfo(ticket, (const char *) &place, sizeof(place));
	}
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

/* Puts all chunks of a part where another process will find them.  Returns the segments, for which *place is the first place. */
static List *
ShareOrSpill(const PartLists *part, SegmentPlaces *places, uint32 *place)
{
	List	   *segments = NIL;
	bool		shared = ShareLists(part);

	for (int i = 0; shared && i < part->n; i++)
		segments = PartSegmentsCollect(segments, part->lists[i]);
	*place = shared ? SegmentPlacesTake(places, list_length(segments)) : NO_PLACES;
	if (*place != NO_PLACES)
		return segments;
	for (int i = 0; i < part->n; i++)
		ChunkListSpill(part->rows[i], part->lists[i]);
	return NIL;
}

void
PartLeave(Receiver *receiver, SegmentPlaces *places, StringInfo tickets)
{
	ReceiverContents contents = {0};
	ChunkList	values[MAX_DICTIONARIES] = {{0}};
	ChunkList	figures = {0};
	PartLists	part = {0};
	TicketHead	head;
	List	   *segments;
	int			start = tickets->len;

	receiver->kind->contents(receiver, &contents);
	for (int i = 0; i < contents.ndictionaries; i++)
		WriteValues(contents.rows[0], contents.dictionaries[i], &values[i]);
	AddLists(&part, contents.rows[0], values, contents.ndictionaries);
	for (int i = 0; i < contents.nrows; i++)
		AddListsOf(&part, contents.rows[i]);
	WriteReceiverFigures(contents.rows[0], &contents, &figures);
	AddLists(&part, contents.rows[0], &figures, 1);
	ChunkStoreClose(contents.rows[0]->store);
	memset(&head, 0, sizeof(head));
	segments = ShareOrSpill(&part, places, &head.place);
	head.nsegments = list_length(segments);

	appendBinaryStringInfo(tickets, (const char *) &head, sizeof(head));
	for (int i = 0; i < contents.nrows; i++)
		WriteFigures(tickets, contents.rows[i]);
	for (int i = 0; i < part.n; i++)
	{
		if (i < contents.ndictionaries)
			appendBinaryStringInfo(tickets, (const char *) &contents.dictionaries[i]->n, sizeof(uint32));
		WriteList(tickets, part.lists[i]);
	}
	appendStringInfoSpaces(tickets, MAXALIGN(tickets->len - start) - (tickets->len - start));
	head.size = tickets->len - start;
	memcpy(tickets->data + start, &head, sizeof(head));

	for (int i = 0; i < contents.nrows; i++)
	{
		if (contents.rows[i]->file.file != NULL)
			SharedFileExport(contents.rows[i]->file.file);
	}
	SegmentsLeave(places, head.place, segments);
}

/*
 * Taking a part.
 */

typedef struct TicketReader
{
	const char *at;
	List	   *segments;		/* of the part */
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
		if (place.segment == IN_FILE)
		{
			chunk->file = &part->file;
			chunk->block = place.at;
		}
		else
		{
			chunk->segment = list_nth(ticket->segments, place.segment);
			chunk->segment->users++;
			chunk->words = SegmentWords(chunk->segment) + place.at;
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
AddPart(GpufimRows *rows, PartSegment *files)
{
	RowPart    *part = MemoryContextAllocZero(rows->ledger->context, sizeof(RowPart));

	part->files = files;
	files->users++;
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

Size
PartTicketSize(const char *ticket)
{
	TicketHead	head;

	memcpy(&head, ticket, sizeof(head));
	return head.size;
}

void
PartTake(Receiver *receiver, const char *ticket, SharedFileSet *set, PartSegment *files,
		 SegmentPlaces *places)
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
	reader.segments = SegmentsTake(ledger, places, head.place, head.nsegments);
	for (int i = 0; i < contents.nrows; i++)
	{
		ReadBytes(&reader, &figures[i], sizeof(RowsFigures));
		AddPart(contents.rows[i], files)->file.file = OpenFile(ledger, set, &figures[i]);
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
	PartSegmentsRelease(reader.segments);
}

/*
 * Sharing what this process has read itself.
 */

bool
ChunksShare(GpufimRows *rows, ChunkList *lists, uint32 nlists)
{
	PartLists	part = {0};

	AddLists(&part, rows, lists, nlists);
	return ShareLists(&part);
}

void
ReceiverShare(Receiver *receiver)
{
	ReceiverContents contents = {0};
	PartLists	part = {0};

	receiver->kind->contents(receiver, &contents);
	for (int i = 0; i < contents.nrows; i++)
		AddListsOf(&part, contents.rows[i]);
	(void) ShareLists(&part);
}
