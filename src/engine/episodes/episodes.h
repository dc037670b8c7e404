/*-------------------------------------------------------------------------
 *
 * episodes.h
 *	  The family of serial episodes: its spec, its data, its results.
 *
 * Events have a type and a time and lie in partitions.  A serial episode is a sequence
 * of types with a gap between each two that follow each other: an interval of times
 * above 0.  An occurrence of it is a sequence of events of one partition, of these
 * types, each as much later than the one before as the gap between them says.
 * Occurrences do not overlap if each begins strictly later than the one before it
 * ends.  The support of an episode is the largest number of occurrences that do not
 * overlap, summed over partitions.  doc/frequent_episodes.md says more.
 *
 * A task of this family lists or counts the episodes whose support reaches minsup, or
 * the occurrences of a single episode; or it counts given episodes on surrogates, copies of
 * the stream whose events are moved at random (doc/episode_significance.md).
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_H
#define FIM_EPISODES_H

#include "engine/engine.h"
#include "engine/family.h"

extern const FimFamily FimEpisodesFamily;

/* Strategies of the CPU engine, in the order of the family's list. */
typedef enum FimEpisodesStrategy
{
	FIM_EPISODES_AUTO,
	FIM_EPISODES_PROPAGATE,		/* latest starts, all extensions of an episode at once */
	FIM_EPISODES_STATE_MACHINE, /* an automaton for each candidate */
	FIM_EPISODES_OCCURRENCE,	/* all occurrences of a candidate, then scheduling */
	FIM_EPISODES_TWO_PASS		/* an upper bound first, then one of the two before */
} FimEpisodesStrategy;

/* Strategies of the GPU engine, in the order of the family's list. */
#define FIM_EPISODES_GPU_STRATEGY_NAMES \
	{"auto", "propagate", "state_machine", "occurrence", "two_pass", "occurrence_scan", NULL}

typedef enum FimEpisodesGpuStrategy
{
	FIM_EPISODES_GPU_AUTO,
	FIM_EPISODES_GPU_PROPAGATE, /* latest starts, level by level */
	FIM_EPISODES_GPU_STATE_MACHINE, /* as on the CPU, a thread for each candidate */
	FIM_EPISODES_GPU_OCCURRENCE, /* a thread for each occurrence, with atomic compaction */
	FIM_EPISODES_GPU_TWO_PASS,
	FIM_EPISODES_GPU_OCCURRENCE_SCAN	/* the same with counting, adding up and writing */
} FimEpisodesGpuStrategy;

/* How surrogates are made, see moves.h. */
typedef enum FimSurrogateMethod
{
	FIM_SHIFT,
	FIM_MOVE,
	FIM_WINDOW_SHUFFLE
} FimSurrogateMethod;

/* The most events that data can have: events are numbered in 32 bits. */
#define FIM_MAX_EVENTS	(UINT32_MAX - 1)

/* A point in time or a length of it: the data say which of the two forms it has. */
typedef union FimTime
{
	int64_t		integer;
	double		real;
} FimTime;

/*
 * A gap: how much later an event is than the one before it, both ends included.  low
 * is above 0.  A high of INT64_MAX or infinity means that there is no upper bound.
 */
typedef struct FimGap
{
	FimTime		low;
	FimTime		high;
} FimGap;

/*
 * A node of a trie of episodes: the episode that begins with the types and gaps of
 * the nodes above it.  Nodes come in preorder: those below a node follow it.
 */
typedef struct FimTrieNode
{
	uint32_t	type;
	uint32_t	gap;			/* before it; 0 for the first type of an episode */
	uint32_t	end;			/* the node that follows all of those below this one */
	uint32_t	support;		/* of an episode that is tested, otherwise 0 */
} FimTrieNode;

/*
 * What to do.  The required types are those that "including" names: an episode is
 * wanted if all of them are in it, and at least one of those that "including_any" names, if
 * there are any.  With an episode given, minsup, kind and the lengths
 * do not matter, and the task is to count it or to list its occurrences.  With
 * surrogates wanted, the task is to count the episodes of a trie on each of them; it has
 * to be one that only counts.
 */
typedef struct FimEpisodesSpec
{
	FimSpec		head;
	FimKind		kind;			/* with respect to prefixes and suffixes */
	uint64_t	minsup;			/* occurrences, >= 1 */
	uint32_t	min_length;		/* events, >= 1 */
	uint32_t	max_length;		/* FIM_NO_LIMIT for none; with a trie, that of its longest episode */
	uint32_t	nrequired;
	uint32_t	nany;
	uint32_t	episode_length; /* 0: mine; otherwise events of the episode given */

	/* if surrogates are wanted */
	uint32_t	surrogates;		/* 0: none */
	uint32_t	nnodes;			/* of the trie */
	FimTime		dither;			/* how far events move, see moves.h; above 0 */
	uint64_t	seed;
	uint32_t	method;			/* a FimSurrogateMethod */

	/*
	 * types[nrequired + nany], each once; or types[episode_length] and then
	 * gaps[episode_length - 1]; or a FimTrieNode[nnodes]
	 */
	uint32_t	words[];
} FimEpisodesSpec;

