/*-------------------------------------------------------------------------
 *
 * tails_device.h
 *	  The nodes of a level on a device.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TAILS_DEVICE_H
#define FIM_TAILS_DEVICE_H

#include "probable/lines.h"
#include "probable/tails.h"

#define PIECE			TAIL_PIECE

/* A node's window in its slot, in the memory of the device or of a block. */
struct NodeWindow
{
	const double *pieces;		/* the window's first coefficient */
	uint32_t	n;				/* pieces */
	uint32_t	offset;			/* the support whose probability the first coefficient is */
};

static __device__ __forceinline__ NodeWindow
NodeIn(const TailNodes &nodes, uint32_t number)
{
	uint32_t	first = nodes.first[number];
	NodeWindow	node;

	node.pieces = nodes.slots + ((uint64_t) number * nodes.slot_pieces + first) * PIECE;
	node.n = nodes.end[number] - first;
	node.offset = nodes.offset[number] + first * PIECE;
	return node;
}

#endif							/* FIM_TAILS_DEVICE_H */
