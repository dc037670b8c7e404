/*-------------------------------------------------------------------------
 *
 * streams.h
 *	  Random streams of events, and their episodes by exhaustive search.
 *
 * All occurrences of an episode are found one by one, and the largest set of those
 * that do not overlap by dynamic programming.  Nothing is pruned and nothing greedy,
 * and times and gaps are used as they were drawn, with open and closed bounds.
 *
 *-------------------------------------------------------------------------
 */
#ifndef STREAMS_H
#define STREAMS_H

#include "engine/episodes/episodes.h"
#include "harness.h"

#define STREAM_ROWS		64
#define STREAM_TYPES	6
#define STREAM_GAPS		4
#define STREAM_LENGTH	STREAM_ROWS

typedef struct StreamRow
{
	uint32_t	partition;
	uint32_t	type;
	FimTime		time;
} StreamRow;

typedef struct StreamGap
{
	FimTime		low;
	FimTime		high;
	bool		low_open;
	bool		high_open;
	bool		unbounded;
} StreamGap;

/* Rows by partition and time; some are there twice. */
typedef struct TestStream
{
	bool		real;
	uint32_t	nrows;
	uint32_t	ntypes;
	uint32_t	ngaps;
	uint32_t	npartitions;
	StreamRow	row[STREAM_ROWS];
	StreamGap	gap[STREAM_GAPS];
} TestStream;

/* An event of a stream longer than exhaustive search bears, whose times are whole numbers. */
typedef struct Event
{
	uint32_t	partition;
	uint32_t	type;
	int64_t		time;
} Event;

typedef struct StreamEpisode
{
	uint32_t	length;
	uint32_t	type[STREAM_LENGTH];
	uint32_t	gap[STREAM_LENGTH];
	uint64_t	support;
	bool		extended;		/* by a selected one, for the job at hand */
	uint32_t	seen;			/* the number of the run that gave it */
} StreamEpisode;

typedef struct StreamEpisodes
{
	StreamEpisode *episode;
	uint32_t	n;
} StreamEpisodes;

extern void DrawStream(Rng *rng, TestStream *stream, uint32_t nrows);

/* By partition and time. */
extern void SortRows(TestStream *stream);

/*
 * All events are there: what they make, ready for the CPU.  What was built is freed; the
 * result is to be freed with OddFree().
 */
extern FimEpisodesData *CompleteData(FimEpisodesData *built);

/* A drawn stream in the engine's form, ready for the CPU; freed with OddFree(). */
extern FimEpisodesData *BuildStream(const TestStream *stream);

/* Sort events by partition, time and type, and drop those that are there twice.  Returns how many are left. */
extern uint32_t SortEvents(Event *event, uint32_t n);

/* Sorted events in the engine's form, ready for the CPU; freed with OddFree(). */
extern FimEpisodesData *BuildEvents(const Event *event, uint32_t n, uint32_t ntypes, FimGap gap);

/*
 * All episodes that occur and have at most so many events; false if there are more
 * than can be compared.
 */
extern bool FindEpisodes(const TestStream *stream, uint32_t max_length, StreamEpisodes *found);
extern StreamEpisode *LookUpEpisode(const StreamEpisodes *all, uint32_t length,
									const uint32_t *type, const uint32_t *gap);

/* Whether time is later than "before" by what the gap says. */
extern bool IsInGap(const TestStream *stream, const StreamGap *gap, FimTime before, FimTime time);

/* -1, 0 or 1. */
extern int	CompareTimes(const TestStream *stream, FimTime a, FimTime b);

extern void PrintStream(const TestStream *stream);

#endif							/* STREAMS_H */
