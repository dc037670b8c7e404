/*-------------------------------------------------------------------------
 *
 * surrogates.h
 *	  Counting given episodes on surrogates, copies of the stream whose events are moved at random: how
 *	  events are moved, the instants that they get, the stream that is made of a batch, counting a trie
 *	  in shared memory, and how all of this is cut into batches.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_EPISODES_SURROGATES_H
#define GPU_EPISODES_SURROGATES_H

#include "episodes/episodes.h"
#include "episodes/lists.h"
#include "team.h"

/*
 * Moving events at random on a device, for many surrogates at a time, and adding up what was counted.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 */

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/episodes/moves.h"

/*
 * How events are moved, see src/engine/episodes/moves.h.  Only the events of some types are wanted in
 * surrogates.  The wanted events are numbered by class, and within a class in the order of the stream
 * (instants.c).
 */
typedef struct Moving
{
	/* of the stream that was given */
	const uint32_t *place;		/* [events] the event at each place */
	const uint32_t *start;		/* [ntypes + 1] the first place of each type */
	const uint32_t *wanted_start; /* [nclasses + 1] the first wanted event of each class */
	const uint32_t *skipped;	/* [nclasses] events of the type before those of the class */
	const FimTime *time;		/* [events] */
	const uint32_t *partition;	/* [events] */
	const FimSpan *span;		/* [partitions] */
	uint32_t	partitions;
	uint32_t	wanted;			/* events */
	uint32_t	ntypes;
	uint32_t	nclasses;
	FimMoves	moves;
	uint64_t	least;			/* the least key that a time in a surrogate can have; 0 for reals */

	/* of the hidden stream */
	FimTime    *hidden;			/* [wanted] */
	uint32_t   *partition_of;	/* [wanted] */
} Moving;

/*
 * A batch of surrogates that is put into order, for which events are sorted by the keys of their times.  The
 * batch becomes one stream, in which the classes of a surrogate are types.  Its types, partitions and events
 * follow those of the surrogate before.  All arrays are [events in the batch].
 */
typedef struct Moved
{
	/* by the event's number, before events are put into order */
	uint64_t   *key_of;			/* the key of its time, less Moving.least */
	uint32_t   *type_of;
	uint32_t   *partition_of;	/* NULL if the batch has one */

	/* room for sorting */
	uint64_t   *key[2];
	uint32_t   *event[2];
	uint32_t   *partition[2];	/* NULL if the batch has one */
	int			key_bits;		/* low bits in which keys can differ */
	int			partition_bits; /* low bits in which numbers of partitions can differ */
	void	   *scratch;
	size_t		scratch_bytes;
} Moved;

/* Sets partition_of[events] to the partition of each event; first[partitions] has the first event of each. */
extern cudaError_t FillPartitions(GpuDevice *device, const uint32_t *first, uint32_t partitions, uint32_t events,
								  uint32_t *partition_of);

/*
 * Sets to[n * copies + 1] to the starts from[n + 1] of each copy, so that a copy begins where the one before
 * ends.
 */
extern cudaError_t RepeatStarts(GpuDevice *device, const uint32_t *from, uint32_t n, uint32_t copies, uint32_t *to);

/*
 * Sets to[n][parts] to the extensions from[n], each as it is in every part.  A part is a slice of a
 * surrogate, whose types and nodes follow those of the part before.
 */
extern cudaError_t RepeatExtensions(GpuDevice *device, const Extension *from, uint32_t n, uint32_t parts,
									uint32_t ntypes, uint32_t nodes, Extension *to);

/*
 * Sets to[copies][n] to the lists from[n] of each copy.  From copy to copy, the lists of types move by
 * "events" words, and those that are made by "room" words.
 */
extern cudaError_t RepeatLists(GpuDevice *device, const DeviceList *from, uint32_t n, uint32_t copies,
							   uint64_t events, uint64_t room, DeviceList *to);

/* Makes the hidden stream. */
extern cudaError_t HideStream(GpuDevice *device, const Moving *moving);

