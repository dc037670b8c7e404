/*-------------------------------------------------------------------------
 *
 * pieces.h
 *	  What the stream can be cut into: partitions, and parts of the large ones.
 *
 * An occurrence that ends in a part of a partition may begin before it, but not further
 * back than the gaps reach: the events of which that is true are the part's halo.  Gaps
 * without an upper bound reach back to the beginning, so with these no partition is cut.
 *
 * Included by sections.c and by pieces.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_EPISODE_PIECES_H
#define FIM_GPU_EPISODE_PIECES_H

#include "episodes/episodes_job.h"

/* Events of one partition. */
typedef struct Piece
{
	uint32_t	partition;
	uint32_t	begin;
	uint32_t	end;
} Piece;

/* Before the first piece of a stream. */
#define NO_PIECE	((Piece) {0, 0, 0})

/* Goes on to the next piece that has events; false if there is none. */
extern bool NextPiece(const FimEpisodesData *data, Piece *piece);

/* Where the halo of a piece begins, if episodes have at most so many events. */
extern uint32_t HaloBegin(const FimEpisodesData *data, const Piece *piece, uint32_t length);

/*
 * The events that a section has to have room for: those of any piece and its halo, and of
 * small partitions so many that there are not too many sections.
 */
extern uint32_t LeastSection(const FimEpisodesData *data, uint32_t length);

#endif							/* FIM_GPU_EPISODE_PIECES_H */
