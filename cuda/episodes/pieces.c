/*-------------------------------------------------------------------------
 *
 * pieces.c
 *	  Pieces of the stream and their halos, see pieces.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/pieces.h"

/* About the most pieces that large partitions are cut into, and sections that small ones are put into. */
#define MOST_PIECES		256

/*
 * The events of a piece, at least as many as there are types: a section takes memory for tables of types
 * anyway.
 */
static uint64_t
PieceEvents(const FimEpisodesData *data)
{
	return GpuGreater(data->events / MOST_PIECES, data->ntypes);
}

/* The edge that reaches furthest; FIM_NO_EDGE if a gap has no upper bound. */
static uint64_t
GreatestEdge(const FimEpisodesData *data)
{
	return FIM_EPISODES_EDGES(data)[data->nedges - 1];
}

/* The most events of a piece: a partition that has more is cut. */
static uint64_t
MostOfPiece(const FimEpisodesData *data)
{
	return GreatestEdge(data) == FIM_NO_EDGE ? data->events : PieceEvents(data);
}

bool
NextPiece(const FimEpisodesData *data, StreamPiece *piece)
{
	const uint32_t *first_of = FIM_EPISODES_PARTITIONS(data);

	while (piece->partition < data->partitions && first_of[piece->partition + 1] == piece->end)
		piece->partition++;
	if (piece->partition == data->partitions)
		return false;
	piece->begin = piece->end;
	piece->end = (uint32_t) GpuLesser(piece->begin + MostOfPiece(data), first_of[piece->partition + 1]);
	return true;
}

/* The first event from "low" on that an event can follow under some gap; the event itself if there is none. */
static uint32_t
ReachBack(const FimEpisodesData *data, uint32_t low, uint32_t event)
{
	const FimTime *time = FIM_EPISODES_TIMES(data);
	uint64_t	edge = GreatestEdge(data);
	uint32_t	high = event;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (FimIsBeyond(FimTimeKey(data->real != 0, time[event], time[middle]), edge))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Goes back from event to event, as an occurrence does, because a sum of gaps might be rounded. */
uint32_t
HaloBegin(const FimEpisodesData *data, const StreamPiece *piece, uint32_t length)
{
	uint32_t	first = FIM_EPISODES_PARTITIONS(data)[piece->partition];
	uint32_t	event = piece->begin;

	for (uint32_t k = 1; k < length && event > first; k++)
	{
		uint32_t	before = ReachBack(data, first, event);

		if (before == event)
			break;
		event = before;
	}
	return event;
}

uint32_t
LeastSection(const FimEpisodesData *data, uint32_t length)
{
	StreamPiece piece = NO_PIECE;
	uint64_t	events = GpuLesser(PieceEvents(data), data->events);

	while (NextPiece(data, &piece))
		events = GpuGreater(events, piece.end - HaloBegin(data, &piece, length));
	return (uint32_t) events;
}
