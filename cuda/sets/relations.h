/*-------------------------------------------------------------------------
 *
 * relations.h
 *	  The two relations on a device.
 *
 * Values are given by rank: the value with most keys has rank 0.  All addresses are of device
 * memory.  If one relation is both sides, both sides have the same arrays.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_RELATIONS_H
#define FIM_RELATIONS_H

#include "sets/cell_rule.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct DeviceSide
{
	uint64_t   *start;			/* [nvalues + 1] where each value's keys begin in "key" */
	uint32_t   *key;			/* [npairs] ascending for each value */
	uint32_t	nvalues;
	uint32_t	longest;		/* the most keys of a value */
	uint64_t	npairs;
} DeviceSide;

/* Given to kernels by value. */
typedef struct Relations
{
	DeviceSide	left;
	DeviceSide	right;
	uint64_t   *key_start;		/* [nkeys + 1] where each key's values begin in "rank" */
	uint32_t   *rank;			/* [right.npairs] the right values of each key, ascending for each */
	uint32_t	nkeys;
	CellRule	rule;
} Relations;

/* ---- relations_sort.cu, for transfer.c ---- */

/* Writes the rank of each pair of a side: rank[start[r]] .. rank[start[r + 1] - 1] become r. */
extern cudaError_t ExpandRanks(GpuDevice *device, const DeviceSide *side, uint32_t *rank);

/* A stable sort of pairs by their keys, from "key" and "rank" to "sorted_key" and "sorted_rank". */
typedef struct KeySort
{
	const uint32_t *key;
	const uint32_t *rank;
	uint32_t   *sorted_key;
	uint32_t   *sorted_rank;
	uint64_t	npairs;
	uint32_t	nkeys;
	void	   *scratch;
	size_t		scratch_bytes;
} KeySort;

extern cudaError_t KeySortScratch(uint64_t npairs, uint32_t nkeys, size_t *bytes);
extern cudaError_t SortByKey(GpuDevice *device, const KeySort *sort);

/*
 * Sets key_start[k] to where key k begins in an ascending array of npairs keys, and key_start[nkeys]
 * to npairs.
 */
extern cudaError_t FindKeyStarts(GpuDevice *device, const uint32_t *key, uint64_t npairs, uint32_t nkeys,
								 uint64_t *key_start);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

static __device__ __forceinline__ uint32_t
SizeOf(const DeviceSide &side, uint32_t rank)
{
	return (uint32_t) (side.start[rank + 1] - side.start[rank]);
}

/* CellResults() of two ranks.  The sizes of their sets are read only if similar sets are to be found. */
static __device__ __forceinline__ uint32_t
ResultsOfCell(const Relations &r, uint32_t row, uint32_t right, uint32_t witnesses)
{
	bool		sizes = r.rule.result == FIM_SETS_SIMILAR && witnesses > 0;

	return CellResults(r.rule, row, right, witnesses, sizes ? SizeOf(r.left, row) : 0,
					   sizes ? SizeOf(r.right, right) : 0);
}

#endif							/* __CUDACC__ */

#endif							/* FIM_RELATIONS_H */
