/*-------------------------------------------------------------------------
 *
 * worker.h
 *	  Inside the CPU engine of serial episodes: a worker, lists of occurrences, the strategies, a
 *	  given episode, and surrogates.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_WORKER_H
#define FIM_EPISODES_WORKER_H

#include "engine/arena.h"
#include "engine/parts.h"
#include "episodes.h"
#include "moves.h"

/*
 * The stream of events as the CPU engine uses it, with what cpu_prepare() adds to the data.
 */

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

/* An episode, or the beginning of one: gap[k] is between type[k] and type[k + 1]. */
typedef struct Episode
{
	uint32_t   *type;
	uint32_t   *gap;
	uint32_t	length;
} Episode;

typedef struct Worker
{
	const FimEpisodesSpec *spec;
	Stream		stream;
	FimShared  *shared;
	uint64_t   *summary;		/* NULL unless the task only counts */
	FimHost    *host;
	FimSink    *sink;
	Arena		arena;
	jmp_buf		leave;			/* longjmp() here, with a FimResult, ends the worker's part */
	uint64_t	work;			/* steps since the last poll */

	uint32_t	longest;		/* the most events of a result */
	uint32_t	deepest;		/* the most events of an episode that is counted: one more than longest
								 * if extensions tell whether results are closed or maximal */
	uint32_t   *met_by;			/* [ntypes] the requirement that a type meets; NULL if there are none */

	/* figures not yet added to the shared ones */
	uint64_t	results;
	uint64_t	nodes;

	/* results not yet written */
	uint32_t   *batch;
	size_t		batch_room;		/* words */
	size_t		nwords;
	size_t		nresults;
} Worker;

/*
 * WorkerBegin() allocates memory, so "leave" must have been set before it is called.
 * WorkerEnd() frees what the worker has, however its part ended.
 */
extern void WorkerInit(Worker *w, const FimTask *task, FimHost *host, FimSink *sink);
extern void WorkerBegin(Worker *w);
extern void WorkerEnd(Worker *w);

/* A block of the host's memory, which the caller has to free; leaves if there is none. */
extern void *WorkerAlloc(Worker *w, size_t bytes);

/* Adds the worker's figures to the shared ones, and leaves if the task has been canceled. */
extern void WorkerPoll(Worker *w);

/* WorkerWorked() adds to the steps of work, of a few nanoseconds each, and polls after this many. */
#define WORK_BETWEEN_POLLS	(1 << 20)

static inline void
WorkerWorked(Worker *w, uint64_t steps)
{
	w->work += steps;
	if (w->work >= WORK_BETWEEN_POLLS)
		WorkerPoll(w);
}

/* Write or count an episode if its length is wanted and it meets all requirements. */
extern void WorkerEmit(Worker *w, const Episode *episode, uint64_t support);

/* Room in the batch for a record of this many words, which counts as one result. */
extern uint32_t *WorkerRecord(Worker *w, size_t words);
extern void WorkerFlush(Worker *w);

/*
 * lists.c: Latest-start propagation: where the occurrences of an episode end, and the latest event at which
 * one that ends there can begin.
 *
 * The list of an episode has an entry for each event that ends an occurrence.  An event
 * of type E extends the occurrences that end in the window before it.  Starts never
 * decrease along a list, so the one of them that ends last also begins latest, and the
 * new entry takes over its start.  A list has no more entries than there are events of
 * the episode's last type, however many occurrences there are.
 */

/* The numbers of the events with which an occurrence ends and, at the latest, starts. */
typedef struct Entry
{
	uint32_t	end;
	uint32_t	start;
} Entry;

typedef struct List
{
	Entry	   *entry;			/* ascending, ends strictly */
	uint32_t	n;
} List;

/*
 * A stretch of the stream whose events all take over the same start: they lie in the
 * window of the same entry.  Events in the windows of several entries belong to the
 * stretch of the last of these.
 */
typedef struct Stretch
{
	uint32_t	begin;
	uint32_t	end;			/* the event after the last one */
	uint32_t	start;
} Stretch;

/* A block: consecutive stretches, few and close enough for the data of their events to fit in a cache. */
#define BLOCK_STRETCHES	256
#define BLOCK_EVENTS	16384	/* from the first one's begin to the last one's end */

typedef struct Block
{
	Stretch		stretch[BLOCK_STRETCHES];
	uint32_t	n;
	uint32_t	events;			/* in all of them */
} Block;