/* Moves the events for the surrogates from "first" to end - 1. */
extern cudaError_t MoveEvents(GpuDevice *device, const Moving *moving, uint32_t first, uint32_t end,
							  const Moved *moved);

/* Sets *bytes to the scratch memory that OrderEvents() needs for so many events. */
extern cudaError_t OrderScratch(const Moved *moved, uint32_t events, size_t *bytes);

/* Sorts moved events by partition and time.  *event becomes the array that then has their numbers. */
extern cudaError_t OrderEvents(GpuDevice *device, const Moved *moved, uint32_t events, const uint32_t **event);

/* Sets to[i], or time[i], to what belongs to event[i], for i below n: a number, or the time from its key. */
extern cudaError_t Gather(GpuDevice *device, const uint32_t *from, const uint32_t *event, uint32_t n, uint32_t *to);
extern cudaError_t GatherTimes(GpuDevice *device, const Moving *moving, const uint64_t *key_of,
							   const uint32_t *event, uint32_t n, FimTime *time);

/*
 * Counts the supports of n single types in instants that differ: events that came to the same time count once.
 * The extensions' "to" says where in "counted" the supports go.
 */
extern cudaError_t CountTypes(GpuDevice *device, const DeviceStream *stream, const Extension *types, uint32_t n,
							  Counted *counted);

/*
 * Adds the supports counted[surrogates][slices][nodes] of a batch to counts[nodes].  support[nodes] is what
 * surrogates are to reach, 0 for nodes that are not tested.
 */
extern cudaError_t AddCounts(GpuDevice *device, const Counted *counted, uint32_t surrogates, uint32_t slices,
							 const uint32_t *support, uint32_t nodes, FimSurrogateCounts *counts);

/*
 * instants.c: Surrogates whose times are small numbers, so that these serve as instants.
 *
 * The times of all partitions are laid out one after the other, with room for gaps between the
 * partitions.  Where they fit in 32 bits, an event's instant is its time.  To make them fit, silences
 * between windows (moves.h) that are longer than all gaps are cut short.  If that is not enough, slices
 * begin after some of these silences, each with instants of its own.
 *
 * With times as instants, a gap reaches equally far back from every event, and events need only be
 * in order within their types.  As windows are short, there are few others that an event can
 * change places with, and it finds its new place by counting those of them that come before it.
 */

/*
 * The events of a stream that surrogates move: all those of the types in the trie.
 *
 * Occurrences lie within partitions.  So a stream of many partitions can be cut into slices of whole
 * partitions, or anywhere that no occurrence reaches across, and the supports in the slices are
 * added up.  Slices allow many warps to count few episodes, and make times fit.  On a
 * device, each slice has types of its own, which are called classes here.
 */

/* The wanted events, on the host.  The events of a type in a slice are class slice * ntypes + type. */
typedef struct WantedEvents
{
	uint32_t	slices;
	uint32_t	nclasses;
	uint32_t	events;			/* wanted ones */
	uint32_t   *start;			/* [nclasses + 1] where each class begins among the wanted events by class */
	uint32_t   *skipped;		/* [nclasses] events of the type in the slices before */
	uint32_t   *partition;		/* [partitions + 1] where each begins among the wanted events of the stream */

	/* keys of times in surrogates, see below */
	uint64_t	least;			/* the least key that an event can come to */
	int			key_bits;		/* low bits in which keys can differ once "least" has been subtracted */
} WantedEvents;

/* How many bits a number up to "greatest" takes, but at least 1. */
static inline int
BitsUpTo(uint64_t greatest)
{
	return 64 - __builtin_clzll(greatest | 1);
}

/* Sets wanted[ntypes] to 1 for the types in the trie and 0 for the others.  Returns how many events they have. */
extern uint32_t FindWantedTypes(const EpisodesJob *job, uint8_t *wanted);

