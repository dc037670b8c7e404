/*-------------------------------------------------------------------------
 *
 * transactions.c
 *	  Transactions from a file, in FIMI form: a line each, items as integers
 *	  separated by blanks.
 *
 * The file passes through a buffer, and what is kept of it is the items, in 16
 * bits where they fit.  In much data most lines are equal to a line shortly
 * before, which takes less to see from the text than from the items: so lines
 * are looked up in a table of recent ones before they are taken apart.
 *
 *-------------------------------------------------------------------------
 */
#include "transactions.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- a file, line by line ---- */

#define READ_SIZE		((size_t) 1 << 18)

/* Bytes after the buffer's text that may be read. */
#define SLACK			16

typedef struct File
{
	const char *name;
	int			fd;
	char	   *buffer;
	size_t		room;
	size_t		at;				/* the next line's start */
	size_t		end;			/* of the text */
	bool		at_end;			/* of the file */
} File;

static void
OpenFile(File *file, const char *name)
{
	memset(file, 0, sizeof(File));
	file->name = name;
	file->fd = strcmp(name, "-") == 0 ? 0 : open(name, O_RDONLY);
	if (file->fd < 0)
		Die("could not open \"%s\": %s", name, strerror(errno));
	file->room = READ_SIZE;
	file->buffer = Need(calloc(1, file->room + SLACK));
}

static void
CloseFile(File *file)
{
	if (file->fd != 0)
		close(file->fd);
	free(file->buffer);
}

