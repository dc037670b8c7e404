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

/* The end of an episode: what it has more than its prefix, and the places of its list. */
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

/* The most extensions that are under way together, unless the copies of a single one are more. */
#define EXTENSIONS_AT_ONCE	(1u << 18)

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

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_LISTS_H */
