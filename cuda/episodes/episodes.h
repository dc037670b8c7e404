/*-------------------------------------------------------------------------
 *
 * episodes.h
 *	  Mining serial episodes on devices: the job, the stream of events as it lies there, its sections,
 *	  the level-wise search, and the jobs of each kind.
 *
 * There is one job at a time.  Functions return a cudaError_t, as those of the device floor do, and the job
 * ends with the first that is not cudaSuccess.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_EPISODES_H
#define GPU_EPISODES_H

#include "device.h"
#include "team.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/episodes/episodes.h"

/*
 * A job of mining serial episodes on devices.
 */

/*
 * Events that follow each other and are on the devices at the same time.  The partitions are those that have
 * such events; the first and the last partition may have other events, too.
 */
typedef struct Section
{
	uint32_t	first_event;
	uint32_t	events;
	uint32_t	first_partition;
	uint32_t	partitions;
} Section;

static inline Section
AllEvents(const FimEpisodesData *data)
{
	return (Section) {0, data->events, 0, data->partitions};
}

typedef struct EpisodesJob
{
	GpuTeam		team;
	const FimEpisodesSpec *spec;
	const FimEpisodesData *data;
	FimEpisodesGpuStrategy strategy; /* never "auto" */
	FimSink    *sink;
	uint64_t   *summary;		/* NULL unless the job only counts */

	uint32_t	longest;		/* the most events of an episode that is given out */
	uint32_t	deepest;		/* the same, and one more if longer episodes tell which are closed or maximal */
	uint32_t   *met_by;			/* [data->ntypes] the requirement that a type meets; NULL if there are none */

	/* what is on the devices: all of the data, or a section of them, see sections.c */
	Section		section;
	uint32_t   *start;			/* [data->ntypes + 1] the place of each type's first event */
	uint32_t	most_events;	/* of a type */
	uint64_t	least;			/* supports below that need not be exact: minsup, or 1 with more than one section */
} EpisodesJob;

/* The events of a type that are on the devices. */
static inline uint32_t
EventsOf(const EpisodesJob *job, uint32_t type)
{
	return job->start[type + 1] - job->start[type];
}

/* Events that the host goes through between two looks at whether the job is to stop. */
#define EVENTS_AT_ONCE	(UINT32_C(1) << 16)

/* To be called for every few steps of the host's, of about a nanosecond each. */
static inline cudaError_t
HostWork(EpisodesJob *job, uint64_t work)
{
	return GpuWork(&job->team, work) ? GPU_STOPPED : cudaSuccess;
}

/*
 * stream.c: The events as they lie on the devices.
 *
 * Events are in places: those of one type lie together, in the order of the stream.
 * Times do not matter any more, because it is known how far back the edges of the gaps
 * reach from each event.  back[edge] is the first event of its partition that is less than the
 * edge's length earlier.  So under a gap, an event can follow the events from back[high edge]
 * to the one before back[low edge].  Edge 0 is the least length above 0, so back[0] is the first
 * event of the same time.  It stands for the time itself and is called the event's instant.  One
 * event is later than another, or in a later partition, if its instant is greater.  In surrogates,
 * instants may be times, see surrogates.h.
 */

/*
 * Times of events in half of their bytes, on their way to the devices.
 *
 * Events that follow each other are usually not far apart in time.  So a packet of them has the time
 * of its first event in 64 bits, and how much later each event is in 32 bits.
 */

#define PACKED_EVENTS	1024

/* A packet: the times of PACKED_EVENTS events.  Its size is a multiple of 16 bytes. */
typedef struct PackedTimes
{
	int64_t		first;
	int64_t		unused;
	int32_t		later[PACKED_EVENTS]; /* less than 0 where a partition begins before the first event's time */
} PackedTimes;

/* On a device; all arrays are there. */
typedef struct DeviceStream
{
	uint32_t   *back;			/* [nedges][events] by place; only instants, [1][events], if there is "reach" */
	uint32_t   *start;			/* [ntypes + 1] the first place of each type */
	FimGapEdges *gap;			/* [ngaps] */
	const uint32_t *reach;		/* [nedges] how far back each edge reaches, if that is equally far from all instants;
								 * otherwise NULL */
	uint32_t   *type;			/* [events] in the order of the stream */
	uint32_t	events;
	uint32_t   *back_of;		/* [nedges][events] in the order of the stream with STREAM_BY_EVENT; otherwise only
								 * instants, [1][events] */
} DeviceStream;

