/*-------------------------------------------------------------------------
 *
 * request.h
 *	  What a call of a function about episodes asks for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_REQUEST_H
#define GPUFIM_EPISODES_REQUEST_H

#include "postgres.h"

#include "arguments.h"
#include "engine/kind.h"
#include "episodes/gaps.h"
#include "utils/array.h"

/* The source and the columns that a call reads, and what reading must know of the steps that follow. */
typedef struct EventSource
{
	char	   *source;			/* table name or parenthesized query */
	char	   *event_column;
	char	   *time_column;
	char	   *partition_column;	/* NULL: all events are in one partition */
	Oid			event_sample;	/* wanted type of events, or InvalidOid: text */
	Oid			time_sample;	/* wanted type of times, or InvalidOid */
	bool		sort_partitions;	/* partitions come in the order of their values, not in that of
									 * their first rows */
	bool		keep_partitions;	/* the result needs the values of partitions, which are sorted */
} EventSource;

/*
 * The arguments of a call that mines, checked as far as is possible before the source is read.
 * Pointers live as long as the call's memory context.
 */
typedef struct EpisodesRequest
{
	const char *function;		/* SQL name */
	bool		count_only;
	bool		leaves_out_partitions;	/* those that can hold no episode of the result need not be mined */
	EventSource from;
	double		minsup;			/* a fraction below 1, a count from 1 up */
	Gaps		gaps;
	uint32		min_length;
	uint32		max_length;		/* FIM_NO_LIMIT for none */
	ArrayType  *including;		/* text[] or NULL */
	ArrayType  *excluding;		/* text[] or NULL */
	FimKind		kind;
} EpisodesRequest;

/* The most surrogates that a call may ask for. */
#define MAX_SURROGATES	1000000

/* The arguments of a call of episode_significance(). */
typedef struct SignificanceRequest
{
	EpisodesRequest mining;		/* must be first */
	uint32		surrogates;		/* from 1 up */
	Datum		dither;			/* numeric, above 0 and finite */
	bool		has_seed;
	int64		seed;
	FimSurrogateMethod method;
} SignificanceRequest;

/* The arguments of a call about a single episode. */
typedef struct EpisodeRequest
{
	const char *function;		/* SQL name */
	EventSource from;
	ArrayType  *events;			/* text[], the episode's types */
	uint32		length;			/* number of types in "events", from 1 up */
	Gaps		gaps;			/* gaps.given is length - 1 */
} EpisodeRequest;

/*
 * Read and check the arguments of a call.  "request" is one of the structs above, in which the
 * caller has set "function".  Each function is a CallStep.
 */
extern void ReadEpisodesRequest(FunctionCallInfo fcinfo, void *request);
extern void ReadSignificanceRequest(FunctionCallInfo fcinfo, void *request);
extern void ReadEpisodeRequest(FunctionCallInfo fcinfo, void *request);

#endif							/* GPUFIM_EPISODES_REQUEST_H */
