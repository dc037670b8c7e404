/*-------------------------------------------------------------------------
 *
 * bitmaps.h
 *	  Vertical bitmaps on the devices: building and counting, see bitmaps_plan.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BITMAPS_H
#define FIM_BITMAPS_H

#include "itemsets/bitmaps_plan.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * A function that is called when everything that sets a block's bits has been put into the
 * streams.  It may put more work for the block into the first loading stream.  "number" is the
 * number of the block if blocks are resident, and otherwise of its slot.
 */
typedef struct BitmapsBuilt
{
	void		(*function) (void *of, int device, uint32_t number, const BitView *view);
	void	   *of;
} BitmapsBuilt;

/*
 * What is counted in blocks.  begin() is called before the launches for a block, or for all
 * blocks together if they are resident, and returns whether there is anything to count on the
 * device.  launch() launches some of the counting, which must not take long, and returns
 * whether there is more to count.
 */
typedef struct BitmapsWork
{
	BitmapsBuilt built;
	bool		(*begin) (void *of, int device);
	bool		(*launch) (void *of, int device, const BitView *view, uint32_t number,
						   uint32_t nblocks);
	void	   *of;
} BitmapsWork;

/* Builds the blocks that are not on the devices, and counts in all blocks. */
extern void BitmapsCount(ItemsetJob *job, Bitmaps *bitmaps, const BitmapsWork *work);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

static __device__ __forceinline__ uint32_t
CountChunk(uint4 x)
{
	return __popc(x.x) + __popc(x.y) + __popc(x.z) + __popc(x.w);
}

static __device__ __forceinline__ uint4
AndChunk(uint4 a, uint4 b)
{
	a.x &= b.x;
	a.y &= b.y;
	a.z &= b.z;
	a.w &= b.w;
	return a;
}

#endif							/* __CUDACC__ */

#endif							/* FIM_BITMAPS_H */