/* A walk over the windows after a list's entries under a gap, block by block. */
typedef struct Walk
{
	Worker	   *w;
	const List *list;
	Windows		window;
	uint32_t	next;			/* the first entry not yet looked at */
	Stretch		rest;			/* what is left of the stretch of the entry before "next" */

	/*
	 * The occurrences that do not overlap, taken greedily, of those that end with the
	 * entries looked at.
	 */
	uint32_t	support;		/* their number */
	uint32_t	free;			/* the first event at which another one may begin */
} Walk;

extern void WalkBegin(Walk *walk, Worker *w, const List *list, uint32_t gap);

/* The next block, which is not empty; false if there is none.  Polls. */
extern bool WalkNext(Walk *walk, Block *block);

/* The support: taking the occurrences that end first, greedily, gives the most that do not overlap. */
extern uint32_t ListSupport(Worker *w, const List *list);

/* The index of the first of n ascending numbers that is at least "least", n if there is none. */
extern uint32_t Gallop(const uint32_t *number, uint32_t n, uint32_t least);

/*
 * The lists of the prefixes of a given episode, a few of which are kept.
 *
 * Going back along a long episode takes the lists of its prefixes, from the longest to the
 * shortest.  All of them together can take the square of the number of events.  So only
 * MOST_KEPT_LISTS are kept, and the others are made again from the next shorter one that is
 * kept.  The longer a prefix is, the more of its neighbours are kept.  Therefore going back
 * all the way makes each list of an episode of 1,000 events again 2.5 times on average, and of
 * 20,000 events 5 times.
 */

#define MOST_KEPT_LISTS	16

typedef struct KeptList
{
	List		list;
	uint32_t	length;			/* of the prefix */
	uint32_t	room;			/* entries that the block has room for */
	Entry	   *block;			/* has the list's entries unless these are the caller's; may be NULL */
} KeptList;

typedef struct PrefixLists
{
	Worker	   *w;
	uint32_t	n;
	KeptList	kept[MOST_KEPT_LISTS]; /* the first n by ascending length; the others only have blocks */
} PrefixLists;

/*
 * PrefixListsInit() allocates no memory, so that it can be called before the worker's "leave"
 * is set, and PrefixListsFree() however the worker's part ends.
 */
extern void PrefixListsInit(PrefixLists *lists, Worker *w);
extern void PrefixListsFree(PrefixLists *lists);

/*
 * The list of the episode's prefix of this length, which is valid until the next call.  Forgets
 * the lists of longer prefixes.  Those of shorter ones must be of the same episode.  Polls.
 */
extern const List *PrefixListsFind(PrefixLists *lists, const Episode *episode, uint32_t length);

/* Keep a list of the caller's, longer than those kept, whose entries stay until it is forgotten. */
extern void PrefixListsPut(PrefixLists *lists, const List *list, uint32_t length);

/* Forget the lists of prefixes that are longer than this. */
extern void PrefixListsForget(PrefixLists *lists, uint32_t length);

/*
 * followers.c: The supports of all extensions of an episode by one event, and their lists; and the followers
 * of episodes, which are the types of their frequent extensions: a trie of those that have been found, as far
 * as there is room.
 *
 * A type can only follow an episode if it also follows each of the episode's suffixes.
 * So the known followers of a suffix leave few candidates.
 */

/* For each type, what has been counted of the episode's extension by this type. */
typedef struct Counter
{
	uint32_t	entries;		/* that the extension's list will have */
	uint32_t	support;
	uint32_t	free;			/* the first event at which the next occurrence may begin */
	uint32_t	at;				/* how many events of the type have gone by, when counting by type */
} Counter;

/* A set of types. */
typedef struct Types
{
	uint32_t   *type;
	uint32_t	n;
	uint64_t	events;			/* that all of them have together, where it is needed */
} Types;

/* An extension that is frequent. */
typedef struct FrequentExtension
{
	uint32_t	type;
	uint32_t	support;
	List		list;			/* knows its number of entries; has them after MakeLists() */
} FrequentExtension;

typedef struct Extensions
{
	FrequentExtension *extension;
	uint32_t	n;
	uint64_t	entries;		/* of all their lists */
} Extensions;

/* Room for counting, which any number of episodes use in turn. */
typedef struct Counting
{
	Worker	   *w;
	uint64_t	minsup;			/* what makes an extension frequent */
	Counter    *counter;		/* [ntypes]; all fields but "at" are 0 between two uses */
	Types		touched;		/* [ntypes] types whose counters are not 0 */
	Types		alive;			/* [ntypes] types that can still become frequent */
	bool		is_alive_known; /* "alive" is valid */
	uint32_t   *start_of;		/* [BLOCK_EVENTS], see SpreadStarts() */
	Block		block;
} Counting;

