/*-------------------------------------------------------------------------
 *
 * sliced_trie.h
 *	  Counting the trie on slices of surrogates that fit in shared memory.
 *
 * Where the stream is often silent, moments.h cuts it into slices of few events.  Then a
 * block of threads counts the whole trie on one of them, and all lists that it makes are in
 * its shared memory.  Those that find no room there are written to memory of the device that
 * the block has for that.
 *
 * What ends an occurrence of an episode ends one of its suffix.  If that has a list, which is
 * of a level less, its entries say which events come into question.
 *
 * Included by surrogate_plan.h and sliced_trie.c.
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

/* On the host; memory is the team's. */
typedef struct TriePlan
{
	bool		fits;			/* otherwise nothing else matters */
	TrieStep   *steps;			/* [n] by phase, in each first those that make lists, and of these what takes longest */
	uint32_t	n;
	uint32_t   *phase_end;		/* [phases] */
	uint32_t	phases;
	uint32_t	lists;
	uint64_t	entries;		/* of the lists of a surrogate, about */
	uint64_t	work;			/* of a surrogate: events and entries to go through once, about */
	uint32_t	slices;			/* about so many are wanted, then: those that fit */
	uint32_t	words;			/* of shared memory, see SlicedTrie */
	uint32_t	blocks;			/* that any device runs at once, at most */
	uint64_t	spill_words;	/* that a block needs at most */
	uint64_t	slice_work;		/* events and entries that it goes through at most, as often as it does */
} TriePlan;

/* What is to be done, and on how many slices.  The plan does not fit if that is too much, or too little for small slices. */
extern cudaError_t PlanTrie(EpisodesJob *job, const TestedLevels *t, TriePlan *plan);

/* Whether the slices that there are fit in the shared memory of every device of the team. */
extern cudaError_t FitTrie(EpisodesJob *job, const TestedLevels *t, const MomentPlan *moments, TriePlan *plan);

/* The bytes on a device, but for those of each block that runs there. */
extern uint64_t TrieBytes(const TriePlan *plan);
extern uint64_t TrieBlockBytes(const TriePlan *plan);

extern void FreeTriePlan(EpisodesJob *job, TriePlan *plan);

/* On a device. */
typedef struct TrieRun
{
	GpuDevice  *device;
	SlicedTrie	trie;
	uint32_t	blocks;			/* at most */
	double		work;			/* of a part */
	uint32_t	parts;			/* of the stream at hand */
	uint32_t	begun;			/* of these */
} TrieRun;

/* Has at most "room" bytes for blocks, at least those of one. */
extern cudaError_t OpenTrie(EpisodesJob *job, const TriePlan *plan, GpuDevice *device, uint64_t room, TrieRun *run);

/* Has n devices count all of their parts, by turns.  What is counted is added to trie.counted of each. */
extern cudaError_t RunTries(EpisodesJob *job, TrieRun *const *runs, int n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SLICED_TRIE_H */
