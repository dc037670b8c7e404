/*-------------------------------------------------------------------------
 *
 * listing.c
 *	  Writes itemsets as text, a line each: "item item ... (support)".
 *
 *-------------------------------------------------------------------------
 */
#include "cli.h"


#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BUFFER		((size_t) 1 << 18)

/*
 * A line repeats most of the line before.  To copy from that line, the processor would have to
 * wait for its stores, which have only just been made.  So the text of the path's first items,
 * its stable part, is kept apart, and the last few items are taken from their names each time.
 * Longer unstable ends than this are made stable.
 */
#define MAX_UNSTABLE	6

/*
 * Held while a writer writes out its buffer.  A pipe takes a buffer in parts, so without this
 * lock the text of another writer could come between two parts, in the middle of a line.
 */
static pthread_mutex_t emptying = PTHREAD_MUTEX_INITIALIZER;

static void
WriteOut(Writer *w)
{
	pthread_mutex_lock(&emptying);
	for (size_t done = 0; done < w->used;)
	{
		ssize_t		n = write(w->fd, w->buffer + done, w->used - done);

		if (n < 0 && errno != EINTR)
			Die("could not write: %s", strerror(errno));
		if (n > 0)
			done += (size_t) n;
	}
	pthread_mutex_unlock(&emptying);
	w->used = 0;
}

static void
SetSupport(Writer *w, uint32_t support)
{
	char	   *at = w->support_text;
	char		digits[10];
	int			n = 0;

	w->last_support = support;
	do
		digits[n++] = (char) ('0' + support % 10);
	while ((support /= 10) > 0);
	*at++ = '(';
	while (n > 0)
		*at++ = digits[--n];
	*at++ = ')';
	*at++ = '\n';
	w->support_length = (size_t) (at - w->support_text);
}

static void
GrowPath(Writer *w, size_t room)
{
	w->path_room = room * 2;
	w->path = Need(realloc(w->path, sizeof(uint32_t) * w->path_room));
	w->stable = Need(realloc(w->stable, NAME_ROOM * w->path_room + 64));
	w->stable_end = Need(realloc(w->stable_end, sizeof(size_t) * (w->path_room + 1)));
	w->stable_end[0] = 0;
}

/* Make all of the path's n items but the last two stable. */
static void
Stabilize(Writer *w, uint32_t n)
{
	for (; w->nstable + 2 < n; w->nstable++)
	{
		uint32_t	item = w->path[w->nstable];
		size_t		end = w->stable_end[w->nstable];

		memcpy(w->stable + end, &w->names[item], NAME_ROOM);
		w->stable_end[w->nstable + 1] = end + w->names[item].length;
	}
}

static bool
WriteText(FimSink *sink, const uint32_t *words, size_t nwords, size_t nitemsets)
{
	Writer	   *w = (Writer *) sink;
	const uint32_t *end = words + nwords;

	w->written += nitemsets;
	while (words < end)
	{
		uint32_t	keep = words[0];
		uint32_t	n = keep + words[1];
		const Name *names = w->names;
		const uint32_t *path;
		const char *stable;
		size_t		prefix;
		char	   *to;

		if (n + 1 > w->path_room)
			GrowPath(w, n + 1);
		for (uint32_t i = keep; i < n; i++)
			w->path[i] = words[2 + i - keep];
		words += 2 + n - keep;
		if (keep < w->nstable)
			w->nstable = keep;
		if (n - w->nstable > MAX_UNSTABLE)
			Stabilize(w, n);
		prefix = w->stable_end[w->nstable];

		if (w->used + prefix + NAME_ROOM * (MAX_UNSTABLE + 2) + 32 > TEXT_BUFFER)
			WriteOut(w);
		if (prefix + NAME_ROOM * (MAX_UNSTABLE + 2) + 32 > TEXT_BUFFER)
			Die("an itemset is too long to be written");
		to = w->buffer + w->used;
		stable = w->stable;
		for (size_t i = 0; i < prefix; i += 32)
			memcpy(to + i, stable + i, 32);
		to += prefix;
		path = w->path;
		for (uint32_t i = w->nstable; i < n; i++)
		{
			const Name *name = &names[path[i]];

			memcpy(to, name, NAME_ROOM);
			to += name->length;
		}
		if (*words != w->last_support)
			SetSupport(w, *words);
		memcpy(to, w->support_text, 16);
		to += w->support_length;
		words++;
		w->used = (size_t) (to - w->buffer);
	}
	return true;
}

Name *
MakeNames(const uint32_t *values, uint32_t nitems)
{
	Name	   *names = Need(calloc((size_t) nitems + 1, sizeof(Name)));

	for (uint32_t i = 0; i < nitems; i++)
		names[i].length = (uint8_t) snprintf(names[i].text, sizeof(names[i].text), "%u ", values[i]);
	return names;
}

void
BeginWriting(Writer *w, const Name *names, int fd)
{
	memset(w, 0, sizeof(Writer));
	w->sink.write = WriteText;
	w->names = names;
	w->fd = fd;
	w->buffer = Need(malloc(TEXT_BUFFER + 64));
	GrowPath(w, 64);
}

void
EndWriting(Writer *w)
{
	WriteOut(w);
	free(w->buffer);
	free(w->path);
	free(w->stable);
	free(w->stable_end);
}
