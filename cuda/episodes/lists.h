/*-------------------------------------------------------------------------
 *
 * lists.h
 *	  Counting by latest-start propagation: lists of occurrences, pairs of events that the first lists
 *	  are made of, extensions of candidates, and what each device counts of a batch.
 *
 * The list of an episode has an entry for each event that ends an occurrence: this
 * event's instant, and that of the latest event at which such an occurrence can begin.  To
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
 * several warps do one of them, each a leg.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_EPISODES_LISTS_H
#define GPU_EPISODES_LISTS_H

#include "episodes/episodes.h"

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
	uint32_t   *end;			/* [n] instants, ascending, equal ones only in surrogates; NULL if not kept */
	uint32_t   *start;			/* [n] instants, which do not decrease */
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
	uint32_t   *instant = stream->back + job->start[type];
	DeviceList	list = {instant, instant, EventsOf(job, type)};

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
	uint32_t	free;			/* the first instant at which another occurrence may begin */
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
	uint32_t	free;			/* the first instant at which the next occurrence may begin */
	uint32_t	n;				/* entries of the longer list so far */
	uint32_t	support;		/* so far */
} Pause;

/*
 * What a warp finds in a leg of the events, or of the entries, that an extension goes through in a launch.
 * The warp does not know how the legs before end; see lists_legs_kernels.cu.
 */
typedef struct Leg
{
	uint32_t	free;			/* the warp took occurrences of the leg that begin at this instant or later */
	uint32_t	first;			/* start of the first entry of the longer list; GPU_NONE if there is none */
	uint32_t	skip;			/* the first of the 32 events, or entries, that this entry comes from */
	Pause		pause;			/* at the end of the leg; n and support are of this leg only */
} Leg;

/* The most legs of all extensions of a launch together. */
#define LEG_ROOM	(1u << 17)

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
	Leg	   *legs;				/* [LEG_ROOM] for counting or writing by legs; NULL if that is not wanted */
} Extending;

/*
 * Launches the extensions from "first" to end - 1.  Each goes through "events" events of its type, a multiple
 * of 32, from number "begin" on, or through as many entries.
 */
extern cudaError_t LaunchExtensions(GpuDevice *device, const Extending *extending, uint32_t first,
									uint32_t end, uint32_t begin, uint32_t events);

/*
 * The same with a warp for each leg.  An extension is cut into "most" legs, or into fewer if its legs
 * would have fewer than "least" events or entries, which is a multiple of 32 and at least 64.  All extensions
 * together must not have more than LEG_ROOM legs.
 */
extern cudaError_t LaunchLegs(GpuDevice *device, const Extending *extending, uint32_t first, uint32_t end,
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
typedef struct ListShelf
{
	uint64_t	entries;
	uint32_t   *address[FIM_GPU_MAX_DEVICES]; /* by device of the team; NULL: it does not have the shelf */
} ListShelf;

/* The list of an episode: where it is on its shelf. */
typedef struct KeptList
{
	uint64_t	at;				/* the entries before it */
	uint32_t	shelf;
	uint32_t	n;				/* entries */
	uint32_t	on;				/* a bit for each device of the team that has it; 0: it is not kept */
} KeptList;

typedef struct KeptLists
{
	KeptList   *list;			/* [n] by episode */
	uint64_t	room;
	uint32_t	n;
	ListShelf  *shelf;			/* [nshelves] */
	uint64_t	shelf_room;
	uint32_t	nshelves;
} KeptLists;

/* The list of an episode on a device, with places; its addresses are NULL where it is not kept. */
static inline DeviceList
KeptListOn(const KeptLists *lists, uint32_t number, int device)
{
	const KeptList *list = &lists->list[number];
	DeviceList	on = UnkeptList(list->n);

	if ((list->on >> device & 1) != 0)
	{
		on.end = lists->shelf[list->shelf].address[device] + 3 * list->at;
		on.start = on.end + list->n;
		on.placed = 1;
	}
	return on;
}

/* Adds an episode with its list. */
extern cudaError_t KeepList(EpisodesJob *job, KeptLists *lists, const KeptList *list);

/* Adds a shelf for so many entries, with their places, as the last one.  No device has it yet. */
extern cudaError_t AddListShelf(EpisodesJob *job, KeptLists *lists, uint64_t entries);

/*
 * Gives a device of the team the last shelf.  Its address on the device stays NULL, which is no error, if the
 * device does not have the memory, or if the job would have fewer than "reserve" bytes of it left.
 */
extern cudaError_t TakeListShelf(EpisodesJob *job, KeptLists *lists, int device, uint64_t reserve);

/*
 * Copies all lists of the first device to another one, as far as that has the memory and "reserve" bytes would
 * be left.
 */
extern cudaError_t CopyLists(EpisodesJob *job, KeptLists *lists, int device, uint64_t reserve);

/* The bytes of all lists of the first device. */
extern uint64_t BytesOfLists(const KeptLists *lists);

/* Frees the shelves, and leaves no episodes. */
extern cudaError_t DropLists(EpisodesJob *job, KeptLists *lists);

/* An episode whose list is made again. */
typedef struct Remade
{
	uint32_t	number;			/* in its level */
	uint32_t	to;				/* where its list goes in the caller's array of lists */
	uint64_t	at;				/* where its room begins in each half, in entries */
	uint64_t	most;			/* entries of its room, and so the most that its list or a prefix's can have */
} Remade;

/*
 * Making lists again on a device that there was no memory to keep: from an episode's first type on.  The
 * list of a prefix is made in one half of the memory, from the list of the prefix that is one type shorter,
 * which is in the other half.  Memory is taken when the first list is added.
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
	Leg	   *legs;				/* [LEG_ROOM]; the caller's memory */

	/* on the host */
	Remade	   *remade;			/* [REMAKE_ROOM] */
	uint32_t	n;				/* lists that have been added */
	DeviceList *host_lists;		/* [REMAKE_ROOM] */
	Extension  *host_extensions; /* [REMAKE_ROOM] */
} Remaking;