/*
 * Finds the wanted events of so many slices.  Slices begin with the events first[slices].  If that is NULL,
 * they are whole partitions, with about equally many events in each slice.  The arrays are the team's memory,
 * until the job ends.
 */
extern cudaError_t FindWantedEvents(EpisodesJob *job, uint32_t slices, const uint32_t *first, WantedEvents *w);

/* Which instants the events of the stream have, on the host. */
typedef struct InstantPlan
{
	bool		fits;			/* times can serve as instants; if not, no other field counts */
	uint32_t   *origin;			/* [events] the instants of events that have not been moved */
	uint32_t   *reach;			/* [nedges] how far back each edge reaches, see DeviceStream */
	uint32_t	slices;			/* that the stream is cut into */
	uint32_t   *first;			/* [slices] the first event of each; may be NULL if there is only one */
	uint32_t	most_events;	/* wanted events of the slice that has most of them */
} InstantPlan;

/*
 * Plans instants, and cuts the stream into about as many slices as are asked for, or more if their instants do
 * not fit otherwise.  Slices have about equally many wanted events.  The plan does not fit if more than "most"
 * of these follow each other without a silence at which the stream could be cut: no slice could be smaller.
 * The arrays are the team's memory, see FreeInstantPlan().
 */
extern cudaError_t PlanInstants(EpisodesJob *job, uint32_t slices, uint32_t most, InstantPlan *plan);

extern void FreeInstantPlan(EpisodesJob *job, InstantPlan *plan);

/* A slice has the events from the first one to the one before its end. */
static inline uint32_t
FirstOfSlice(const InstantPlan *plan, uint32_t slice)
{
	return slice > 0 ? plan->first[slice] : 0;
}

static inline uint32_t
EndOfSlice(const FimEpisodesData *data, const InstantPlan *plan, uint32_t slice)
{
	return slice + 1 < plan->slices ? plan->first[slice + 1] : data->events;
}

/*
 * What moving the wanted events takes, on a device.  Arrays are [wanted], by class and then in the order of
 * the stream, if nothing else is said.
 */
typedef struct Instants
{
	uint32_t   *origin;			/* the event's instant in the hidden stream */
	uint32_t   *type;
	uint32_t   *first;			/* the first event of its class that it can change places with, or the event itself */
	uint32_t   *end;			/* the event behind the last one of these */
	uint32_t   *moved;			/* [surrogates][wanted], at least one surrogate's: instants, not in order yet */
} Instants;

/*
 * surrogate_stream_kernels.cu: Surrogates in instants, on the device.
 */

/*
 * Fills in all arrays; "moved" has nothing then.  origin[events] has the instants of the stream's events, on
 * the device.
 */
extern cudaError_t FillInstants(GpuDevice *device, const Moving *moving, const uint32_t *origin,
								const Instants *instants);

/* Sets instant[surrogates][wanted] for the surrogates from "first" to end - 1, in order within each class. */
extern cudaError_t MoveInstants(GpuDevice *device, const Moving *moving, const Instants *instants, uint32_t first,
								uint32_t end, uint32_t *instant);

/*
 * surrogate_stream.c: Making surrogates on a device: a batch of them is one stream.
 *
 * The classes of each surrogate are types of that stream, see instants.c.  A surrogate's types
 * and partitions follow those of the surrogate before.  Events keep their types and partitions,
 * and only their times change.  So for all surrogates the arrays have the same sizes, and the events
 * of a type have the same places.  Two events of a type may come to the same time, and stay two
 * events.  This does not change the support, because occurrences with one of them and with the
 * other overlap.
 */

/* Makes batches on a device. */
typedef struct StreamMaker
{
	GpuDevice  *device;
	DeviceStream stream;		/* the batch at hand */
	Moving		moving;
	TypeSort	sort;

	/* if times serve as instants */
	Instants	instants;

	/* if they do not */
	Moved		moved;
	BackSearch	search;
	FimTime    *time;			/* [events in the batch] */
} StreamMaker;

