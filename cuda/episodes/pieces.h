/*-------------------------------------------------------------------------
 *
 * pieces.h
 *	  What the stream can be cut into: partitions, and parts of the large ones.
 *
 * An occurrence that ends in a part of a partition may begin before it, but not further
 * back than the gaps reach.  The events before the part with which such an occurrence may begin are
 * its halo.  A gap without an upper bound reaches back to the beginning of the partition, so with
 * such a gap no partition is cut.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_EPISODE_PIECES_H
#define FIM_GPU_EPISODE_PIECES_H

#include "episodes/episodes_job.h"

/* Events of one partition. */
typedef struct StreamPiece
{
	uint32_t	partition;
	uint32_t	begin;
	uint32_t	end;
} StreamPiece;

/* Before the first piece of a stream. */
#define NO_PIECE	((StreamPiece) {0, 0, 0})

/* Goes on to the next piece that has events.  Returns false if there is none. */
extern bool NextPiece(const FimEpisodesData *data, StreamPiece *piece);

/*
 * The first event of the halo of a piece, for episodes of at most "length" events; the piece's own if it has
 * no halo.
 */
extern uint32_t HaloBegin(const FimEpisodesData *data, const StreamPiece *piece, uint32_t length);

/*
 * The events that a section has to have room for at the least: those of any piece with its halo, and so many
 * that there are not too many sections where partitions are small.
 */
extern uint32_t LeastSection(const FimEpisodesData *data, uint32_t length);

#endif							/* FIM_GPU_EPISODE_PIECES_H */