#define FIM_EPISODES_NODES(spec)	((FimTrieNode *) (spec)->words)

/*
 * What an episode must have, its requirements: each of the required types, and one of the others that are named.  They are numbered
 * from 1 on, and a type meets one of them or none.
 */
static inline uint32_t
FimRequirements(const FimEpisodesSpec *spec)
{
	return spec->nrequired + (spec->nany > 0);
}

/* Set met_by[type] to the number of the requirement that the type meets, 0 if it meets none. */
static inline void
FimRequirementsOfTypes(const FimEpisodesSpec *spec, uint32_t ntypes, uint32_t *met_by)
{
	for (uint32_t type = 0; type < ntypes; type++)
		met_by[type] = 0;
	for (uint32_t r = 0; r < spec->nrequired + spec->nany; r++)
		met_by[spec->words[r]] = r < spec->nrequired ? r + 1 : FimRequirements(spec);
}

/*
 * The events, by partition and time.  The data include the gaps, because what
 * cpu_prepare() adds depends on them: where each event's gaps begin and end in the
 * stream.
 *
 * The two ends of a gap are edges.  An edge is a length of time; an event is beyond the
 * edge of another event if it is later by at least that length.  A gap begins at its low
 * edge and ends before its high edge, so that gaps that meet share an edge.  Edge 0 is
 * the least length above 0.
 */
typedef struct FimEpisodesData
{
	FimData		head;
	uint32_t	events;
	uint32_t	partitions;
	uint32_t	ntypes;
	uint32_t	ngaps;
	uint32_t	nedges;
	uint32_t	real;			/* times are float8, otherwise int64 */
	uint32_t	longest;		/* distinct times of the partition that has most of them */

	/* while events are added */
	uint32_t	simultaneous;	/* the first event of the latest time */
	uint32_t	distinct;		/* distinct times in the latest partition */

	/* byte offsets from the start of this struct */
	uint64_t	gap_at;			/* FimGapEdges[ngaps] */
	uint64_t	edge_at;		/* uint64[nedges], ascending, see FimTimeKey() */
	uint64_t	count_at;		/* uint32[ntypes], events of each type */
	uint64_t	latest_at;		/* uint32[ntypes], while events are added: the latest event of
								 * each type, counted from 1 */
	uint64_t	type_at;		/* uint32[events] */
	uint64_t	time_at;		/* FimTime[events] */
	uint64_t	partition_at;	/* uint32[partitions + 1], into the events */

	/* what cpu_prepare() adds */
	uint64_t	start_at;		/* uint32[ntypes + 1], into positions */
	uint64_t	position_at;	/* uint32[events], the events of each type */
	uint64_t	reach_at;		/* uint32[nedges][events], the first event beyond the edge of
								 * each event, or the end of its partition */
} FimEpisodesData;

/* The numbers of a gap's edges. */
typedef struct FimGapEdges
{
	uint32_t	low;
	uint32_t	high;
} FimGapEdges;

/*
 * Building the data, in one process: FimEpisodesBegin() in memory of
 * FimEpisodesBound() bytes (SIZE_MAX if that does not fit size_t), FimEpisodesAdd() for
 * each event, FimEpisodesNewPartition() before the first event of each partition but
 * the first one, then FimEpisodesFinish().
 *
 * events and partitions are upper bounds of the numbers that will be added, events at
 * most FIM_MAX_EVENTS.  The events of a partition are added in the order of their times,
 * simultaneous ones in any order; an event that is added twice counts once.  Times are
 * finite.  Types are below ntypes.
 */
extern size_t FimEpisodesBound(uint64_t events, uint64_t partitions, uint32_t ntypes,
							   uint32_t ngaps);
extern void FimEpisodesBegin(FimEpisodesData *data, size_t size, uint64_t events,
							 uint64_t partitions, uint32_t ntypes, const FimGap *gaps,
							 uint32_t ngaps, bool real);
extern void FimEpisodesAdd(FimEpisodesData *data, uint32_t type, FimTime time);
extern void FimEpisodesNewPartition(FimEpisodesData *data);
extern void FimEpisodesFinish(FimEpisodesData *data);

/*
 * For several processes that write the events of one partition to where they belong: adds the numbers of those of each
 * type, and of distinct times.
 */
extern void FimEpisodesAddCounts(FimEpisodesData *data, const uint32_t *counts, uint32_t distinct);

#define FIM_EPISODES_COUNTS(data) \
	((uint32_t *) ((char *) (data) + (data)->count_at))
#define FIM_EPISODES_PARTITIONS(data) \
	((uint32_t *) ((char *) (data) + (data)->partition_at))
