/*-------------------------------------------------------------------------
 *
 * request.h
 *	  What a call of a function about episodes asks for.
 *
 * Included by the files of src/episodes.
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

/* Which columns of which source, and what reading it must know of what comes after. */
typedef struct EventSource
{
	char	   *source;			/* table name or parenthesized query */
	char	   *event_column;
	char	   *time_column;
	char	   *partition_column;	/* NULL: all events are in one partition */
	Oid			event_witness;	/* wanted type of events, or InvalidOid: text */
	Oid			time_witness;	/* the same of times */
	bool		keep_partitions;	/* their values will be asked for */

	/* to foresee how much memory will be needed: the threshold as given, and the gaps */
	double		minsup;
	uint32		ngaps;
} EventSource;

/*
 * What a call that mines asked for, checked as far as it can be before the source is
 * read.  Pointers live as long as the call's memory context.
 */
typedef struct EpisodesRequest
{
	const char *function;		/* SQL name */
	bool		count_only;
	EventSource from;			/* with minsup: a fraction below 1, a count from 1 up */
	Gaps		gaps;
	uint32		min_length;
	uint32		max_length;		/* FIM_NO_LIMIT for none */
	ArrayType  *including;		/* text[] or NULL */
	ArrayType  *excluding;		/* text[] or NULL */
	FimKind		kind;
} EpisodesRequest;

/* The most surrogates that a call may ask for. */
#define MAX_SURROGATES	1000000

/* What a call of episode_significance() asked for. */
typedef struct SignificanceRequest
{
	EpisodesRequest mining;		/* must be first */
	uint32		surrogates;		/* from 1 up */
	Datum		dither;			/* numeric, above 0 and finite */
	bool		has_seed;
	int64		seed;
} SignificanceRequest;

/* What a call about a single episode asked for. */
typedef struct EpisodeRequest
{
	const char *function;		/* SQL name */
	EventSource from;
	ArrayType  *events;			/* text[], the episode's types */
	uint32		length;			/* so many; from 1 up */
	Gaps		gaps;			/* given: one less than types */
} EpisodeRequest;

/*
 * Read and check the arguments of a call into its request, whose function has been
 * set.  They are of type CallStep.
 */
extern void ReadEpisodesRequest(FunctionCallInfo fcinfo, void *request);
extern void ReadSignificanceRequest(FunctionCallInfo fcinfo, void *request);
extern void ReadEpisodeRequest(FunctionCallInfo fcinfo, void *request);

#endif							/* GPUFIM_EPISODES_REQUEST_H */
