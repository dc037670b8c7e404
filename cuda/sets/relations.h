/*-------------------------------------------------------------------------
 *
 * relations.h
 *	  The two relations on a device.
 *
 * Values are ranks: the value with most keys has rank 0.  All addresses are of device memory.
 * If one relation is both sides, both have the same arrays.
 *
 * Included by sets_job.h and relations_sort.cu.
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
	uint64_t   *start;			/* [nvalues + 1] */
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
	uint64_t   *key_start;		/* [nkeys + 1] */
	uint32_t   *rank;			/* [right.npairs] the right values of each key, ascending */
	uint32_t	nkeys;
	CellRule	rule;
} Relations;

/* ---- relations_sort.cu, for transfer.c ---- */

/* A side's rank for each of its pairs: rank[start[r]] .. rank[start[r + 1] - 1] become r. */
extern cudaError_t ExpandRanks(GpuDevice *device, const DeviceSide *side, uint32_t *rank);

/*
 * Sorts pairs of a key and a rank by key, stably: from key and rank to sorted_key and sorted_rank.
 */
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

/* Where each key begins in an ascending array of keys, and behind the last key npairs. */
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

/* CellResults() of two ranks; the sizes of their sets are read only if the task is to find similar ones. */
static __device__ __forceinline__ uint32_t
ResultsOfCell(const Relations &r, uint32_t row, uint32_t right, uint32_t witnesses)
{
	bool		sizes = r.rule.result == FIM_SETS_SIMILAR && witnesses > 0;

	return CellResults(r.rule, row, right, witnesses, sizes ? SizeOf(r.left, row) : 0,
					   sizes ? SizeOf(r.right, right) : 0);
}

#endif							/* __CUDACC__ */

#endif							/* FIM_RELATIONS_H */