typedef struct EventStream
{
	DeviceStream on[FIM_GPU_MAX_DEVICES];
} EventStream;

/* How a strategy wants the stream. */
typedef enum StreamForm
{
	STREAM_BY_PLACE,
	STREAM_BY_EVENT				/* by place, and in the order of the stream, too, to walk along it */
} StreamForm;

/* The bytes that a section takes on a device: while its stream is made, or afterwards. */
extern uint64_t StreamMemory(const FimEpisodesData *data, const Section *section, StreamForm form, bool making);

/* Puts the events of the job's section on all devices of its team.  Does not wait until they are there. */
extern cudaError_t StreamOpen(EpisodesJob *job, EventStream *stream, StreamForm form);

/* Copies the stream from the first device of the team to another one. */
extern cudaError_t StreamCopy(EpisodesJob *job, EventStream *stream, StreamForm form, int device);

/* Frees the stream's memory, once the work is done that the counting streams have been given. */
extern cudaError_t StreamClose(EpisodesJob *job, EventStream *stream);

/*
 * What makes the stream on a device.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 */

/*
 * Sorting events by type.  The types are in "narrow", or in "types", or in type[0].  Sorting writes to both
 * arrays of "type" and of "event".
 */
typedef struct TypeSort
{
	uint32_t   *types;			/* [events], which are copied to type[0]; NULL if they are there */
	const uint16_t *narrow;		/* [events], copied to "types" first; NULL if those are there; may lie in type[1] */
	uint32_t   *type[2];		/* [events] */
	uint32_t   *event[2];		/* [events] */
	void	   *scratch;
	size_t		scratch_bytes;
	uint32_t	events;
	uint32_t	ntypes;
} TypeSort;

/* Sets *bytes to the scratch memory that SortByType() needs. */
extern cudaError_t TypeSortScratch(uint32_t events, uint32_t ntypes, size_t *bytes);

/*
 * Sorts the events by type, and those of a type by number.  *event becomes the array of sort->event that has
 * their numbers.
 */
extern cudaError_t SortByType(GpuDevice *device, const TypeSort *sort, uint32_t **event);

/* Finding how far back the edges reach from the events. */
typedef struct BackSearch
{
	const FimTime *time;		/* [events]; not used if there is "packed" */
	const PackedTimes *packed;	/* the times packed; NULL if they are not */
	const uint32_t *partition;	/* [partitions + 1] the first event of each */
	const uint64_t *edge;		/* [nedges] ascending */
	const uint32_t *event;		/* [events] the event at each place; NULL if places are events */
	uint32_t   *back;			/* [nedges][events] the result, by place */
	uint32_t   *instant_of;		/* [events] the result for edge 0, by event; NULL if it is not wanted */
	uint32_t	partitions;
	uint32_t	events;
	uint32_t	nedges;
	bool		real;
} BackSearch;

/* Fills in the results for the places from "first" to end - 1. */
extern cudaError_t FindBack(GpuDevice *device, const BackSearch *search, uint32_t first, uint32_t end);

/*
 * sections.c: Streams that devices have no room for at once: section by section.
 *
 * Occurrences lie within a partition.  So the support of an episode is the sum of its
 * supports in sections of whole partitions, and each section can be counted as if it
 * were a stream of its own.  A stream for which there is room has one section.
 *
 * A section that begins within a partition also has the last events of the section before it, the
 * halo: those with which an occurrence may begin that ends behind them.  Occurrences are taken
 * greedily by their ends, so all that counting has to know of the sections before is the end of the
 * last occurrence taken.  Occurrences that end in the halo begin before that instant, and so are not
 * counted twice.
 */

/*
 * The least bytes of a device that a strategy takes beside the stream, if no type has more than most_events
 * events.
 */
typedef uint64_t (*CountingMemory) (const EpisodesJob *job, uint32_t most_events);

typedef struct CutSection
{
	Section		section;
	uint32_t	halo;			/* how many of its events are in the section before it, too */
	uint32_t   *start;			/* as in EpisodesJob */
	uint32_t	most_events;	/* of a type */
} CutSection;