/*
 * The bytes of device memory that a StreamMaker takes once, and those for each surrogate of a batch.
 * "wanted" is how many events are moved, "classes" how many classes a surrogate has; by_instants: times serve
 * as instants.
 */
extern uint64_t StreamMakerBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_instants);
extern uint64_t SurrogateBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_instants);

/*
 * Takes what it needs on the device, which must be the current one, for batches of at most "copies"
 * surrogates.
 */
extern cudaError_t OpenStreamMaker(EpisodesJob *job, StreamMaker *maker, GpuDevice *device, const WantedEvents *w,
								   const InstantPlan *instants, uint32_t copies);

/* Begins to make the surrogates from "first" to end - 1, in the counting stream.  They become maker->stream. */
extern cudaError_t MakeSurrogates(StreamMaker *maker, uint32_t first, uint32_t end);

/*
 * Take memory of a device, which is not freed before the job ends, and set *(void **) to to its address.
 * TakeCopy() copies what is at "from" there.
 */
extern cudaError_t TakeMemory(GpuDevice *device, size_t bytes, void *to);
extern cudaError_t TakeCopy(EpisodesJob *job, GpuDevice *device, const void *from, size_t bytes, void *to);

/*
 * sliced_trie_kernels.cu: Counting the trie on slices of surrogates that fit in shared memory, on a device.
 */

/*
 * Counting a node of the trie, and making its list if it gets one.  A node of a single type does not use the
 * fields from "near" to "suffix", except that its prefix_type is GPU_NONE.  Lists are numbered in the order
 * of the nodes that get one.
 */
typedef struct TrieStep
{
	uint32_t	node;
	uint32_t	type;
	uint32_t	near;			/* an event can follow an entry whose end is earlier by more than this, */
	uint32_t	far;			/* but not by more than this */
	uint32_t	prefix;			/* list to be extended; GPU_NONE: the events of prefix_type */
	uint32_t	prefix_type;	/* last type of the prefix; GPU_NONE for a node of a single type */
	uint32_t	suffix;			/* list whose ends are the events to be tried; GPU_NONE: all events of the type */
	uint32_t	made;			/* list to be made; GPU_NONE if the node gets none */
} TrieStep;

/*
 * Where a list lies, or the events of a type.  Words are numbered through a block's memory: those from
 * SlicedTrie.words on are in its spill, those below in its shared memory.
 */
typedef struct MadeList
{
	uint32_t	at;				/* the first word of [n] ends; [n] starts follow unless these are a type's events */
	uint32_t	n;
} MadeList;

/*
 * Counting on a device.  A part is a slice of a surrogate; parts are numbered as they follow each other in
 * the batch's stream, where instants are times.  All arrays are on the device.
 */
typedef struct SlicedTrie
{
	DeviceStream stream;
	const TrieStep *steps;
	const uint32_t *phase_end;	/* [phases] the end of each phase's steps, which need only lists of the phases before */
	uint32_t	phases;
	uint32_t	lists;
	uint32_t	ntypes;
	uint32_t	nodes;
	uint32_t	slices;			/* parts of a surrogate */
	uint32_t	words;			/* of shared memory for events and lists; the events of any part fit in it */
	uint32_t   *spill;			/* [blocks][spill_words] for lists that find no room there; all lists of a part would fit */
	uint64_t	spill_words;
	Counted    *counted;		/* [surrogates][nodes] to which supports are added; its other fields are not used */
} SlicedTrie;

/* The bytes of dynamic shared memory of a block. */
static inline size_t
SharedForTrie(uint32_t lists, uint32_t ntypes, uint64_t words)
{
	return sizeof(MadeList) * lists + sizeof(uint32_t) * (ntypes + 1 + words);
}

/*
 * sliced_trie_kernels.cu: Counting a trie of episodes on slices of the stream.
 */

/*
 * Sets *bytes to the most dynamic shared memory that a block can have, and allows the kernel to be launched
 * with that much.  It must have been called on a device before the two functions below.  For all three, the
 * device is the current one.
 */