extern void CountingInit(Counting *c, Worker *w, uint64_t minsup);

/* The number of events that these types have together. */
extern uint64_t CountEvents(const Counting *c, const Types *types);

/*
 * Find the frequent extensions of an episode under a gap, in the worker's arena and
 * without their lists.  "list" and "support" are the episode's.  The candidates must
 * include all types of frequent extensions.
 */
extern void FindExtensions(Counting *c, const List *list, uint32_t support, uint32_t gap,
						   const Types *candidates, Extensions *found);

/* Make the lists of the extensions found, in the worker's arena. */
extern void MakeLists(Counting *c, const List *list, uint32_t gap, Extensions *found);

/* The frequent extensions of an episode under a gap. */
typedef struct Followers
{
	Types		types;			/* ascending */
	uint32_t   *support;		/* [types.n] */
	uint32_t   *entries;		/* [types.n] in the lists of the extensions */
	struct Followers **longer;	/* [types.n][ngaps] the followers of the extensions, NULL until known */
} Followers;

typedef struct KnownFollowers
{
	Worker	   *w;
	const Counting *counting;
	Arena		arena;
	Followers **first;			/* [ntypes][ngaps] the followers of single types, NULL until known */
	uint64_t	bytes;			/* that the followers take */
} KnownFollowers;

/*
 * FollowersInit() allocates no memory, so that it can be called before the worker's "leave"
 * is set, and FollowersFree() however the worker's part ends.
 */
extern void FollowersInit(KnownFollowers *known, Worker *w);
extern void FollowersBegin(KnownFollowers *known, const Counting *counting);
extern void FollowersFree(KnownFollowers *known);

extern bool FollowersHaveRoom(const KnownFollowers *known);

/*
 * Where the followers of an episode under a gap are, or will be once they are known.
 * NULL if the followers of one of the episode's prefixes are not known.  Those that are
 * known must include the episode's next type.
 */
extern Followers **FollowersPlace(const KnownFollowers *known, const Episode *episode, uint32_t gap);

/*
 * Find the support of an episode of two events or more, 0 if it is not frequent.  Returns
 * false if it is not known.
 */
extern bool FollowersSupport(const KnownFollowers *known, const Episode *episode, uint32_t *support);

/* Copy extensions that have been found into the trie's memory; sorts them by their types. */
extern Followers *FollowersKeep(KnownFollowers *known, Extensions *found);

/* Make the extensions that followers stand for, without lists, in the worker's arena. */
extern void ExtensionsOf(Worker *w, const Followers *followers, Extensions *to);

/*
 * backward.c: The predecessors of an episode, which make frequent episodes when put before it. They are
 * found by propagating the earliest ends from the episode's last event to its first one, instead of the
 * latest starts from the first to the last.
 *
 * A predecessor has no more support with an episode than with a prefix of the episode.  So
 * the predecessors of an episode are among those of its prefixes, and few candidates are
 * left to be counted when episodes are long.
 */

/* A type that precedes an episode, the gap between them, and the support of both together. */
typedef struct Predecessor
{
	uint32_t	type;
	uint32_t	gap;
	uint32_t	support;
} Predecessor;

typedef struct Predecessors
{
	Predecessor *entry;
	uint32_t	n;
} Predecessors;

/*
 * Find the first "most" of the candidates that have a support of at least "least" together
 * with the episode.  "support" is the episode's own; that of a candidate is an upper bound.
 * The caller gives found->entry room for "most" of them.  Polls.
 */
extern void FindPredecessors(Worker *w, const Episode *episode, uint32_t support, const Predecessors *candidates,
							 uint64_t least, uint32_t most, Predecessors *found);

/*
 * propagate.c: Mining depth first by latest-start propagation, the strategy "propagate".
 */

/*
 * The number of units of work of a task.  A unit is a slice of a class, and a class has the
 * episodes with the same first type.
 */
extern uint32_t PropagateUnits(const FimEpisodesData *data);

/* Take units until none is left. */
extern FimResult MineByPropagation(Worker *w);

/*
 * class_parts.c: Deal the episodes of a task.  The followers of all types must be known.
 */
extern void DealEpisodes(FimDealt *dealt, Worker *w, const KnownFollowers *known);

