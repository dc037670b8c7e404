/*-------------------------------------------------------------------------
 *
 * lists.h
 *	  Latest-start propagation on a device: lists of occurrences, and extending them.
 *
 * The list of an episode has an entry for each event that ends an occurrence: this
 * event's moment, and that of the latest event at which such an occurrence can begin.  To
 * extend the episode by an event of another type, take the last entry of the list that
 * is far enough back; its start is all that the longer episode's entry takes over, if it is
 * not too far back.  Starts never decrease along a list, so no other entry begins later.
 *
 * An event that ends an occurrence of an episode also ends one of the episode's suffix.  So where
 * the suffix has a list, only the events that end its entries come into question, and not all events
 * of the last type.  The lists that are kept from level to level say which events these are: each
 * entry has the place of its last event among the events of its type.
 *
 * A warp extends a list, 32 events at a time.  Unless it only writes, it goes through the
 * entries instead where these are fewer.  It can do two more things on the way: count the
 * occurrences that do not overlap, greedily taking each that begins after the end of the last one
 * taken, and give up when too few of them can follow.  Where there are few extensions,
 * several warps do one of them, each a chunk.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_LISTS_H
#define FIM_GPU_LISTS_H

#include "episodes/level.h"
#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * The list of an episode on a device.  For a single type, start and end are the same array, which is part of
 * the stream.
 */
typedef struct DeviceList
{
	uint32_t   *end;			/* [n] moments, ascending, equal ones only in surrogates; NULL if the list is not kept */
	uint32_t   *start;			/* [n] moments, which do not decrease */
	uint32_t	n;
	uint32_t	placed;			/* 1 if the entries have places, otherwise 0 */
} DeviceList;

#define LIST_ENTRY		(2 * sizeof(uint32_t))	/* bytes */
#define PLACED_ENTRY	(3 * sizeof(uint32_t))	/* with its place */

/*
 * The places[n] of a list that has them, ascending.  The three arrays of such a list follow each other
 * without gaps.
 */
static inline uint32_t *
PlacesOf(const DeviceList *list)
{
	return list->start + (list->start - list->end);
}

/* A list that has n entries but is not kept. */
static inline DeviceList
UnkeptList(uint32_t n)
{
	DeviceList	list = {NULL, NULL, n, 0};

	return list;
}

static inline DeviceList
ListOfType(const EpisodesJob *job, const DeviceStream *stream, uint32_t type)
{
	uint32_t   *moment = stream->back + job->start[type];
	DeviceList	list = {moment, moment, EventsOf(job, type)};

	return list;
}

/* The end of an episode: making_again it has more than its prefix, and the places of its list. */
typedef struct EpisodeEnd
{
	uint32_t	gap;
	uint32_t	type;
	uint32_t   *place;			/* [nplaces] on the device; NULL if they are not known */
	uint32_t	nplaces;
} EpisodeEnd;

/* A list to be extended by the events of a type under a gap. */
typedef struct Extension
{
	uint32_t	list;			/* into an array of lists */
	uint32_t	type;
	uint32_t	gap;
	uint32_t	to;				/* where the results go, into other arrays */
	uint32_t   *place;			/* [nplaces] on the device: the events that come into question; NULL: all of the type */
	uint32_t	nplaces;
} Extension;

/* What counting finds of a candidate.  All fields are 0 or too low if it was given up. */
typedef struct Counted
{
	uint32_t	entries;		/* of its list */
	uint32_t	support;
	uint32_t	free;			/* the first moment at which another occurrence may begin */
} Counted;

/* Where an extension goes on in the next launch. */
typedef struct Pause
{
	/*
	 * Where events are gone through: how many entries are far enough back for the events so far, and so for
	 * all later ones.  Where entries are gone through: how many events are too early to follow the last entry
	 * so far.  GPU_NONE if nothing is left to do.
	 */
	uint32_t	at;
	uint32_t	reached;		/* events not too far from the entries so far; kept only if entries are counted */
	uint32_t	free;			/* the first moment at which the next occurrence may begin */
	uint32_t	n;				/* entries of the longer list so far */
	uint32_t	support;		/* so far */
} Pause;

/*
 * What a warp finds in a chunk of the events, or of the entries, that an extension goes through in a launch.
 * The warp does not know how the chunks before end; see lists_chunks_kernels.cu.
 */
typedef struct Chunk
{
	uint32_t	free;			/* the warp took occurrences of the chunk that begin at this moment or later */
	uint32_t	first;			/* start of the first entry of the longer list; GPU_NONE if there is none */
	uint32_t	skip;			/* the first of the 32 events, or entries, that this entry comes from */
	Pause		pause;			/* at the end of the chunk; n and support are of this chunk only */
} Chunk;