typedef struct Sections
{
	StreamForm	form;
	CountingMemory counting;
	uint64_t	room;			/* bytes of a device for a section and for counting in it */
	uint32_t	most_events;	/* of a type in all of the stream */
	uint32_t	length;			/* halos are long enough for episodes of so many events */
	bool		halos;			/* some section has a halo */
	CutSection *cut;			/* [n] */
	uint64_t	cut_room;
	uint32_t	n;
	uint32_t	at;				/* the section that is on the devices; n if none is */
	EventStream stream;			/* its events */
} Sections;

/*
 * The bytes of a device that a job takes with one section, and the least bytes, with as many sections as make
 * sense.
 */
extern uint64_t MemoryOfOne(const EpisodesJob *job, StreamForm form, CountingMemory counting);
extern uint64_t MemoryOfMany(const EpisodesJob *job, StreamForm form, CountingMemory counting);

/* Makes as few sections as the team's devices have room for, and puts the first one there. */
extern cudaError_t SectionsOpen(EpisodesJob *job, StreamForm form, CountingMemory counting, Sections *sections);

/*
 * Makes halos long enough for episodes of so many events.  If there are halos and they are too short, all
 * sections are cut anew, and the first one is put on the devices.
 */
extern cudaError_t SectionsLengthen(EpisodesJob *job, Sections *sections, uint32_t length);

/* Puts a section on the devices, in the place of the one that is there, unless it is there already. */
extern cudaError_t SectionsTurnTo(EpisodesJob *job, Sections *sections, uint32_t number);

/*
 * search.c: The level-wise search that all strategies of this family share.
 *
 * Prefix and suffix of a frequent episode are frequent.  So a level's candidates are
 * joined from the episodes that are one event shorter.  The episode without one of its inner
 * events need not be frequent, because its gaps are different ones.
 */

/*
 * The frequent episodes of each length, as a tree.
 *
 * An episode is known by its prefix, which is an episode of the level before, and by the gap
 * and the type at its end.  Its suffix, the episode without its first event, is an episode of
 * the level before, too.  A candidate of the next level is an episode to which the end of another
 * one is added, whose prefix is the first one's suffix.  Level 0 stands for the empty episode, and has no arrays.
 */

/* What is known of an episode, and is kept until longer ones have been found. */
typedef struct Finding
{
	uint64_t	support;
	uint32_t	suffix;
	uint32_t	missing;		/* requirements that it does not meet */
	bool		subsumed;		/* a longer episode shows that it is not closed or maximal */
} Finding;

/* The frequent episodes of a length.  Prefixes ascend, and episodes of the same prefix ascend by gap and type. */
typedef struct EpisodeLevel
{
	uint32_t	length;
	uint32_t	n;
	uint64_t	room;			/* episodes that the arrays have room for */
	uint32_t   *prefix;			/* [n] number in the level before */
	uint32_t   *gap;			/* [n] before the last type; not used at level 1 */
	uint32_t   *type;			/* [n] the last type */
	Finding    *finding;		/* [n]; NULL once it is not wanted any more */
	uint32_t   *child;			/* [number of prefixes + 1] the first episode of each; NULL until FinishLevel() */
} EpisodeLevel;

/* All levels up to the one at hand, from level 0 on. */
typedef struct EpisodeLevels
{
	EpisodeLevel *level;
	uint32_t	n;
	uint64_t	room;
} EpisodeLevels;

/* Writes the types[length] and gaps[length - 1] of an episode. */
extern void WriteEpisode(const EpisodeLevels *levels, uint32_t length, uint32_t number, uint32_t *types,
						 uint32_t *gaps);

/*
 * What the level-wise search asks of a strategy: to count batches of candidates.
 */

/* Candidates that begin with the same episode, and end with episodes that follow each other in their level. */
typedef struct CandidateRun
{
	uint32_t	first;			/* candidate of the batch; the run ends before the first one of the next run */
	uint32_t	prefix;
	uint32_t	suffix;			/* of the first candidate; those of the others follow it in the level */
	uint32_t	gap;			/* before the last type; GPU_NONE: the one that each suffix has there */
} CandidateRun;

/* The most candidates of a batch. */
#define BATCH_ROOM	(1u << 17)

