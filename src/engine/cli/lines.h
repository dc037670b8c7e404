/*-------------------------------------------------------------------------
 *
 * lines.h
 *	  A file, line by line.
 *
 * Included by transactions.c, which reads transactions from it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LINES_H
#define FIM_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* So many bytes after a line may be read, too.  They have no meaning. */
#define LINES_SLACK		16

typedef struct Lines
{
	const char *name;
	int			fd;
	char	   *buffer;
	size_t		room;
	size_t		at;				/* the next line's start */
	size_t		end;			/* of the text */
	bool		at_end;			/* of the file */
} Lines;

/* Opens a file; "-" is standard input.  The program ends with a message if it cannot be read. */
extern void LinesOpen(Lines *file, const char *name);
extern void LinesClose(Lines *file);

/* Reads on behind the line that has begun; for LinesNext() alone. */
extern void LinesReadOn(Lines *file);

/*
 * The next line, which ends with '\n' and is there until the next call, or NULL if there
 * is none.  *length is its length without the end.
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

#endif							/* FIM_LINES_H */