/* Read on behind the line that has begun, which moves to the start of the buffer. */
static void
ReadOn(File *file)
{
	size_t		left = file->end - file->at;
	ssize_t		n;

	memmove(file->buffer, file->buffer + file->at, left);
	file->at = 0;
	file->end = left;
	if (left + 1 >= file->room)
		file->buffer = Need(realloc(file->buffer, (file->room *= 2) + SLACK));
	do
		n = read(file->fd, file->buffer + left, file->room - left - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		Die("could not read \"%s\": %s", file->name, strerror(errno));
	file->end += (size_t) n;
	if (n == 0)
	{
		/* a last line without an end gets one */
		file->at_end = true;
		if (left > 0)
			file->buffer[file->end++] = '\n';
	}
	memset(file->buffer + file->end, 0, SLACK);
}

/* The next line, which ends with '\n' and is there until the next call; NULL: no more. */
static const char *
NextLine(File *file, size_t *length)
{
	size_t		searched = 0;

	for (;;)
	{
		const char *line = file->buffer + file->at;
		const char *end = memchr(line + searched, '\n', file->end - file->at - searched);

		if (end != NULL)
		{
			*length = (size_t) (end - line);
			file->at += *length + 1;
			return line;
		}
		if (file->at_end)
			return NULL;
		searched = file->end - file->at;
		ReadOn(file);
	}
}

/* ---- items in memory ---- */

#define CHUNK_SIZE		((size_t) 1 << 20)
#define MAX_NARROW		UINT16_MAX

/* Items of whole rows, in 16 bits each or, if it is wide, in 32. */
typedef struct Chunk
{
	struct Chunk *next;
	size_t		size;			/* in bytes, this header included */
	size_t		used;			/* bytes of items */
	uint64_t	nrows;
	bool		wide;
} Chunk;

static inline void *
ChunkItems(Chunk *chunk)
{
	return chunk + 1;
}

static Chunk *
AddChunk(Transactions *t, size_t bytes, bool wide)
{
	size_t		size = CHUNK_SIZE;
	Chunk	   *chunk;

	while (size < bytes + sizeof(Chunk))
		size *= 2;
	chunk = LazyZeros(size);
	chunk->size = size;
	chunk->wide = wide;
	if (t->last != NULL)
		t->last->next = chunk;
	else
		t->first = chunk;
	t->last = chunk;
	return chunk;
}

static inline size_t
RowBytes(uint32_t n, bool wide)
{
	return n * (wide ? sizeof(uint32_t) : sizeof(uint16_t));
}

static inline bool
HasRoom(const Chunk *chunk, size_t bytes)
{
	return chunk->size - sizeof(Chunk) - chunk->used >= bytes;
}

/*
 * A wide chunk takes rows of either width until it is full.  Otherwise each change
 * from rows with large numbers to rows without would leave a chunk nearly empty.
 */
static void
AddRow(Transactions *t, const uint32_t *items, uint32_t n, uint32_t greatest)
{
	Chunk	   *chunk = t->last;
	bool		wide = greatest > MAX_NARROW ||
		(chunk != NULL && chunk->wide && HasRoom(chunk, RowBytes(n, true)));
	size_t		bytes = RowBytes(n, wide);

	if (chunk == NULL || chunk->wide != wide || !HasRoom(chunk, bytes))
		chunk = AddChunk(t, bytes, wide);
	if (wide)
		memcpy((char *) ChunkItems(chunk) + chunk->used, items, bytes);
	else
	{
		uint16_t   *to = (uint16_t *) ((char *) ChunkItems(chunk) + chunk->used);

		for (uint32_t i = 0; i < n; i++)
			to[i] = (uint16_t) items[i];
	}
	chunk->used += bytes;
	chunk->nrows++;
	if (t->nrows == t->room)
		t->rows = Need(realloc(t->rows, sizeof(Row) * (t->room = t->room * 2 + 1024)));
	t->rows[t->nrows++] = (Row) {n, 1};
	if (n > t->longest)
		t->longest = n;
	if (greatest > t->greatest)
		t->greatest = greatest;
}

/* ---- lines to rows ---- */

/*
 * The number that a word of text begins with, and how many digits it has: 0, or
 * 8 if there may be more.  Digits are found and put together side by side.
 */
static inline uint32_t
LeadingNumber(const char *at, unsigned *ndigits)
{
	uint64_t	word;
	uint64_t	others;

	memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	word ^= UINT64_C(0x3030303030303030);
	/* the highest bit of bytes above 9, right up to the first such byte */
	others = (word | (word + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
	*ndigits = others == 0 ? 8 : (unsigned) __builtin_ctzll(others) / 8;
	if (*ndigits == 0)
		return 0;
	word <<= 64 - 8 * *ndigits;
	word = (word * 10 + (word >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
	word = (word * 100 + (word >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
	return (uint32_t) (word * 10000 + (word >> 32));
}

/* The number at *at, which is a digit, digit by digit. */
static uint32_t
LongNumber(const Transactions *t, const char **at)
{
	uint32_t	number = 0;
	unsigned	c;

	for (; (c = (unsigned char) **at - '0') <= 9; (*at)++)
	{
		number = number * 10 + c;
		if (number > MAX_ITEM)
			Die("\"%s\", line %llu: items must not exceed %u", t->name,
				(unsigned long long) t->lines, MAX_ITEM);
	}
	return number;
}

/* Take apart a line of so many characters, which a '\n' follows; row has room for half as many items. */
static void
AddLine(Transactions *t, const char *line, size_t length, uint32_t *row)
{
	const char *at = line;
	const char *end = line + length;
	uint32_t	this_row = (uint32_t) t->nrows + 1;
	uint32_t	greatest = 0;
	uint32_t	n = 0;

	while (at < end)
	{
		unsigned	ndigits;
		uint32_t	item = LeadingNumber(at, &ndigits);
		ItemUse    *use;

		if (ndigits == 0)
		{
			if (*at != ' ' && *at != '\t' && *at != '\r')
				Die("\"%s\", line %llu: an item must be a whole number", t->name,
					(unsigned long long) t->lines);
			at++;
			continue;
		}
		if (ndigits < 8)
		{
			at += ndigits;
			/* predicted, so that the next number need not wait for this one */
			if (*at == ' ')
				at++;
		}
		else
			item = LongNumber(t, &at);
		use = &t->items[item];
		if (use->last_row == this_row)
			continue;
		use->last_row = this_row;
		use->support++;
		row[n++] = item;
		if (item > greatest)
			greatest = item;
	}
	AddRow(t, row, n, greatest);
}

/* ---- equal lines ---- */

#define RECENT_LINES	((size_t) 1 << 14)
#define RECENT_TEXT		((size_t) 1 << 22)

/* Of so many lines ... */
#define LINES_TO_JUDGE	1024

/* ... one in so many must be found, or the next lines are not looked up, ... */
#define LINES_TO_FIND	4

/* ... which are so many. */
#define LINES_TO_SKIP	(8 * LINES_TO_JUDGE)

typedef struct RecentLine
{
	uint64_t	hash;
	uint32_t	length;
	uint32_t	text;			/* where its text begins */
	uint64_t	row;			/* counted from 1; 0: no line is here */
} RecentLine;

typedef struct Recent
{
	RecentLine *line;			/* [RECENT_LINES] */
	char	   *text;			/* [RECENT_TEXT] */
	size_t		used;			/* of the text */
	uint32_t	looked_up;		/* lines since we last judged */
	uint32_t	found;			/* of these */
	uint32_t	to_skip;		/* so many lines more are not looked up */
} Recent;

static void
BeginRecent(Recent *recent)
{
	memset(recent, 0, sizeof(Recent));
	recent->line = LazyZeros(sizeof(RecentLine) * RECENT_LINES);
	recent->text = LazyZeros(RECENT_TEXT);
}

static void
EndRecent(Recent *recent)
{
	FreeZeros(recent->line, sizeof(RecentLine) * RECENT_LINES);
	FreeZeros(recent->text, RECENT_TEXT);
}

/* 16 characters at a time; up to SLACK characters after the text may be read. */
static inline uint64_t
HashText(const char *text, size_t length)
{
	uint64_t	hash = length;
	uint64_t	words[2];

	for (;;)
	{
		unsigned __int128 product;

		memcpy(words, text, sizeof(words));
		if (length < 16)
		{
			/* those after the text do not count */
			if (length <= 8)
				words[1] = 0;
			if (length % 8 != 0)
				words[length / 8] &= (UINT64_C(1) << (8 * (length % 8))) - 1;
			else if (length == 0)
				words[0] = 0;
		}
		product = (unsigned __int128) (words[0] ^ UINT64_C(0x9e3779b97f4a7c15) ^ hash) *
			(words[1] ^ UINT64_C(0xd1342543de82ef95));
		hash = (uint64_t) product ^ (uint64_t) (product >> 64);
		if (length <= 16)
			return hash ^ hash >> 32;
		text += 16;
		length -= 16;
	}
}

/* Make this line one of the recent ones.  When there is no room for its text, all others leave. */
static void
Remember(Recent *recent, RecentLine *at, uint64_t hash, const char *line, size_t length, uint64_t row)
{
	if (length > RECENT_TEXT / 16)
		return;
	if (length > RECENT_TEXT - recent->used)
	{
		memset(recent->line, 0, sizeof(RecentLine) * RECENT_LINES);
		recent->used = 0;
	}
	memcpy(recent->text + recent->used, line, length);
	*at = (RecentLine) {hash, (uint32_t) length, (uint32_t) recent->used, row};
	recent->used += length;
}

/* The line as one more row, or as one more time of the row that an equal one made. */
static void
AddOrRepeatLine(Transactions *t, Recent *recent, const char *line, size_t length, uint32_t *row)
{
	uint64_t	hash = HashText(line, length);
	RecentLine *at = &recent->line[hash % RECENT_LINES];

	if (at->row != 0 && at->hash == hash && at->length == length &&
		memcmp(recent->text + at->text, line, length) == 0)
	{
		t->rows[at->row - 1].times++;
		recent->found++;
	}
	else
	{
		AddLine(t, line, length, row);
		Remember(recent, at, hash, line, length, t->nrows);
	}
	if (++recent->looked_up < LINES_TO_JUDGE)
		return;
	if (recent->found * LINES_TO_FIND < recent->looked_up)
		recent->to_skip = LINES_TO_SKIP;
	recent->looked_up = recent->found = 0;
}

/* The items of rows that were met several times have been counted once. */
static void
CountRepeats(Transactions *t)
{
	const Row  *row = t->rows;

	for (Chunk *chunk = t->first; chunk != NULL; chunk = chunk->next)
	{
		const uint16_t *narrow = ChunkItems(chunk);
		const uint32_t *wide = ChunkItems(chunk);

		for (uint64_t r = 0; r < chunk->nrows; r++, row++)
		{
			for (uint32_t i = 0; i < row->length && row->times > 1; i++)
				t->items[chunk->wide ? wide[i] : narrow[i]].support += row->times - 1;
			narrow += row->length;
			wide += row->length;
		}
	}
}

void
ReadTransactions(const char *name, Transactions *t)
{
	File		file;
	Recent		recent;
	const char *line;
	size_t		length;
	size_t		room = 0;
	uint32_t   *row = NULL;

	memset(t, 0, sizeof(Transactions));
	t->name = name;
	t->items = LazyZeros(sizeof(ItemUse) * ((size_t) MAX_ITEM + 1));
	OpenFile(&file, name);
	BeginRecent(&recent);
	while ((line = NextLine(&file, &length)) != NULL)
	{
		if (++t->lines >= FIM_MAX_TRANSACTIONS)
			Die("\"%s\" has too many transactions", name);
		/* an item takes two characters, the last one may take one */
		if (length / 2 + 1 > room)
			row = Need(realloc(row, sizeof(uint32_t) * (room = length + 64)));
		if (recent.to_skip == 0)
			AddOrRepeatLine(t, &recent, line, length, row);
		else
		{
			recent.to_skip--;
			AddLine(t, line, length, row);
		}
	}
	EndRecent(&recent);
	CloseFile(&file);
	free(row);
	CountRepeats(t);
}

/* ---- rows to a database ---- */

/* What is frequent: items by ascending number. */
typedef struct Frequent
{
	uint32_t   *number;			/* [greatest item + 1] counted from 1; 0: not frequent */
	uint32_t   *values;			/* [n] the items */
	uint32_t   *support;		/* [n] */
	uint32_t	n;
	uint64_t	entries;		/* in all lines */
} Frequent;

static void
FindFrequent(const Transactions *t, uint32_t minsup, Frequent *frequent)
{
	memset(frequent, 0, sizeof(Frequent));
	for (uint32_t i = 0; i <= t->greatest; i++)
		frequent->n += t->items[i].support >= minsup;
	frequent->number = LazyZeros(sizeof(uint32_t) * ((size_t) t->greatest + 1));
	frequent->values = Need(malloc(sizeof(uint32_t) * ((size_t) frequent->n + 1)));
	frequent->support = Need(malloc(sizeof(uint32_t) * ((size_t) frequent->n + 1)));
	frequent->n = 0;
	for (uint32_t i = 0; i <= t->greatest; i++)
		if (t->items[i].support >= minsup)
		{
			frequent->entries += frequent->support[frequent->n] = t->items[i].support;
			frequent->values[frequent->n] = i;
			frequent->number[i] = ++frequent->n;
		}
}

/* Which items are infrequent follows no pattern: so they are dropped without a branch. */
#define KEEP_FREQUENT(item, length, number, to, n) \
	do { \
		for (uint32_t i = 0; i < (length); i++) \
		{ \
			uint32_t	found = (number)[(item)[i]]; \
			(to)[n] = found - 1; \
			(n) += found != 0; \
		} \
	} while (0)

/* Add the rows of a chunk; returns the next chunk's first row. */
static const Row *
EncodeChunk(FimDatabase *db, Chunk *chunk, const Row *row, const uint32_t *number, uint32_t *kept)
{
	const uint16_t *narrow = ChunkItems(chunk);
	const uint32_t *wide = ChunkItems(chunk);

	for (uint64_t r = 0; r < chunk->nrows; r++, row++)
	{
		uint32_t	n = 0;

		if (chunk->wide)
			KEEP_FREQUENT(wide, row->length, number, kept, n);
		else
			KEEP_FREQUENT(narrow, row->length, number, kept, n);
		FimDatabaseAddTimes(db, kept, n, row->times);
		narrow += row->length;
		wide += row->length;
	}
	return row;
}

/* Rows are merged meanwhile each time that they are twice as many as were left, from here on. */
#define ROWS_TO_MERGE	32768

static void
EncodeRows(Transactions *t, const uint32_t *number, FimDatabase *db, FimHost *host)
{
	uint32_t   *kept = Need(malloc(sizeof(uint32_t) * ((size_t) t->longest + 1)));
	const Row  *row = t->rows;
	bool		many_equal = t->nrows < t->lines / 4 * 3;
	uint64_t	due = ROWS_TO_MERGE;

	for (Chunk *chunk = t->first, *next; chunk != NULL; chunk = next)
	{
		row = EncodeChunk(db, chunk, row, number, kept);
		next = chunk->next;
		FreeZeros(chunk, chunk->size);
		if (many_equal && db->nrows >= due)
		{
			if (!FimDatabaseMerge(db, host))
				Die("out of memory");
			due = (uint64_t) db->nrows * 2 + ROWS_TO_MERGE;
		}
	}
	free(kept);
}

void
EncodeTransactions(Transactions *t, uint32_t minsup, FimHost *host, Encoded *to)
{
	Frequent	frequent;

	FindFrequent(t, minsup, &frequent);
	FreeZeros(t->items, sizeof(ItemUse) * ((size_t) MAX_ITEM + 1));
	to->values = frequent.values;
	to->size = FimDatabaseIndexedBound(t->nrows, frequent.entries, frequent.n);
	to->db = FilledZeros(to->size);
	FimDatabaseBegin(to->db, to->size, t->nrows, frequent.entries, frequent.n, frequent.support);
	EncodeRows(t, frequent.number, to->db, host);
	free(t->rows);
	FreeZeros(frequent.number, sizeof(uint32_t) * ((size_t) t->greatest + 1));
	free(frequent.support);
	if (!FimDatabaseFinish(to->db, host) || !FimDatabaseIndex(to->db, host))
		Die("out of memory");
}

void
FreeEncoded(Encoded *data)
{
	FreeZeros(data->db, data->size);
	free(data->values);
}
