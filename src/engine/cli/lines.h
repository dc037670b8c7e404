/*-------------------------------------------------------------------------
 *
 * lines.h
 *	  A file, line by line.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LINES_H
#define FIM_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

#endif							/* FIM_LINES_H */