#define FIM_EPISODES_TYPES(data) \
	((uint32_t *) ((char *) (data) + (data)->type_at))
#define FIM_EPISODES_TIMES(data) \
	((FimTime *) ((char *) (data) + (data)->time_at))
#define FIM_EPISODES_GAPS(data) \
	((FimGapEdges *) ((char *) (data) + (data)->gap_at))
#define FIM_EPISODES_EDGES(data) \
	((uint64_t *) ((char *) (data) + (data)->edge_at))

/*
 * The length of time between two times, as a key: an unsigned number whose order is that
 * of the lengths.  "later" must not be before "earlier".  The length is exact for
 * integers, and float8's own difference for reals.  No length reaches the edge
 * FIM_NO_EDGE, which is the high edge of gaps without an upper bound.
 */
#define FIM_NO_EDGE		UINT64_MAX

static inline uint64_t
FimTimeKey(bool real, FimTime later, FimTime earlier)
{
	FimTime		difference;

	if (!real)
		return (uint64_t) later.integer - (uint64_t) earlier.integer;
	/* -0 minus 0 gives -0; adding 0 turns it into 0 */
	difference.real = later.real - earlier.real + 0.0;
	return (uint64_t) difference.integer;
}

static inline bool
FimIsBeyond(uint64_t length, uint64_t edge)
{
	return length >= edge && edge != FIM_NO_EDGE;
}

/*
 * A batch of results is a sequence of records of uint32 words:
 *
 *		length, types[length], gaps[length - 1], support
 *
 * Gaps are numbered as in FimEpisodesBegin().  The support is a uint64, two words as
 * they lie in memory.  If the occurrences of an episode are listed, records are
 *
 *		partition, times[length]
 *
 * with times as FimTime, two words each; they come in the order of the events.
 */
#define FIM_EPISODES_RECORD_WORDS(length)		(2 * (size_t) (length) + 2)
#define FIM_EPISODES_OCCURRENCE_WORDS(length)	(2 * (size_t) (length) + 1)

/*
 * A task that only counts has uint64[FimEpisodesLengths()] as its summary: the number of
 * episodes of each length, from 0 on.  If an episode is given, the summary is one
 * uint64, its support.  With surrogates wanted, it is a FimSurrogateCounts for each node
 * of the trie; those of nodes that are not tested episodes stay 0.
 */
typedef struct FimSurrogateCounts
{
	uint64_t	sum;			/* of the episode's supports in all surrogates */
	uint64_t	reached;		/* surrogates in which its support is at least that in the stream */
} FimSurrogateCounts;

/* One more than an upper bound of the length of a frequent episode. */
extern uint32_t FimEpisodesLengths(const FimEpisodesSpec *spec, const FimEpisodesData *data);

/* The task of mining data; summary may be NULL unless it only counts. */
static inline FimTask
FimEpisodesTask(const FimEpisodesSpec *spec, const FimEpisodesData *data, uint64_t *summary)
{
	return FimTaskOf(&FimEpisodesFamily, &spec->head, &data->head, summary);
}

/*
 * Making a trie of episodes, which is what surrogates are tested with.
 */

/*
 * Episodes have to be added in the lexicographic order of type, gap, type, ... type, a
 * prefix before the episodes that begin with it.  The caller gives room: node[] for as
 * many nodes as all episodes have events, open[] for as many as the longest one has.
 */
typedef struct FimTrie
{
	FimTrieNode *node;
	uint32_t	n;
	uint32_t   *open;			/* the nodes of the latest episode */
	uint32_t	depth;			/* its length */
} FimTrie;

extern void FimTrieAdd(FimTrie *trie, const uint32_t *type, const uint32_t *gap, uint32_t length, uint32_t support);
extern void FimTrieFinish(FimTrie *trie);

/*
 * P-values of episodes that have been counted on surrogates, and their correction for many tests.
 */

/* The p-value of an episode whose support is reached in this many of the surrogates. */
static inline double
FimPValue(uint64_t reached, uint32_t surrogates)
{
	return (1.0 + (double) reached) / (1.0 + surrogates);
}

/*
 * The adjusted p-values of Y. Benjamini and Y. Hochberg, "Controlling the False
 * Discovery Rate", Journal of the Royal Statistical Society B 57, 1995.  tests[r] is the
 * number of tested episodes that are reached in r of the surrogates, and adjusted[r] their
 * adjusted p-value.  Both arrays have surrogates + 1 elements.
 */
extern void FimAdjustPValues(const uint64_t *tests, uint32_t surrogates, double *adjusted);

/* class_parts.c: The fingerprint of the data, in whatever order partitions and simultaneous events were added, see engine/parts.h. */
extern uint64_t FimEpisodesFingerprint(const FimEpisodesData *data, FimHost *host);

#endif							/* FIM_EPISODES_H */