/* The most chunks of all extensions of a launch together. */
#define CHUNK_ROOM	(1u << 17)

/* What to do with the events that extend a list. */
typedef enum ExtensionMode
{
	COUNT_EXTENSIONS,			/* count them, and the occurrences that do not overlap */
	WRITE_EXTENSIONS,			/* make the longer list */
	COUNT_AND_WRITE_EXTENSIONS, /* count the occurrences that do not overlap, and make the longer list */
	TAKE_EXTENSIONS				/* write the ends of the occurrences that do not overlap */
} ExtensionMode;

/* Extensions on a device that are done in one mode.  All arrays are on the device. */
typedef struct Extending
{
	ExtensionMode mode;
	DeviceStream stream;
	const DeviceList *lists;
	const Extension *extensions;
	Pause	   *pauses;			/* by "to" */
	Counted    *counted;		/* by "to", when counting */
	bool		counts_entries; /* for COUNT_EXTENSIONS: "entries" are wanted, otherwise they may be too low */
	bool		resumes;		/* "free" of "counted" is set before; otherwise occurrences may begin anywhere */

	/* by "to", but for COUNT_EXTENSIONS: has the addresses, and gets n; "start" is not used by TAKE_EXTENSIONS */
	DeviceList *made;
	uint64_t	least;			/* for COUNT_EXTENSIONS: support below which a candidate is given up */
	Chunk	   *chunks;			/* [CHUNK_ROOM] for counting or writing by chunks; NULL if that is not wanted */
} Extending;

/*
 * Launches the extensions from "first" to end - 1.  Each goes through "events" events of its type, a multiple
 * of 32, from number "begin" on, or through as many entries.
 */
extern cudaError_t LaunchExtensions(GpuDevice *device, const Extending *extending, uint32_t first,
									uint32_t end, uint32_t begin, uint32_t events);

/*
 * The same with a warp for each chunk.  An extension is cut into "most" chunks, or into fewer if its chunks
 * would have fewer than "least" events or entries, which is a multiple of 32 and at least 64.  All extensions
 * together must not have more than CHUNK_ROOM chunks.
 */
extern cudaError_t LaunchChunks(GpuDevice *device, const Extending *extending, uint32_t first, uint32_t end,
								uint32_t begin, uint32_t events, uint32_t least, uint32_t most);

/* Extensions to be done on one device of the team, in launches that take about GPU_LAUNCH_MS. */
typedef struct ExtensionRun
{
	GpuDevice  *device;
	Extending	extending;
	uint32_t	n;

	/*
	 * What the extensions are, on the host.  Either "extensions" has all of them, each once.  Or, if there
	 * are at most EXTENSIONS_AT_ONCE, "ends" has the ends that they extend lists by, and "uses" how many
	 * extensions there are for each of the ends.
	 */
	const Extension *extensions;
	const EpisodeEnd *ends;		/* [nends] */
	const uint32_t *uses;		/* [nends] */
	uint32_t	nends;

	/*
	 * On the device, each extension of the host is followed by "repeats" copies of it.  The host's number of
	 * events of the type is that of "sharing" copies together; 0: it is that of each.
	 */
	uint32_t	repeats;
	uint32_t	sharing;

	/* how far the launches have come, with the host's extensions from "first" to end - 1 under way */
	uint32_t	first;
	uint32_t	end;
	uint32_t	begin;			/* events that each has gone through */
	uint32_t	most;			/* the most events that any of them has */
	uint64_t	events;			/* of all of them together */
} ExtensionRun;

/*
 * Launches all extensions of all runs, one launch on each device in turn.  Does not wait until the last ones
 * are done.  n may be 0.
 */
extern cudaError_t RunExtensions(EpisodesJob *job, ExtensionRun *runs, int nruns);

/*
 * The lists of a level's episodes, as far as there is memory for them.
 *
 * Each device makes or gets the lists of all episodes, whichever device counts what extends them, because the
 * list of a candidate's suffix says which events come into question.
 */

/* Memory for the lists of many episodes, in the same order on each of the devices that have it. */
typedef struct ListBlock
{
	uint64_t	entries;
	uint32_t   *address[FIM_GPU_MAX_DEVICES];	/* by device of the team; NULL: it does not have the block */
} ListBlock;

/* The list of an episode: where it is in its block. */
typedef struct KeptList
{
	uint64_t	at;				/* the entries before it */
	uint32_t	block;
	uint32_t	n;				/* entries */
	uint32_t	on;				/* a bit for each device of the team that has it; 0: it is not kept */
} KeptList;

