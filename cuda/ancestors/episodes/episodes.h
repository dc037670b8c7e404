/*-------------------------------------------------------------------------
 *
 * episodes.h
 *	  Strategies that count candidates one by one, after Feng, Cao, Patnaik and Ramakrishnan,
 *	  "Temporal Data Mining for Neuroscience" (GPU Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_ANCESTORS_EPISODES_H
#define GPU_ANCESTORS_EPISODES_H

#include "episodes/episodes.h"

/*
 * cohorts.c: Candidates on a device with all of their types and gaps, as the ancestors' strategies
 * count them.
 */

#ifdef __cplusplus
extern "C"
{
#endif

/* Candidates of a batch that are to be counted. */
typedef struct Chosen
{
	CandidateBatch *batch;
	const uint32_t *number;		/* [n] ascending; NULL if all candidates are */
	uint32_t	n;
} Chosen;

static inline uint32_t
ChosenNumber(const Chosen *chosen, uint32_t i)
{
	return chosen->number != NULL ? chosen->number[i] : i;
}

/* Candidates that a device counts together.  Arrays are on the device; what belongs to a place lies together. */
typedef struct CandidateCohort
{
	GpuDevice  *device;
	const DeviceStream *stream;
	uint32_t	length;			/* of the candidates */
	uint32_t	first;			/* number of the first one among those chosen */
	uint32_t	n;
	uint32_t   *types;			/* [length][n] */
	uint32_t   *gaps;			/* [length - 1][n] */
	uint32_t   *support;		/* [n], 0 at first */
	uint32_t   *free;			/* [n] the first instant at which the next occurrence may begin, from the batch */
} CandidateCohort;

/* The most words of types of a cohort; and the most candidates of a cohort if they have this length, at least 1. */
#define COHORT_WORDS		(1u << 20)

extern uint32_t CohortMost(uint32_t length);

/* Puts cohort->n of the candidates chosen, from cohort->first on, on cohort->device. */
extern cudaError_t OpenCohort(EpisodesJob *job, const Chosen *chosen, CandidateCohort *cohort);

/* Takes memory on a device for n words, which are 0. */
extern cudaError_t TakeZeroes(GpuDevice *device, uint64_t n, uint32_t **to);

/* Waits for the supports, puts them and "free" into the batch, and frees the cohort's arrays. */
extern cudaError_t CloseCohort(EpisodesJob *job, const Chosen *chosen, CandidateCohort *cohort);

/*
 * walkers.c: Counting candidates by walking along the stream with each of them.
 */

/* The least bytes of a device that this takes beside the stream, if no type has more than most_events events. */
extern uint64_t WalkersLeast(uint32_t most_events);

/*
 * The strategy "state_machine": an automaton for each candidate.
 */

/* The sections' form must be STREAM_BY_EVENT. */
extern cudaError_t StateMachineMine(EpisodesJob *job, Sections *sections);

/*
 * The strategy "two_pass": upper bounds first, and then the candidates whose bounds are high enough are
 * counted in one of the two other ways, depending on how many they are.
 */

/* The sections' form must be STREAM_BY_EVENT. */
extern cudaError_t TwoPassMine(EpisodesJob *job, Sections *sections);

/*
 * automata.cu: A thread for each candidate, which walks along the stream: Algorithm 1, an automaton, and
 * Algorithm 4, PreElim, of Feng, Cao, Patnaik and Ramakrishnan, "Temporal Data Mining for Neuroscience" (GPU
 * Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 * doc/episode_mining.md says what had to be corrected.
 */

/*
 * An automaton has a list for each place of its candidate but the last.  The list has the events that end a
 * chain up to that place, if the chain began after the last occurrence ended.  All arrays are on the device.
 */
typedef struct Automata
{
	CandidateCohort cohort;
	uint32_t   *first;			/* [length - 1][n] the first event of each list that has not expired */
	uint32_t   *end;			/* [length - 1][n] the end of each list */
	uint64_t   *at;				/* [length - 1][n] where each list begins in "events" */
	uint32_t   *events;			/* of all lists */
} Automata;

/*
 * Walks along the stream, from event "from" to the one before "to".  Before event 0, "first" and "end" have
 * to be 0.
 */
extern cudaError_t WalkAutomata(GpuDevice *device, const Automata *automata, uint32_t from, uint32_t to);

/*
 * PreElim: upper bounds of the supports, which are the supports without the gaps' lower bounds.  For these,
 * only the latest event at each place has to be known.
 */
typedef struct UpperBounds
{
	CandidateCohort cohort;
	uint32_t   *latest;			/* [length][n] 1 more than this event's number; 0 if there is none, as before event 0 */
} UpperBounds;

extern cudaError_t WalkUpperBounds(GpuDevice *device, const UpperBounds *bounds, uint32_t from, uint32_t to);

/*
 * chains.cu: Finding the occurrences of candidates on a device: the search for next events and Algorithm 2
 * of Feng, Cao, Patnaik and Ramakrishnan, "Temporal Data Mining for Neuroscience" (GPU Computing Gems,
 * Emerald Edition, 2011, chapter 15).
 *
 * An event of the first type of a candidate is a beginning.  The beginnings of all candidates of a
 * cohort are numbered by candidate and then by event.  A chain is an occurrence as far as it has been
 * found: its beginning, and the instant of the event with which it ends so far.  Two chains that have
 * both in common are kept as one, since the same events can follow them.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 */

/*
 * A chain: the number of its beginning among those at hand in the upper 32 bits, and its instant in the lower
 * ones.
 */
typedef uint64_t Chain;

/* The events with which a chain goes on, of the type that comes next: places from "first" on. */
typedef struct NextEvents
{
	uint32_t	first;
	uint32_t	n;
} NextEvents;

/* The beginnings at hand: n of the cohort's beginnings, from "first" on. */
typedef struct Beginnings
{
	CandidateCohort cohort;
	const uint64_t *at;			/* [cohort.n + 1] the first beginning of each candidate */
	uint64_t	first;
	uint32_t	n;
	uint32_t   *candidate;		/* [n] the candidate of each */
	uint32_t   *start;			/* [n] the instant of each */
} Beginnings;

/* Writes a chain for each beginning, and sets the beginnings' candidates and starts. */
extern cudaError_t BeginChains(GpuDevice *device, const Beginnings *beginnings, Chain *chains);

/*
 * Count: sets found[n] to the events at a place of the candidates that each of chains[n] goes on with.  An
 * event that two chains of the same beginning can go on with is found by the first of them only.  The chains
 * are sorted.
 */
extern cudaError_t CountNext(GpuDevice *device, const Beginnings *beginnings, uint32_t place, const Chain *chains,
							 uint32_t n, NextEvents *found);

/*
 * Scan: sets sums[n + 1] to where each chain has to write, and, in sums[n], to the number of all longer
 * chains.
 */
extern cudaError_t ScanScratch(uint32_t n, size_t *bytes);
extern cudaError_t ScanFound(GpuDevice *device, void *scratch, size_t bytes, const NextEvents *found, uint32_t n,
							 uint64_t *sums);

/* Write: puts the longer chains, each chain with each event that it found, to where the sums say. */
extern cudaError_t WriteNext(GpuDevice *device, const Beginnings *beginnings, const Chain *chains, uint32_t n,
							 const NextEvents *found, const uint64_t *sums, Chain *to);

/*
 * All of it at once: writes as many longer chains as there is room for, in any order.  Adds their full number
 * to *total.
 */
extern cudaError_t CompactNext(GpuDevice *device, const Beginnings *beginnings, uint32_t place, const Chain *chains,
							   uint32_t n, Chain *to, uint64_t room, uint64_t *total);

/* Sorts chains.  *sorted becomes the one of the two arrays, "chains" and "other", that then has them. */
extern cudaError_t SortScratch(uint32_t n, size_t *bytes);
extern cudaError_t SortChains(GpuDevice *device, void *scratch, size_t bytes, Chain *chains, Chain *other,
							  uint32_t n, Chain **sorted);

/*
 * Algorithm 2 for each candidate of which there are chains: takes the occurrence that ends first among those
 * that begin after the last one taken ended.  Chains come by their starts and then by their ends.  This order
 * does as well, since of two starts, the later one has no earlier first end than the other.
 */
extern cudaError_t TakeChains(GpuDevice *device, const Beginnings *beginnings, const Chain *chains, uint32_t n);

/*
 * occurrence.c: The strategies "occurrence" and "occurrence_scan": all occurrences of a candidate are found,
 * and then as many as possible are taken that do not overlap.
 */

/* How threads find where to write what they have found. */
typedef enum Compaction
{
	BY_ATOMICS,					/* an atomic counter says where, and the results are sorted */
	BY_SCAN						/* all threads count first, and then write to where the sums say */
} Compaction;

/* The least bytes of a device that this takes beside the stream, if no type has more than most_events events. */
extern uint64_t OccurrenceLeast(uint32_t most_events);

/* Sets the supports of the candidates chosen in their batch. */
extern cudaError_t CountByChains(EpisodesJob *job, const EventStream *stream, const Chosen *chosen,
								 Compaction compaction);

extern cudaError_t OccurrenceMine(EpisodesJob *job, Sections *sections, Compaction compaction);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_ANCESTORS_EPISODES_H */
