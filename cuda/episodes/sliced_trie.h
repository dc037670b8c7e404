/*-------------------------------------------------------------------------
 *
 * sliced_trie.h
 *	  Counting the trie on slices of surrogates that fit in shared memory.
 *
 * Where the stream is often silent, moments.h cuts it into slices of few events.  Then a
 * block of threads counts the whole trie on one slice.  It keeps the slice's events and the lists
 * of occurrences that it makes in shared memory.  Each block also has some global memory, its
 * spill, for the lists that find no room in shared memory.
 *
 * An event that ends an occurrence of an episode also ends one of the episode's suffix.  The suffix
 * is one level higher up, so its list, if it gets one, is made earlier, and the ends of its entries
 * are the only events that need to be tried.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SLICED_TRIE_H
#define FIM_SLICED_TRIE_H

#include "episodes/moments.h"
#include "episodes/sliced_trie_device.h"
#include "episodes/tested_levels.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * How the trie is counted on slices of surrogates.
 */

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
 * Completes the plan for the slices that PlanMoments() has cut.  It no longer fits if one of them has too
 * many events or takes too long, if some device of the team has too little shared memory, or if most of the
 * lists would find no room there.
 */
extern cudaError_t FitTrie(EpisodesJob *job, const TestedLevels *t, const MomentPlan *moments, TriePlan *plan);

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

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SLICED_TRIE_H */
