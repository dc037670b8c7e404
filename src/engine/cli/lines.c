/*-------------------------------------------------------------------------
 *
 * lines.c
 *	  A file, line by line, through a buffer.
 *
 *-------------------------------------------------------------------------
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE		((size_t) 1 << 16)

void
LinesOpen(Lines *file, const char *name)
{
	memset(file, 0, sizeof(Lines));
	file->name = name;
	file->fd = strcmp(name, "-") == 0 ? 0 : open(name, O_RDONLY);
	if (file->fd < 0)
		Die("could not open \"%s\": %s", name, strerror(errno));
	file->room = READ_SIZE;
	file->buffer = Need(calloc(1, file->room + LINES_SLACK));
}

void
LinesClose(Lines *file)
{
	if (file->fd != 0)
		close(file->fd);
	free(file->buffer);
}

/* Moves the incomplete line to the start of the buffer first. */
void
LinesReadOn(Lines *file)
{
	size_t		left = file->end - file->at;
	ssize_t		n;

	memmove(file->buffer, file->buffer + file->at, left);
	file->at = 0;
	file->end = left;
	if (left + 1 >= file->room)
		file->buffer = Need(realloc(file->buffer, (file->room *= 2) + LINES_SLACK));
	do
		n = read(file->fd, file->buffer + left, file->room - left - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		Die("could not read \"%s\": %s", file->name, strerror(errno));
	file->end += (size_t) n;
	if (n == 0)
	{
		/* a last line without a '\n' gets one */
		file->at_end = true;
		if (left > 0)
			file->buffer[file->end++] = '\n';
	}
	memset(file->buffer + file->end, 0, LINES_SLACK);
}