extern cudaError_t MostSharedForTrie(GpuDevice *device, size_t *bytes);

/* Sets *blocks to how many blocks with so many bytes of shared memory the device runs at once, at least 1. */
extern cudaError_t BlocksForTrie(GpuDevice *device, size_t bytes, uint32_t *blocks);

/*
 * Launches the counting of the parts from "first" to end - 1, of which there is at least one, on at most
 * "blocks" blocks.
 */
extern cudaError_t CountSlicedTrie(GpuDevice *device, const SlicedTrie *trie, uint32_t first, uint32_t end,
								   uint32_t blocks);

/*
 * sliced_trie.c: Counting the trie on slices of surrogates that fit in shared memory.
 *
 * Where the stream is often silent, instants.c cuts it into slices of few events.  Then a
 * block of threads counts the whole trie on one slice.  It keeps the slice's events and the lists
 * of occurrences that it makes in shared memory.  Each block also has some global memory, its
 * spill, for the lists that find no room in shared memory.
 *
 * An event that ends an occurrence of an episode also ends one of the episode's suffix.  The suffix
 * is one level higher up, so its list, if it gets one, is made earlier, and the ends of its entries
 * are the only events that need to be tried.
 */

/*
 * The trie of the episodes that are tested on surrogates, by levels.
 *
 * A level has all nodes of one depth.  Inner nodes get lists, level by level.  The leaves of the trie
 * are only counted, those of all levels together.  Within a level, and among the leaves, the nodes
 * whose types have the most events come first, because what begins last should not take longest.
 */

/*
 * The levels, on the host.  There is an extension for each node that is to be counted or gets a list; its
 * "list" is the parent and its "to" is the node itself.  At level 1 these are the tested episodes of one
 * event, for which only "type" and "to" matter.
 */
typedef struct TestedLevels
{
	uint32_t	depth;			/* the number of levels */
	uint32_t   *level;			/* [nodes] of each node, from 1 on */
	Extension  *extensions;		/* [n] tested types; then inner nodes by level; then leaves by level */
	uint32_t	n;
	uint32_t   *made_end;		/* [depth + 1] the end of the types and of the inner nodes up to each level */
} TestedLevels;

static inline bool
HasChildren(const FimTrieNode *nodes, uint32_t k)
{
	return nodes[k].end > k + 1;
}

/* Whether the list of a node is made: that of a single type lies in the stream, and a leaf gets none. */
static inline bool
IsMade(const FimTrieNode *nodes, const TestedLevels *t, uint32_t k)
{
	return t->level[k] > 1 && HasChildren(nodes, k);
}

/* Finds the levels.  The arrays are the team's memory, and stay until the job ends. */
extern cudaError_t OpenTestedLevels(EpisodesJob *job, TestedLevels *t);

/* How the trie is counted; on the host.  The arrays are the team's memory, see FreeTriePlan(). */
typedef struct TriePlan
{
	bool		fits;			/* the trie can be counted this way; if not, no other field counts */
	TrieStep   *steps;			/* [n] by phase; in each, first those that make lists; of either kind, the longest first */
	uint32_t	n;
	uint32_t   *phase_end;		/* [phases] the end of each phase's steps */
	uint32_t	phases;			/* levels of the trie */
	uint32_t	lists;			/* that are made, without those of types */
	uint64_t	entries;		/* estimate: entries of all lists of a surrogate */
	uint64_t	work;			/* estimate: events and entries of a surrogate that are gone through, each list once */
	uint32_t	events;			/* of the types in the trie; no others take room or work */
	uint32_t	most_events;	/* of these that a slice may have */
	uint32_t	slices;			/* after PlanTrie() the number wanted, after FitTrie() the number that there are */
	uint32_t	words;			/* of shared memory for events and lists, see SlicedTrie */
	uint32_t	blocks;			/* that the device which runs most of them at once runs, at most one for each part */
	uint32_t	least_blocks;	/* that each device must have room for, or it would often wait */
	uint64_t	spill_words;	/* the most that the lists of a slice can take, which each block has as its spill */
	uint64_t	slice_work;		/* the most events and entries that a slice can take to go through, repetitions included */
} TriePlan;

