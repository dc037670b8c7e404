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
 * What ends an occurrence of an episode ends one of its suffix, too.  So not all events of
 * the last type come into question where the suffix has a list that says which of its
 * type's events end its entries.  The lists that are kept from level to level say so: these
 * events' places among those of their type.
 *
 * A warp extends a list, 32 events at a time.  Unless it only writes, it goes through the
 * entries instead where these are fewer.  It can do two more things on the way: count the
 * occurrences that do not overlap, taking greedily what begins later than the last one
 * ended, and give up when too few of them can follow.  Where there are few extensions,
 * several warps do one of them, each a chunk.
 *
 * Included by the files of cuda/episodes that deal with lists.
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

/* On a device.  That of a single type begins where it ends: it is part of the stream. */
typedef struct DeviceList
{
	uint32_t   *end;			/* [n] moments, ascending, equal ones only in surrogates; NULL if the list is not kept */
	uint32_t   *start;			/* [n] moments, ascending */
	uint32_t	n;
	uint32_t	placed;			/* 1 if it has places, otherwise 0 */
} DeviceList;

#define LIST_ENTRY		(2 * sizeof(uint32_t))	/* bytes */
#define PLACED_ENTRY	(3 * sizeof(uint32_t))	/* with its place */

/* [n] ascending: the places of a list that has them, whose three arrays follow each other without room between. */
static inline uint32_t *
PlacesOf(const DeviceList *list)
{
	return list->start + (list->start - list->end);
}

static inline DeviceList
ListOfType(const EpisodesJob *job, const DeviceStream *stream, uint32_t type)
{
	uint32_t   *moment = stream->back + job->start[type];
	DeviceList	list = {moment, moment, EventsOf(job, type)};

	return list;
}

/* What an episode has more than its prefix, and the places of its list. */
typedef struct EpisodeEnd
{
	uint32_t	gap;
	uint32_t	type;
	uint32_t   *place;			/* [nplaces]; NULL if they are not known */
	uint32_t	nplaces;
} EpisodeEnd;

/* A list to be extended by the events of a type under a gap. */
typedef struct Extension
{
	uint32_t	list;			/* into an array of lists */
	uint32_t	type;
	uint32_t	gap;
	uint32_t	to;				/* where the result goes, into another array */
	uint32_t   *place;			/* [nplaces] the events that come into question; NULL: all of the type */
	uint32_t	nplaces;
} Extension;

/* What is known of a candidate.  All are 0 or too low if it was given up. */
typedef struct Counted
{
	uint32_t	entries;		/* of its list */
	uint32_t	support;
	uint32_t	free;			/* the first moment at which another occurrence may begin */
} Counted;

/* Where an extension goes on in the next launch. */
typedef struct Pause
{
	uint32_t	at;				/* so many entries, or events, are certainly far enough back, or not far enough;
								 * GPU_NONE if nothing is left to do */
	uint32_t	reached;		/* so many events are not too far from the entries gone by; if these are counted */
	uint32_t	free;			/* the first moment at which the next occurrence may begin */
	uint32_t	n;				/* entries so far */
	uint32_t	support;		/* so far */
} Pause;

/*
 * What a warp finds in a chunk of the events that an extension goes on by in a launch, or of
 * the entries.  It does not know how the chunks before end; see lists_chunks_kernels.cu.
 */
typedef struct Chunk
{
	uint32_t	free;			/* it took occurrences that begin at this moment or later */
	uint32_t	first;			/* start of the first entry made; GPU_NONE if none is */
	uint32_t	skip;			/* the first of the 32 events, or entries, that make this entry */
	Pause		pause;			/* at the end; n and support are of this chunk only */
} Chunk;

#define CHUNK_ROOM	(1u << 17)

/* What to do with the events that extend a list. */
typedef enum ExtensionMode
{
	COUNT_EXTENSIONS,			/* count them, and the occurrences that do not overlap */
	WRITE_EXTENSIONS,			/* make the list */
	COUNT_AND_WRITE_EXTENSIONS, /* count the occurrences that do not overlap, and make the list */
	TAKE_EXTENSIONS				/* write where the occurrences end that do not overlap */
} ExtensionMode;

/* Extensions of one mode on a device, where all arrays are. */
typedef struct Extending
{
	ExtensionMode mode;
	DeviceStream stream;
	const DeviceList *lists;
	const Extension *extensions;
	Pause	   *pauses;			/* by "to" */
	Counted    *counted;		/* by "to", when counting */
	bool		counts_entries; /* when only counting, "entries" are wanted: otherwise they may be too low */
	bool		resumes;		/* "free" of "counted" is set before, otherwise occurrences may begin anywhere */
	DeviceList *made;			/* by "to", unless only counting: has the addresses, and gets n; start is not used when taking */
	uint64_t	least;			/* support below which a candidate is given up, when only counting */
	Chunk	   *chunks;			/* [CHUNK_ROOM] to count or write by chunks, NULL if that is not wanted */
} Extending;

/* Those from first to end - 1, each from event "begin" of its type on and so many events, a multiple of 32. */
extern cudaError_t LaunchExtensions(GpuDevice *device, const Extending *extending, uint32_t first,
									uint32_t end, uint32_t begin, uint32_t events);

/*
 * The same with a warp for each chunk.  An extension is cut into "most" chunks, or fewer if they would have
 * less than "least" events or entries, a multiple of 32 and at least 64.  All have at most CHUNK_ROOM chunks.
 */
extern cudaError_t LaunchChunks(GpuDevice *device, const Extending *extending, uint32_t first, uint32_t end,
								uint32_t begin, uint32_t events, uint32_t least, uint32_t most);

/* So many extensions go on together. */
#define EXTENSIONS_AT_ONCE	(1u << 18)

/* Extensions to be done on one device of the team, in launches that do not take long. */
typedef struct ExtensionRun
{
	GpuDevice  *device;
	Extending	extending;
	uint32_t	n;

	/*
	 * On the host either the same extensions, each once, or, of at most EXTENSIONS_AT_ONCE, the
	 * ends that they extend lists by, and how many extensions there are for each.
	 */
	const Extension *extensions;
	const EpisodeEnd *ends;		/* [nends] */
	const uint32_t *uses;		/* [nends] */
	uint32_t	nends;

	/*
	 * On the device each is followed by so many like it.  Groups of "sharing" among them share
	 * the events of their type; 0: each has them all.
	 */
	uint32_t	repeats;
	uint32_t	sharing;

	/* how far the launches are: those from first to end - 1 have come to so many events, of at most so many */
	uint32_t	first;
	uint32_t	end;
	uint32_t	begin;
	uint32_t	most;
	uint64_t	events;			/* of the types of all these together */
} ExtensionRun;

/* Has all devices do their extensions.  Those without any have none in n. */
extern cudaError_t RunExtensions(EpisodesJob *job, ExtensionRun *runs, int nruns);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_LISTS_H */
