/*-------------------------------------------------------------------------
 *
 * sliced_trie_plan.h
 *	  How the trie is counted on slices of surrogates.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SLICED_TRIE_PLAN_H
#define FIM_SLICED_TRIE_PLAN_H

#include "episodes/sliced_trie_device.h"

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

#endif							/* FIM_SLICED_TRIE_PLAN_H */
