/*-------------------------------------------------------------------------
 *
 * sliced_trie_device.h
 *	  Counting the trie on slices of surrogates that fit in shared memory, on a device.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SLICED_TRIE_DEVICE_H
#define FIM_SLICED_TRIE_DEVICE_H

#include "episodes/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

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
 * the batch's stream, where moments are times.  All arrays are on the device.
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

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SLICED_TRIE_DEVICE_H */