/* The least bytes of a device that making lists again takes, if no type has more than most_events events. */
extern uint64_t RemakeLeast(uint32_t most_events);

/*
 * Begins without any lists, but keeps the memory.  "pauses" has an element for each list, and "legs" has
 * LEG_ROOM.
 */
extern void RemakeBegin(Remaking *remaking, int d, Pause *pauses, Leg *legs);

/*
 * Adds the list of an episode of some length, at least 2.  It is to go to element "to" of an array of lists
 * on the device, and *list becomes what must be there before RemakeAll().  *fits becomes false, and nothing
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

/*
 * lists_kernels.cu: From the ends of occurrences back to their first events.
 */

/* Finding the events of occurrences of an episode.  All arrays are on the device. */
typedef struct WalkBack
{
	DeviceStream stream;
	const uint32_t *types;		/* [length] */
	const uint32_t *gaps;		/* [length - 1] */
	uint32_t	length;
	const DeviceList *lists;	/* [length - 1] of the prefixes, by their lengths from 1 on */
	const uint32_t *end;		/* the instants at which the occurrences end */
} WalkBack;

/* Writes the instants of n occurrences, from number "first" on, to instants[n][length], which is on the device. */
extern cudaError_t FindEvents(GpuDevice *device, const WalkBack *walk, uint32_t first, uint32_t n,
							  uint32_t *instants);

/*
 * Candidates on a device: making extensions of them, and finding those that are frequent.
 *
 * If the host did anything for each candidate, it would take longer than the device takes to count
 * it.  So the host deals with runs of candidates, and with single ones only if they are frequent.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 */

/* Extensions of the same list, by ends that follow each other. */
typedef struct JoinedRun
{
	uint32_t	first;			/* extension; the run ends before the first one of the next run */
	uint32_t	list;
	uint32_t	end;			/* of the first extension, into an array of ends */
	uint32_t	gap;			/* under which all extend the list; GPU_NONE: each under the gap of its end */
} JoinedRun;

/*
 * Makes extensions[n] from the runs, each with its number in "to".  Unless it is NULL, free[n] is copied to
 * the "free" of counted[n].
 */
extern cudaError_t JoinRuns(GpuDevice *device, const JoinedRun *runs, uint32_t nruns, const EpisodeEnd *ends,
							Extension *extensions, uint32_t n, const uint32_t *free, Counted *counted);

/* An extension whose support is not below the least. */
typedef struct Found
{
	uint32_t	number;
	Counted		counted;
} Found;

typedef struct FoundList
{
	uint32_t	n;
	Found		found[];		/* [n] their numbers ascend */
} FoundList;

/* Sets *bytes to the scratch memory that SelectFound() needs for n extensions. */
extern cudaError_t FoundScratch(uint32_t n, size_t *bytes);

/*
 * Finds which of counted[n] reach the support "least".  "found" has room for n, and may be pinned memory of
 * the host.
 */
extern cudaError_t SelectFound(GpuDevice *device, void *scratch, size_t bytes, const Counted *counted, uint32_t n,
							   uint64_t least, FoundList *found);