/* Candidates that are counted together, in the order of search.c. */
typedef struct CandidateBatch
{
	const EpisodeLevels *levels; /* the last level but one has the candidates' prefixes and suffixes */
	bool		extended;		/* candidates that are frequent will be extended in their turn */
	uint32_t	n;
	CandidateRun *run;			/* [nruns], with room for BATCH_ROOM */
	uint32_t	nruns;

	/* to be filled in: the candidates whose support is not below job->least, and their supports */
	uint32_t	nfound;
	uint32_t   *found;			/* [nfound] ascending, with room for BATCH_ROOM */
	uint32_t   *support;		/* [BATCH_ROOM] by candidate; need not be right for those that are not found */

	/*
	 * [n] the first instant at which the next occurrence of each candidate may begin, to be brought up to date
	 * when it is counted.  NULL: occurrences may begin anywhere.
	 */
	uint32_t   *free;
} CandidateBatch;

static inline uint32_t
EndOfRun(const CandidateBatch *batch, uint32_t run)
{
	return run + 1 < batch->nruns ? batch->run[run + 1].first : batch->n;
}

/* The level that has the candidates' prefixes and suffixes. */
static inline const EpisodeLevel *
LevelOfBatch(const CandidateBatch *batch)
{
	return &batch->levels->level[batch->levels->n - 2];
}

/* A candidate: its prefix, and the gap and the type at its end. */
typedef struct Candidate
{
	uint32_t	prefix;
	uint32_t	gap;
	uint32_t	type;
} Candidate;

/*
 * Returns candidate c of the batch.  *run must be the candidate's run or one before it, and becomes the
 * candidate's: it begins with 0, and can be passed on while candidates ascend.
 */
static inline Candidate
CandidateAt(const CandidateBatch *batch, uint32_t c, uint32_t *run)
{
	const EpisodeLevel *level = LevelOfBatch(batch);
	const CandidateRun *of;
	uint32_t	suffix;

	while (EndOfRun(batch, *run) <= c)
		++*run;
	of = &batch->run[*run];
	suffix = of->suffix + c - of->first;
	return (Candidate) {of->prefix, of->gap != GPU_NONE ? of->gap : level->gap[suffix], level->type[suffix]};
}

/* Fills in which candidates are found, from the supports of all of them. */
static inline void
ChooseFound(CandidateBatch *batch, uint64_t least)
{
	batch->nfound = 0;
	for (uint32_t c = 0; c < batch->n; c++)
	{
		batch->found[batch->nfound] = c;
		batch->nfound += batch->support[c] >= least;
	}
}

/* An upper bound of the support of a pair of types under a gap. */
typedef struct PairBound
{
	uint32_t	pair;			/* (first type * ngaps + gap) * ntypes + second type */
	uint32_t	bound;
	uint32_t	at;				/* if lists of pairs are made: the entries of the lists before this pair's */
} PairBound;

typedef struct PairBounds
{
	bool		known;
	uint32_t	n;
	PairBound  *bound;			/* [n] ascending by pair; pairs left out are below job->least; NULL if not known */
} PairBounds;

/* What a strategy does with the section that is on the devices.  "of" is the strategy's own data. */
typedef struct SearchStrategy
{
	/*
	 * Finds upper bounds of the supports of pairs of types, if that pays; nfrequent types are frequent.
	 * bounds->bound is host memory of the team, which the caller frees.  The function may be NULL.
	 */
	cudaError_t (*bound_pairs) (EpisodesJob *job, void *of, uint32_t nfrequent, PairBounds *bounds);

	/* Counts the candidates of a batch, and fills in what is found. */
	cudaError_t (*count) (EpisodesJob *job, void *of, CandidateBatch *batch);

	/*
	 * Is told that all candidates of a level have been counted, and the next ones are one event longer.  May
	 * be NULL.
	 */
	cudaError_t (*end_level) (EpisodesJob *job, void *of);
} SearchStrategy;

/* Finds the episodes that the job asks for and gives them out.  "of" is passed on to the strategy. */
extern cudaError_t SearchEpisodes(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy, void *of);

/*
 * propagate.c: The strategy "propagate": latest-start propagation, level by level.
 */

/* The least bytes of a device that this takes beside the stream, if no type has more than most_events events. */
extern uint64_t PropagateLeast(uint32_t most_events);

extern cudaError_t PropagateMine(EpisodesJob *job, Sections *sections);

/*
 * one_episode.c: The job of counting a given episode, or of listing its occurrences.
 */

/* The bytes of a device that this takes beside the stream. */
extern uint64_t OneEpisodeMemory(const FimEpisodesSpec *spec, const FimEpisodesData *data);

/* One of the team's devices does all of it. */
extern cudaError_t OneEpisode(EpisodesJob *job, EventStream *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_EPISODES_H */