typedef struct KeptLists
{
	KeptList   *list;			/* [n] by episode */
	uint64_t	room;
	uint32_t	n;
	ListBlock  *block;			/* [nblocks] */
	uint64_t	block_room;
	uint32_t	nblocks;
} KeptLists;

/* The list of an episode on a device, with places; its addresses are NULL where it is not kept. */
static inline DeviceList
KeptListOn(const KeptLists *lists, uint32_t number, int device)
{
	const KeptList *list = &lists->list[number];
	DeviceList	on = UnkeptList(list->n);

	if ((list->on >> device & 1) != 0)
	{
		on.end = lists->block[list->block].address[device] + 3 * list->at;
		on.start = on.end + list->n;
		on.placed = 1;
	}
	return on;
}

/* Adds an episode with its list. */
extern cudaError_t KeepList(EpisodesJob *job, KeptLists *lists, const KeptList *list);

/* Adds a block for so many entries, with their places, which is number lists->nblocks - 1 then.  No device has it yet. */
extern cudaError_t AddListBlock(EpisodesJob *job, KeptLists *lists, uint64_t entries);

/*
 * Gives a device of the team the last block.  Its address on the device stays NULL, which is no error, if the
 * device does not have the memory, or if the job would have fewer than "reserve" bytes of it left.
 */
extern cudaError_t TakeListBlock(EpisodesJob *job, KeptLists *lists, int device, uint64_t reserve);

/*
 * Copies all lists of the first device to another one, as far as that has the memory and "reserve" bytes would
 * be left.
 */
extern cudaError_t CopyLists(EpisodesJob *job, KeptLists *lists, int device, uint64_t reserve);

/* The bytes of all lists of the first device. */
extern uint64_t BytesOfLists(const KeptLists *lists);

/* Frees the blocks, and leaves no episodes. */
extern cudaError_t DropLists(EpisodesJob *job, KeptLists *lists);

/*
 * Making lists again that there was no memory to keep: from an episode's first type on.
 */

/* An episode whose list is made again. */
typedef struct Remade
{
	uint32_t	number;			/* in its level */
	uint32_t	to;				/* where its list goes in the caller's array of lists */
	uint64_t	at;				/* where its room begins in each half, in entries */
	uint64_t	most;			/* entries of its room, and so the most that its list or a prefix's can have */
} Remade;

/*
 * Making lists again on a device.  The list of a prefix is made in one half of the memory, from the list of
 * the prefix that is one type shorter, which is in the other half.  Memory is taken when the first list is
 * added.
 */
typedef struct Remaking
{
	int			d;				/* the device's number in the team */
	uint32_t   *half[2];		/* NULL until the first list is added */
	uint64_t	room;			/* entries of each half */
	uint64_t	used;			/* entries of each half that have been given to lists */
	DeviceList *stage[2];		/* [REMAKE_ROOM] the lists in each half */
	Extension  *extensions;		/* [REMAKE_ROOM] */
	Pause	   *pauses;			/* by the extensions' "to"; the caller's memory */
	Chunk	   *chunks;			/* [CHUNK_ROOM]; the caller's memory */

	/* on the host */
	Remade	   *remade;			/* [REMAKE_ROOM] */
	uint32_t	n;				/* lists that have been added */
	DeviceList *host_lists;		/* [REMAKE_ROOM] */
	Extension  *host_extensions;	/* [REMAKE_ROOM] */
} Remaking;

/* The least bytes of a device that making lists again takes, if no type has more than most_events events. */
extern uint64_t RemakeLeast(uint32_t most_events);

/*
 * Begins without any lists, but keeps the memory.  "pauses" has an element for each list, and "chunks" has
 * CHUNK_ROOM.
 */
extern void RemakeBegin(Remaking *remaking, int d, Pause *pauses, Chunk *chunks);

/*
 * Adds the list of an episode of some length, at least 2.  It is to go to element "to" of an array of lists
 * on the device, and *list becomes making_again must be there before RemakeAll().  *fits becomes false, and nothing
 * is added, if the lists that were added before have to be made first.
 */
extern cudaError_t RemakeAdd(EpisodesJob *job, Remaking *remaking, const EpisodeLevels *levels,
							 uint32_t length, uint32_t number, uint32_t to, DeviceList *list, bool *fits);

/*
 * Makes the lists that were added, all of them of episodes of the given length, in lists[], which is on the
 * device.
 */
extern cudaError_t RemakeAll(EpisodesJob *job, Remaking *remaking, const EventStream *stream,
							 const EpisodeLevels *levels, uint32_t length, DeviceList *lists);

/* Gives back the memory, once the work is done that the counting stream has been given. */
extern cudaError_t RemakeFree(EpisodesJob *job, Remaking *remaking);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_LISTS_H */