/*
 * Plans the steps, and how many slices are wanted.  The plan does not fit if there are no steps or too many
 * of them, or if there is so little to do that only large slices would pay.
 */
extern cudaError_t PlanTrie(EpisodesJob *job, const TestedLevels *t, TriePlan *plan);

/*
 * Completes the plan for the slices that PlanInstants() has cut.  It no longer fits if one of them has too
 * many events or takes too long, if some device of the team has too little shared memory, or if most of the
 * lists would find no room there.
 */
extern cudaError_t FitTrie(EpisodesJob *job, const TestedLevels *t, const InstantPlan *instants, TriePlan *plan);

/*
 * The bytes that counting takes on a device: those for all blocks together, those for each block's spill, and
 * the least for all spills.
 */
extern uint64_t TrieBytes(const TriePlan *plan);
extern uint64_t TrieBlockBytes(const TriePlan *plan);
extern uint64_t LeastSpillBytes(const TriePlan *plan);

extern void FreeTriePlan(EpisodesJob *job, TriePlan *plan);

/* Counting on a device.  A part is a slice of a surrogate, see SlicedTrie. */
typedef struct TrieRun
{
	GpuDevice  *device;
	SlicedTrie	trie;
	uint32_t	blocks;			/* of a launch, at most: there is a spill for each of them */
	double		work;			/* estimate: events and entries of a part that are gone through */
	uint32_t	parts;			/* of the batch at hand */
	uint32_t	begun;			/* parts that a launch has been given */
} TrieRun;

/*
 * Takes what counting needs on the device.  Spills get at most "room" bytes, which must be enough for one block.
 * The caller sets "parts" and, in "trie", the stream, the slices of a surrogate and "counted" before
 * RunTries().
 */
extern cudaError_t OpenTrie(EpisodesJob *job, const TriePlan *plan, GpuDevice *device, uint64_t room, TrieRun *run);

/*
 * Launches the counting of all parts of n devices, one launch on each in turn.  Supports are added to
 * trie.counted.
 */
extern cudaError_t RunTries(EpisodesJob *job, TrieRun *const *runs, int n);

/*
 * surrogates.c: How surrogates are cut into batches and slices, and counted.
 */

/* How the work is cut, and the bytes of device memory that it takes. */
typedef struct BatchPlan
{
	uint64_t	copies;			/* surrogates in a batch, at most */
	uint32_t	slices;			/* of each surrogate */
	uint64_t	once;			/* bytes that are taken once, whatever the number of surrogates */
	uint64_t	each;			/* bytes for each surrogate of a batch */
	TriePlan	trie;			/* if this fits, slices are counted in shared memory, otherwise level by level */
} BatchPlan;

/*
 * Estimates the bytes of a device's memory: *wanted for batches as large as make sense, *least for batches of
 * a single surrogate.
 */
extern void SurrogatesMemory(const FimEpisodesSpec *spec, const FimEpisodesData *data, uint64_t *wanted,
							 uint64_t *least);

/*
 * Plans the batches, and the instants where times can serve as such.  *instants is zeroed before.  For batches
 * of a single surrogate, the plan takes no more than *least bytes, or than every device has room for.  What is
 * allocated on the host is the team's.
 */
extern cudaError_t ChoosePlan(EpisodesJob *job, const TestedLevels *t, InstantPlan *instants, BatchPlan *plan);

/* The bytes of each device that the blocks' spills may take, see SlicedTrie: at least LeastSpillBytes(). */
extern uint64_t RoomForSpill(const EpisodesJob *job, const BatchPlan *plan);

/* The team's devices take batches of surrogates by turns. */
extern cudaError_t CountOnSurrogates(EpisodesJob *job);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_EPISODES_SURROGATES_H */
