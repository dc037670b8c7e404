/*-------------------------------------------------------------------------
 *
 * cli.h
 *	  What the files of the command-line program share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CLI_H
#define FIM_CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/engine.h"
#include "engine/itemsets/itemsets.h"

/* Print a message and end the program. */
static inline __attribute__((format(printf, 1, 2), noreturn)) void
Die(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	fputs("fim: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static inline void *
Need(void *block)
{
	if (block == NULL)
		Die("out of memory");
	return block;
}

/* Allocate zeros that take memory only where they are written.  FreeZeros() frees them. */
static inline void *
LazyZeros(size_t bytes)
{
	void	   *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
							 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (block == MAP_FAILED)
		Die("out of memory");
	return block;
}

static inline void
FreeZeros(void *block, size_t bytes)
{
	(void) munmap(block, bytes);
}

#define LARGE_PAGE		((size_t) 2 << 20)

/* Round a size up to whole large pages, unless it is below a quarter of one. */
static inline size_t
WholePages(size_t bytes)
{
	return bytes < LARGE_PAGE / 4 ? bytes : (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/*
 * Allocate zeros that will be written from the start on.  They get large pages where possible,
 * which cause fewer page faults; the size should be one that WholePages() returns.
 */
static inline void *
FilledZeros(size_t bytes)
{
	void	   *block = LazyZeros(bytes);

#ifdef MADV_HUGEPAGE
	(void) madvise(block, bytes, MADV_HUGEPAGE);
#endif
	return block;
}

/* Allocate zeros all of which will be written soon.  Their pages are made at once. */
static inline void *
MadeZeros(size_t bytes)
{
	void	   *block = bytes < LARGE_PAGE ? LazyZeros(bytes) : FilledZeros(bytes);

#ifdef MADV_POPULATE_WRITE
	(void) madvise(block, bytes, MADV_POPULATE_WRITE);
#endif
	return block;
}

/*
 * lines.c: A file, line by line.
 */

/* The number of bytes after a line that callers may read, too.  They have no meaning. */
#define LINES_SLACK		16

typedef struct Lines
{
	const char *name;
	int			fd;
	char	   *buffer;
	size_t		room;
	size_t		at;				/* where the next line begins in the buffer */
	size_t		end;			/* end of the text in the buffer */
	bool		at_end;			/* the whole file has been read */
} Lines;

/* Opens a file; "-" is standard input.  The program ends with a message if it cannot be read. */
extern void LinesOpen(Lines *file, const char *name);
extern void LinesClose(Lines *file);

/* Reads more of the file after the text that is left in the buffer.  Only for LinesNext(). */
extern void LinesReadOn(Lines *file);

/*
 * Returns the next line, or NULL if there is none.  The line ends with '\n' and is valid until
 * the next call.  *length becomes its length without the '\n'.
 */
static inline const char *
LinesNext(Lines *file, size_t *length)
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
		LinesReadOn(file);
	}
}

/*
 * transactions.c: Transactions from a file.
 */

/* The greatest number that an item may have in a file. */
#define MAX_ITEM		((UINT32_C(1) << 28) - 1)

/* A row stands for a line of the file, or for several equal ones. */
typedef struct Row
{
	uint32_t	length;
	uint32_t	times;
} Row;

/* The items of some rows, in 16 bits each or, in a wide chunk, in 32. */
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

typedef struct ItemUse
{
	uint32_t	support;
	uint32_t	last_row;		/* number of the last row that holds the item, counted from 1 */
} ItemUse;

typedef struct Transactions
{
	const char *name;			/* of the file */
	Chunk	   *first;			/* the items of the rows, each once in a row */
	Chunk	   *last;
	Row		   *rows;
	uint64_t	nrows;
	uint64_t	room;			/* length of rows[] */
	uint64_t	lines;
	uint32_t	longest;		/* number of items of the longest row */
	ItemUse    *items;			/* [MAX_ITEM + 1] */
	uint32_t	greatest;		/* item */
} Transactions;

/*
 * Read a file of lines in FIMI form; "-" is standard input.  The program ends
 * with a message if that fails.
 */
extern void ReadTransactions(const char *name, Transactions *t);

/*
 * encoded.c: The database of the transactions of a file.
 */

typedef struct Encoded
{
	FimDatabase *db;
	size_t		size;			/* bytes of its memory */
	uint32_t   *values;			/* [nitems], of each item of the database: its number in the file */
} Encoded;

/*
 * Build and index the database of the items that are in at least minsup lines. Frees the memory
 * of the transactions.
 */
extern void EncodeTransactions(Transactions *t, uint32_t minsup, FimHost *host, Encoded *to);
extern void FreeEncoded(Encoded *data);

/*
 * listing.c: Writes itemsets as text, a line each: "item item ... (support)".
 */

#define NAME_ROOM		16

typedef struct Name
{
	char		text[NAME_ROOM - 1]; /* "123 " */
	uint8_t		length;
} Name;

typedef struct Writer
{
	FimSink		sink;
	const Name *names;			/* by the item's number in the database */
	int			fd;
	char	   *buffer;
	size_t		used;
	uint32_t   *path;			/* the itemset of the last record */
	size_t		path_room;
	char	   *stable;			/* text of the path's first nstable items */
	size_t	   *stable_end;		/* [nstable + 1], where the text of each stable item ends */
	uint32_t	nstable;
	uint32_t	last_support;
	char		support_text[16];
	size_t		support_length;
	uint64_t	written;
} Writer;

/* Returns the items' texts as they are written; the caller frees them with free(). */
extern Name *MakeNames(const uint32_t *values, uint32_t nitems);

/* Each worker has a writer of its own; all of them write to fd, whole lines at a time. */
extern void BeginWriting(Writer *w, const Name *names, int fd);
extern void EndWriting(Writer *w);

#endif							/* FIM_CLI_H */
