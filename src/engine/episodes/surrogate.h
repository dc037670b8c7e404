/*-------------------------------------------------------------------------
 *
 * surrogate.h
 *	  Surrogates: copies of the stream whose events are moved at random (moves.h). doc/episode_significance.md defines them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SURROGATE_H
#define FIM_SURROGATE_H

#include "moves.h"
#include "worker.h"

/*
 * Events in their new places, and putting them in order.
 *
 * Moved events are nearly in order, since each moves by a small part of the stream's length.
 * So one pass puts them into buckets of time, with about one event in each, and does not move
 * them far in memory either.  Within a bucket they are sorted by insertion.  Buckets of
 * bursts, which hold many events, are sorted by the digits in which their times differ.
 */

/* The key stands for the event's time: as unsigned numbers, keys have the order of times. */
typedef struct MovedEvent
{
	uint64_t	key;
	uint32_t	type;
} MovedEvent;

/* Room for sorting n events. */
typedef struct SortRoom
{
	MovedEvent *spare;			/* [n] */
	uint32_t   *bucket;			/* [SortBuckets(n)] */
} SortRoom;

/* A block: partitions that are made at the same time. */
typedef struct SurrogateBlock
{
	uint32_t	partition;		/* the first one */
	uint32_t	wanted;			/* its first wanted event, an index into wanted[] */
} SurrogateBlock;

/* The random bits of a type's latest window: its number, counted from 1 over all partitions, and the bits. */
typedef struct TypeBits
{
	uint64_t	window;
	uint64_t	bits;
} TypeBits;

/*
 * A surrogate, or a block of it.  Only the events of wanted types are in it.  Each has two
 * positions: its number, in the order of partitions and times, and its place, in the order
 * of types and then of numbers.  What is looked up type by type is indexed by place, so
 * that it is read sequentially.
 *
 * For each edge (see episodes.h) and each event, beyond[] tells the first event that is
 * beyond the event's edge, or the end of the partition, and within[] the first event of
 * the partition whose edge the event is not beyond.  Both are numbers.
 */
typedef struct Surrogates
{
	Worker	   *w;
	const FimEpisodesData *data;	/* the stream that was given */
	FimMoves	moves;
	uint32_t   *wanted;			/* [nwanted] the events of the data whose types are wanted */
	FimTime    *hidden;			/* [nwanted] their times in the hidden stream */
	uint32_t	nwanted;
	uint32_t	most;			/* the most events of a block */
	SurrogateBlock *block;		/* [nblocks + 1] */
	uint32_t	nblocks;
	uint32_t	counted;		/* the block for which start[] is right, UINT32_MAX for none */
	TypeBits   *bits;			/* [ntypes] */
	uint64_t	windows;		/* that have been gone through */
	uint32_t   *next;			/* [ntypes] the place of its next event */
	SortRoom	room;

	/* the block at hand */
	uint32_t	events;
	MovedEvent *event;			/* [events] in the order of partitions and times */
	uint32_t   *type;			/* [events] the same without the times */
	uint32_t   *place;			/* [events] by number */
	uint32_t   *start;			/* [ntypes + 1] where the places of a type begin */
	uint32_t   *number;			/* [events] by place */
	uint32_t   *same;			/* [events] by place: the number of the first event of the same time */
	uint32_t   *edge;			/* [nedges] the edges of the data that wanted gaps have */
	uint32_t	nedges;
	uint32_t   *edge_at;		/* [edges of the data] the edge's index in edge[], UINT32_MAX if it has none */
	uint32_t  **beyond;			/* [nedges][events] by place */
	uint32_t  **within;			/* [nedges][events] by place */
	uint64_t   *reach;			/* [nedges] the sum over all events of the events from it to its edge */
} Surrogates;

/* The most events that a block of a surrogate of these data can have. */
extern uint64_t LargestBlock(const FimEpisodesData *data);

/* The most bytes that SurrogatesInit() takes. */
extern uint64_t SurrogatesBytes(const FimEpisodesData *data);

/*
 * Make room in the worker's arena for surrogates of the wanted types, with the windows of
 * the wanted gaps.  Both arguments have a 1 for each type, and each gap, that is wanted.
 */
extern void SurrogatesInit(Surrogates *s, Worker *w, const uint8_t *wanted_types, const uint8_t *wanted_gaps);

/* Make a block of a surrogate. */
extern void SurrogateMake(Surrogates *s, uint32_t surrogate, uint32_t block);

#endif							/* FIM_SURROGATE_H */