/*
 * one_episode.c: The task of counting a given episode, or of listing its occurrences.
 */

/* The task has one unit, so that one worker does all of it. */
extern FimResult MineOneEpisode(Worker *w);

/*
 * surrogate.c: Surrogates: copies of the stream whose events are moved at random (moves.h).
 * doc/episode_significance.md defines them.
 */

/* An event in its new place.  The key stands for its time: as unsigned numbers, keys have the order of times. */
typedef struct MovedEvent
{
	uint64_t	key;
	uint32_t	type;
} MovedEvent;

/* Room for sorting n events. */
typedef struct SortRoom
{
	MovedEvent *spare;			/* [n] */
	uint32_t   *bucket;			/* [SortBuckets(n)] */
} SortRoom;

/* A block: partitions that are made at the same time. */
typedef struct SurrogateBlock
{
	uint32_t	partition;		/* the first one */
	uint32_t	wanted;			/* its first wanted event, an index into wanted[] */
} SurrogateBlock;

/* The random bits of a type's latest window: its number, counted from 1 over all partitions, and the bits. */
typedef struct TypeBits
{
	uint64_t	window;
	uint64_t	bits;
} TypeBits;

/*
 * A surrogate, or a block of it.  Only the events of wanted types are in it.  Each has two
 * positions: its number, in the order of partitions and times, and its place, in the order
 * of types and then of numbers.  What is looked up type by type is indexed by place, so
 * that it is read sequentially.
 *
 * For each edge (see episodes.h) and each event, beyond[] tells the first event that is
 * beyond the event's edge, or the end of the partition, and within[] the first event of
 * the partition whose edge the event is not beyond.  Both are numbers.
 */
typedef struct Surrogates
{
	Worker	   *w;
	const FimEpisodesData *data; /* the stream that was given */
	FimMoves	moves;
	uint32_t   *wanted;			/* [nwanted] the events of the data whose types are wanted */
	FimTime    *hidden;			/* [nwanted] their times in the hidden stream */
	uint32_t	nwanted;
	uint32_t	most;			/* the most events of a block */
	SurrogateBlock *block;		/* [nblocks + 1] */
	uint32_t	nblocks;
	uint32_t	counted;		/* the block for which start[] is right, UINT32_MAX for none */
	TypeBits   *bits;			/* [ntypes] */
	uint64_t	windows;		/* that have been gone through */
	uint32_t   *next;			/* [ntypes] the place of its next event */
	SortRoom	room;

	/* the block at hand */
	uint32_t	events;
	MovedEvent *event;			/* [events] in the order of partitions and times */
	uint32_t   *type;			/* [events] the same without the times */
	uint32_t   *place;			/* [events] by number */
	uint32_t   *start;			/* [ntypes + 1] where the places of a type begin */
	uint32_t   *number;			/* [events] by place */
	uint32_t   *same;			/* [events] by place: the number of the first event of the same time */
	uint32_t   *edge;			/* [nedges] the edges of the data that wanted gaps have */
	uint32_t	nedges;
	uint32_t   *edge_at;		/* [edges of the data] the edge's index in edge[], UINT32_MAX if it has none */
	uint32_t  **beyond;			/* [nedges][events] by place */
	uint32_t  **within;			/* [nedges][events] by place */
	uint64_t   *reach;			/* [nedges] the sum over all events of the events from it to its edge */
} Surrogates;

/* The most events that a block of a surrogate of these data can have. */
extern uint64_t LargestBlock(const FimEpisodesData *data);

/* The most bytes that SurrogatesInit() takes. */
extern uint64_t SurrogatesBytes(const FimEpisodesData *data);

/*
 * Make room in the worker's arena for surrogates of the wanted types, with the windows of
 * the wanted gaps.  Both arguments have a 1 for each type, and each gap, that is wanted.
 */
extern void SurrogatesInit(Surrogates *s, Worker *w, const uint8_t *wanted_types, const uint8_t *wanted_gaps);

/* Make a block of a surrogate. */
extern void SurrogateMake(Surrogates *s, uint32_t surrogate, uint32_t block);

/*
 * significance.c: Counting given episodes on surrogates.
 */

/* About how many bytes of its host's memory a worker takes for that. */
extern uint64_t SurrogatesWorkerSize(const FimEpisodesSpec *spec, const FimEpisodesData *data);

/* Take units, which are surrogates, until none is left. */
extern FimResult MineSurrogates(Worker *w);

#endif							/* FIM_EPISODES_WORKER_H */
