/*-------------------------------------------------------------------------
 *
 * sliced_trie_device.h
 *	  Counting the trie on slices of surrogates that fit in shared memory, on a device.
 *
 * Included by sliced_trie.c and sliced_trie_kernels.cu.
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
 * What is to be done for a node; a single type has none of the fields from "near" to "suffix".  Lists are
 * numbered by the nodes that get one.
 */
typedef struct TrieStep
{
	uint32_t	node;
	uint32_t	type;
	uint32_t	near;			/* an event can follow entries that are earlier by more than this, */
	uint32_t	far;			/* but not by more than this */
	uint32_t	prefix;			/* list to be extended; GPU_NONE: that of a type */
	uint32_t	prefix_type;	/* GPU_NONE for a single type */
	uint32_t	suffix;			/* list that ends with the events that come into question; GPU_NONE: all of the type */
	uint32_t	made;			/* list to be made; GPU_NONE: none is */
} TrieStep;

/*
 * Where a list is that has been made, or the events of a type, which have no starts: from this word on, in a
 * block's shared memory or, beyond that, in its spill.
 */
typedef struct MadeList
{
	uint32_t	at;				/* starts follow the ends */
	uint32_t	n;
} MadeList;

/*
 * Parts are slices of surrogates, as they follow each other in the stream.  Moments are times there.  All
 * arrays are on the device.
 */
typedef struct SlicedTrie
{
	DeviceStream stream;
	const TrieStep *steps;
	const uint32_t *phase_end;	/* [phases] steps up to this one need only lists that are made in phases before */
	uint32_t	phases;
	uint32_t	lists;
	uint32_t	ntypes;
	uint32_t	nodes;
	uint32_t	slices;			/* parts of a surrogate */
	uint32_t	words;			/* of shared memory for events and lists; events take no more */
	uint32_t   *spill;			/* [blocks][spill_words] for lists that do not fit; enough for all of a part */
	uint64_t	spill_words;
	Counted    *counted;		/* [surrogates][nodes] to which supports are added */
} SlicedTrie;

static inline size_t
SharedForTrie(uint32_t lists, uint32_t ntypes, uint64_t words)
{
	return sizeof(MadeList) * lists + sizeof(uint32_t) * (ntypes + 1 + words);
}

/* The shared memory that a block can have, in bytes; and how many blocks run at once if each has so much. */
extern cudaError_t MostSharedForTrie(GpuDevice *device, size_t *bytes);
extern cudaError_t BlocksForTrie(GpuDevice *device, size_t bytes, uint32_t *blocks);

/* Parts from "first" to end - 1, on so many blocks at most.  The device is the current one. */
extern cudaError_t CountSlicedTrie(GpuDevice *device, const SlicedTrie *trie, uint32_t first, uint32_t end,
								   uint32_t blocks);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SLICED_TRIE_DEVICE_H */
