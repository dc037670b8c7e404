/*-------------------------------------------------------------------------
 *
 * transactions.c
 *	  Transactions from a file, in FIMI form: a line each, items as integers
 *	  separated by blanks.
 *
 * The file passes through a buffer, and only the items are kept, in 16 bits where they fit.  In
 * much data most lines are equal to a line shortly before.  That takes less time to see from the
 * text than from the items, so lines are looked up in a table of recent lines before they are
 * parsed.
 *
 *-------------------------------------------------------------------------
 */
#include "cli.h"

#include <string.h>

/* ---- items in memory ---- */

/* The size of the first chunk, in bytes. */
#define FIRST_CHUNK		((size_t) 1 << 16)

/*
 * The size of each other chunk, if its first row does not need more.  A large page is made in less time
 * than as much memory in small ones.
 */
#define NEXT_CHUNK		LARGE_PAGE
#define MAX_NARROW		UINT16_MAX

static Chunk *
AddChunk(Transactions *t, size_t bytes, bool wide)
{
	size_t		size = t->last == NULL ? FIRST_CHUNK : NEXT_CHUNK;
	Chunk	   *chunk;

	while (size < bytes + sizeof(Chunk))
		size *= 2;
	chunk = MadeZeros(size);
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
 * Add a row.  A wide chunk takes rows of either width until it is full, because otherwise each
 * change from rows with large numbers to rows without would leave a chunk nearly empty.
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

#define EACH_BYTE(b)	(UINT64_C(0x0101010101010101) * (b))

/* Read eight characters, the first one into the lowest byte. */
static inline uint64_t
EightCharacters(const char *at)
{
	uint64_t	word;

	memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Sets the highest bit of each byte that is not a digit. */
static inline uint64_t
NoDigits(uint64_t word)
{
	word ^= EACH_BYTE('0');
	return (word | ((word & EACH_BYTE(0x7f)) + EACH_BYTE(0x76))) & EACH_BYTE(0x80);
}

static inline uint64_t
NoSpaces(uint64_t word)
{
	word ^= EACH_BYTE(' ');
	return (word | ((word & EACH_BYTE(0x7f)) + EACH_BYTE(0x7f))) & EACH_BYTE(0x80);
}

/* Returns the highest bits of the eight bytes as a number of 8 bits; the other bits must be 0. */
static inline uint64_t
HighestBits(uint64_t word)
{
	return word * UINT64_C(0x0002040810204081) >> 56;
}

/*
 * Returns a bit for each of n characters, at most 64, that is a digit.  Sets *odd if there is a
 * character that is neither a digit nor a space.
 */
static inline uint64_t
FindDigits(const char *at, size_t n, bool *odd)
{
	uint64_t	digits = 0;
	uint64_t	others = 0;

	for (size_t i = 0; i < n; i += 8)
	{
		uint64_t	word = EightCharacters(at + i);
		uint64_t	separators;

		/* turn what follows the line into spaces */
		if (n - i < 8)
			word = (word & ~(UINT64_MAX << 8 * (n - i))) | EACH_BYTE(' ') << 8 * (n - i);
		separators = NoDigits(word);
		others |= separators & NoSpaces(word);
		digits |= (HighestBits(separators) ^ 0xff) << i;
	}
	*odd |= others != 0;
	return digits;
}

/* Read a number of at most 7 digits, all of them in parallel. */
static inline uint32_t
ShortNumber(const char *at, unsigned ndigits)
{
	uint64_t	word = (EightCharacters(at) ^ EACH_BYTE('0')) << (64 - 8 * ndigits);

	word = (word * 10 + (word >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
	word = (word * 100 + (word >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
	return (uint32_t) (word * 10000 + (word >> 32));
}

/* Read the number at *at digit by digit, and move *at behind it.  The first character must be a digit. */
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

/* End the program if a line has characters that are neither digits nor blanks. */
static void
CheckBlanks(const Transactions *t, const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((line[i] < '0' || line[i] > '9') && line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			Die("\"%s\", line %llu: an item must be a whole number", t->name,
				(unsigned long long) t->lines);
}

/* A row to which items are being added. */
typedef struct NewRow
{
	uint32_t   *items;
	uint32_t	n;
	uint32_t	greatest;
	uint32_t	number;
} NewRow;

static inline void
AddItem(Transactions *t, NewRow *row, uint32_t item)
{
	ItemUse    *use = &t->items[item];

	if (use->last_row == row->number)
		return;
	use->last_row = row->number;
	use->support++;
	row->items[row->n++] = item;
	if (item > row->greatest)
		row->greatest = item;
}

/*
 * Add the numbers in up to 64 characters.  The beginnings and ends of all numbers are found at
 * once, so that no number has to wait for the one before it.  Returns where to go on, which is
 * the beginning of the last number if that may have more digits.
 */
static inline const char *
AddNumbers(Transactions *t, NewRow *row, const char *at, const char *end, bool *odd)
{
	size_t		n = end - at < 64 ? (size_t) (end - at) : 64;
	uint64_t	digits = FindDigits(at, n, odd);
	const char *next = at + n;

	for (uint64_t starts = digits & ~(digits << 1); starts != 0; starts &= starts - 1)
	{
		unsigned	start = (unsigned) __builtin_ctzll(starts);
		uint64_t	after = ~(digits >> start);
		unsigned	ndigits = after != 0 ? (unsigned) __builtin_ctzll(after) : 64;
		const char *number = at + start;

		if (ndigits >= 8)
		{
			AddItem(t, row, LongNumber(t, &number));
			if (number > next)
				next = number;
		}
		else if (number + ndigits == next && next < end)
			return number;
		else
			AddItem(t, row, ShortNumber(number, ndigits));
	}
	return next;
}

/*
 * Parse a line of "length" characters, which a '\n' follows, and add its row.  items[] must have
 * room for length / 2 + 1 items.
 */
static void
AddLine(Transactions *t, const char *line, size_t length, uint32_t *items)
{
	NewRow		row = {.items = items,.number = (uint32_t) t->nrows + 1};
	const char *at = line;
	bool		odd = false;

	while (at < line + length)
		at = AddNumbers(t, &row, at, line + length, &odd);
	if (odd)
		CheckBlanks(t, line, length);
	AddRow(t, row.items, row.n, row.greatest);
}

/* ---- equal lines ---- */

#define RECENT_LINES	((size_t) 1 << 14)
#define RECENT_TEXT		((size_t) 1 << 22)

/* Where the first text lies, so that 0 can mean that there is none. */
#define FIRST_TEXT		sizeof(RecentText)

/* After this many lines have been looked up, their number of hits is judged. */
#define LINES_TO_JUDGE	1024

/* If fewer than one of LINES_TO_FIND lines has been found, the next lines are not looked up. */
#define LINES_TO_FIND	4

/* The number of lines that are not looked up then. */
#define LINES_TO_SKIP	(8 * LINES_TO_JUDGE)

/*
 * A slot of the table.  It is small because a slot is read for every line, so the table should
 * stay in the cache.
 */
typedef struct RecentLine
{
	uint32_t	hash;
	uint32_t	text;			/* where in "text" its RecentText lies; 0: the slot is empty */
} RecentLine;

typedef struct RecentText
{
	uint32_t	row;
	uint32_t	length;
	char		line[];
} RecentText;

typedef struct Recent
{
	RecentLine *line;			/* [RECENT_LINES] */
	char	   *text;			/* [RECENT_TEXT], RecentTexts one after the other */
	size_t		used;			/* bytes of "text" in use */
	uint32_t	looked_up;		/* lines since the last judgement */
	uint32_t	found;			/* those of them that were found */
	uint32_t	to_skip;		/* number of lines yet to come that are not looked up */
} Recent;

/*
 * Begin with a table that has no memory yet.  The first lines are not looked up, so a short file
 * never needs any.
 */
static void
BeginRecent(Recent *recent)
{
	memset(recent, 0, sizeof(Recent));
	recent->to_skip = LINES_TO_SKIP;
}

static void
EndRecent(Recent *recent)
{
	if (recent->line == NULL)
		return;
	FreeZeros(recent->line, sizeof(RecentLine) * RECENT_LINES);
	FreeZeros(recent->text, RECENT_TEXT);
}

/* Hash a text, 16 characters at a time.  Up to LINES_SLACK characters after it are read, too. */
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
			/* characters after the text do not count */
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

/* Put a line into the table.  If there is no room for its text, all other lines are forgotten. */
static void
Remember(Recent *recent, RecentLine *at, uint32_t hash, const char *line, size_t length, uint32_t row)
{
	size_t		size = (sizeof(RecentText) + length + 7) & ~(size_t) 7;
	RecentText *text;

	if (length > RECENT_TEXT / 16)
		return;
	if (size > RECENT_TEXT - recent->used)
	{
		memset(recent->line, 0, sizeof(RecentLine) * RECENT_LINES);
		recent->used = FIRST_TEXT;
	}
	text = (RecentText *) (recent->text + recent->used);
	text->row = row;
	text->length = (uint32_t) length;
	memcpy(text->line, line, length);
	*at = (RecentLine) {hash, (uint32_t) recent->used};
	recent->used += size;
}

/* Add a line as a new row, or as a repetition of the row of an equal recent line. */
static void
AddOrRepeatLine(Transactions *t, Recent *recent, const char *line, size_t length, uint32_t *row)
{
	uint64_t	hash = HashText(line, length);
	uint32_t	tag = (uint32_t) (hash >> 32);
	RecentLine *at;
	RecentText *text;

	if (recent->line == NULL)
	{
		recent->used = FIRST_TEXT;
		recent->line = MadeZeros(sizeof(RecentLine) * RECENT_LINES);
		recent->text = FilledZeros(RECENT_TEXT);
	}
	at = &recent->line[hash % RECENT_LINES];
	text = (RecentText *) (recent->text + at->text);
	if (at->text != 0 && at->hash == tag && text->length == length &&
		memcmp(text->line, line, length) == 0)
	{
		t->rows[text->row].times++;
		recent->found++;
	}
	else
	{
		AddLine(t, line, length, row);
		Remember(recent, at, tag, line, length, (uint32_t) (t->nrows - 1));
	}
	if (++recent->looked_up < LINES_TO_JUDGE)
		return;
	if (recent->found * LINES_TO_FIND < recent->looked_up)
		recent->to_skip = LINES_TO_SKIP;
	recent->looked_up = recent->found = 0;
}

/*
 * Add the repetitions of rows to the supports of their items, which have been counted only once
 * for each row.
 */
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
	Lines		file;
	Recent		recent;
	const char *line;
	size_t		length;
	size_t		room = 64;
	uint32_t   *row = Need(malloc(sizeof(uint32_t) * room));

	memset(t, 0, sizeof(Transactions));
	t->name = name;
	t->items = LazyZeros(sizeof(ItemUse) * ((size_t) MAX_ITEM + 1));
	LinesOpen(&file, name);
	BeginRecent(&recent);
	while ((line = LinesNext(&file, &length)) != NULL)
	{
		if (++t->lines >= FIM_MAX_TRANSACTIONS)
			Die("\"%s\" has too many transactions", name);
		/* an item takes two characters, but the last one may take only one */
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
	LinesClose(&file);
	free(row);
	CountRepeats(t);
}