/*
 * pairs.c: Upper bounds of the supports of all pairs of types, from one walk along the stream.
 *
 * The support of a pair is at most the number of pairs of events of these types of
 * which one follows the other under the gap.  Where scopes are narrow, counting these pairs of
 * events takes far less than extending the list of each type by each other type, and most
 * pairs of types turn out not to need that.
 */

/*
 * As bound_pairs() of SearchStrategy, for the section that is on the devices.  Bounds are not known if
 * finding them does not pay.
 *
 * If "lists" is not NULL, the lists of the pairs are made, too, where that is possible.  They lie one after
 * the other on the first shelf of "lists" on the first device, each as a list with places, and bounds are then
 * their numbers of entries.  *address becomes the address of the shelf, or NULL if the lists are not made.
 */
extern cudaError_t BoundPairs(EpisodesJob *job, const EventStream *stream, uint32_t nfrequent, PairBounds *bounds,
							  KeptLists *lists, uint32_t **address);

/*
 * Counting pairs of events on a device.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 */

typedef struct ScopeSizes
{
	unsigned long long total;	/* pairs of events */
	unsigned long long widest;	/* of one event under one gap */
} ScopeSizes;

/*
 * Adds up how large the events' scopes are, under all gaps: how many events they can follow.  *sizes, on
 * the device, are 0 before.
 */
extern cudaError_t MeasureScopes(GpuDevice *device, const DeviceStream *stream, uint32_t ngaps, ScopeSizes *sizes);

/* What the host is told. */
typedef struct BoundList
{
	ScopeSizes	sizes;
	unsigned long long entries; /* of the lists of all pairs in "bound", if lists are to be made */
	uint32_t	n;
	PairBound	bound[];		/* [n] pairs ascend */
} BoundList;

/* Counters of pairs of types under gaps, and the pairs that are chosen.  All arrays are on the device. */
typedef struct PairCounters
{
	uint32_t	ntypes;
	uint32_t	ngaps;
	uint32_t	n;				/* ntypes * ngaps * ntypes */
	uint32_t   *counts;			/* [n], which is [ntypes][ngaps][ntypes] */
	BoundList  *list;			/* the pairs chosen, with room for n */

	/* if lists are to be made; places are then cut into stripes, each of one type */
	uint32_t   *at;				/* [n] for pairs chosen, see PairBound; NULL if no lists are to be made */
	uint32_t   *before;			/* [nstripes][ntypes][ngaps] entries from the stripes before, by first type and gap */
	uint32_t   *stripe;			/* [ntypes + 1] the first stripe of each type */
	uint32_t	nstripes;		/* 0 if no lists are to be made */

	void	   *scratch;
	size_t		scratch_bytes;
} PairCounters;

/*
 * Adds the pairs whose second events are in the places from "first" to end - 1 to the counters, unless the
 * measured sizes, counters->list->sizes, are beyond "most".
 */
extern cudaError_t CountEventPairs(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
								   const ScopeSizes *most, uint32_t first, uint32_t end);

/*
 * The most places of a stripe; and the most first types times gaps with which a stripe's bits fit any device's
 * shared memory.
 */
#define STRIPE_PLACES		256
#define MOST_LISTED			480

/*
 * Counts the entries of the lists of pairs instead, unless the measured sizes are beyond "most".  For the
 * pairs that have at least "least" entries, it sets counters->at and adds the entries to
 * counters->list->entries.
 */
extern cudaError_t CountListed(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
							   const ScopeSizes *most, uint64_t least);

/* Makes the lists of these pairs afterwards, one behind the other, each as a list with places. */
extern cudaError_t WriteListed(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
							   uint64_t least, uint32_t *lists);

/*
 * lists_kernels.cu: Selecting pairs by their bounds.
 */

/* Sets *bytes to the scratch memory that SelectBounds() needs for n counters. */
extern cudaError_t BoundsScratch(uint32_t n, size_t *bytes);

/* Puts the pairs whose counters are at least "least" into the list. */
extern cudaError_t SelectBounds(GpuDevice *device, const PairCounters *counters, uint64_t least);

#ifdef __cplusplus
}
#endif

/*
 * shares.c: What each device counts of a batch of candidates, by latest-start propagation.
 *
 * Each candidate is counted on one device.  The lists of those that are found are then made on all devices.
 * A batch is cut into parts if there is too little memory for all lists that have to be made again.
 */

