/*-------------------------------------------------------------------------
 *
 * stream.h
 *	  The stream of events as the CPU engine uses it, with what cpu_prepare() adds to
 *	  the data.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_STREAM_H
#define FIM_EPISODES_STREAM_H

#include "episodes.h"

typedef struct Stream
{
	const FimEpisodesData *data;
	const uint32_t *type;		/* [events] */
	const uint32_t *after;		/* [events] the first event that is later */
	const uint32_t *start;		/* [ntypes + 1] */
	const uint32_t *position;	/* [events]; those of type t lie from start[t] to start[t + 1] - 1 */
	const uint32_t *reach;		/* [nedges][events], see reach_at in FimEpisodesData */
	const FimGapEdges *gap;
	uint32_t	events;
	uint32_t	ntypes;
	uint32_t	ngaps;
} Stream;

/* The window of event i under a gap: the events from begin[i] to end[i] - 1 follow it. */
typedef struct Windows
{
	const uint32_t *begin;
	const uint32_t *end;
} Windows;

extern void StreamInit(Stream *stream, const FimEpisodesData *data);

static inline Windows
StreamWindows(const Stream *s, uint32_t gap)
{
	return (Windows) {s->reach + (size_t) s->gap[gap].low * s->events,
					  s->reach + (size_t) s->gap[gap].high * s->events};
}

/* cpu_size() and cpu_prepare() of the family. */
extern size_t StreamSize(const FimData *data);
extern bool StreamPrepare(FimData *data, FimHost *host);

#endif							/* FIM_EPISODES_STREAM_H */