/* A device's share of a part.  Arrays have room for BATCH_ROOM elements if nothing else is said. */
typedef struct Share
{
	/*
	 * On the device, in one block of memory, making_next the host sends, one array after the other.  To count the
	 * candidates, these are the prefixes' lists, and runs, ends and "free", of which extensions are made.  After
	 * counting, lists of prefixes that other devices have counted with, "made" and "making" take the place of
	 * all but the lists.
	 */
	DeviceList *lists;			/* [nlists + other_lists] of the prefixes */
	JoinedRun  *runs;			/* [nruns] */
	EpisodeEnd *ends;			/* [nends] */
	uint32_t   *free;			/* [n] see CandidateBatch; NULL if occurrences may begin anywhere */
	DeviceList *made;			/* [nmade] lists of candidates found on any device */
	Extension  *making;			/* [nmade] extensions that make these lists */

	/* on the device, by candidate of the share */
	Extension  *extensions;
	Pause	   *pauses;
	Counted    *counted;
	void	   *scratch;
	size_t		scratch_bytes;
	Leg	   *legs;				/* [LEG_ROOM] */

	/* on the host, in pinned memory to which the device writes; valid until the ring's next copies */
	FoundList  *found;

	/* on the host */
	DeviceList *host_lists;		/* [nlists]; once these have been sent, [other_lists] */
	uint32_t	nlists;
	uint32_t	prefix;			/* the episode whose list is the last one */
	uint32_t	other_lists;
	uint32_t	other;			/* the episode whose list is the last one of "other_lists" */
	JoinedRun  *host_runs;
	uint32_t	nruns;
	EpisodeEnd *host_ends;
	uint32_t   *uses;			/* how many extensions have each of the ends */
	uint32_t	nends;
	uint32_t   *host_free;		/* NULL until it is wanted */
	uint32_t	n;				/* candidates */
	FoundList  *host_found;
	DeviceList *host_made;		/* [nmade] */
	Extension  *host_extensions; /* [nmade] that make these lists */
	uint32_t	nmade;
	Remaking	remaking;
} Share;

/*
 * The lists of pairs of types, if they were made before the pairs are counted.  This is done while a single
 * device counts.
 */
typedef struct PairLists
{
	uint32_t   *address;		/* of all lists, on the device; NULL if they have not been made */
	const PairBound *bound;		/* of all pairs that may be frequent, which say where their lists are */
	uint32_t	next;			/* the first bound behind that of the candidate before */
} PairLists;

typedef struct Propagation
{
	EventStream *stream;
	bool		keeps;			/* lists are kept from level to level, which is done only with a single section */
	KeptLists	lists[2];		/* of the level at hand and of the next one; they change places with each level */
	int			at_hand;		/* the one of the level at hand */
	PairLists	pairs;
	Share		share[FIM_GPU_MAX_DEVICES];
} Propagation;

/* The bytes that a share takes on a device. */
extern uint64_t ShareMemory(void);

extern cudaError_t TakeShare(EpisodesJob *job, GpuDevice *device, Share *share);

/* Candidates of a run that follow each other and are in the same device's share. */
typedef struct Portion
{
	uint32_t	run;
	uint32_t	first;			/* candidate of the batch */
	uint32_t	n;
} Portion;

/*
 * The first portion of a run; and going on to the next portion, of the same run or of the one after it.
 * Behind the last portion, portion->run becomes batch->nruns.
 */
extern Portion FirstPortion(const EpisodesJob *job, const CandidateBatch *batch, uint32_t run);
extern void NextPortion(const EpisodesJob *job, const CandidateBatch *batch, Portion *portion);

/* The device that counts a portion. */
extern int	DeviceOf(const EpisodesJob *job, const Propagation *p, const CandidateBatch *batch, const Portion *portion);

/* Candidates of a batch that are counted together. */
typedef struct Part
{
	uint32_t	first;			/* run */
	uint32_t	end;			/* the first run behind the part */
	uint32_t	found;			/* how many candidates of the batch were found before */
	uint64_t	entries;		/* of the lists of those that are found */
} Part;

/* Shares out the runs from part->first on.  part->end becomes the first run that has to wait for another part. */
extern cudaError_t DividePart(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, Part *part);

/*
 * Have a device find out which of n candidates of its share, which have been counted, are frequent; and wait
 * for them, and copy them to share->host_found.  Nothing must be copied by the device's ring in between.
 */
extern cudaError_t BeginFound(EpisodesJob *job, int device, Share *share, uint32_t n);
extern cudaError_t ReceiveFound(EpisodesJob *job, int device, Share *share);

/*
 * Makes the lists of the candidates found in a part, which have been put into the batch and are the last
 * episodes of the next level's lists.  A device makes the list of an episode that was found on another one,
 * too, because a candidate is counted many times as fast where its suffix has a list on the same device.  But
 * it does not make those for which it has no memory, or of whose
 * prefixes it has no list.
 */
extern cudaError_t MakeNextLists(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, const Part *part);

#endif							/* GPU_EPISODES_LISTS_H */
