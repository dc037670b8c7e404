/*-------------------------------------------------------------------------
 *
 * surrogate.h
 *	  Surrogates: copies of the stream whose events are moved at random, each by at
 *	  most the dither.  doc/episode_significance.md defines them.
 *
 * How far an event is moved is a function of the seed, the surrogate's number, the
 * event's type and its number among the events of this type.  So a surrogate is
 * the same whoever makes it.
 *
 * Included by children.h, by significance.c, by surrogate.c and by the tests.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SURROGATE_H
#define FIM_SURROGATE_H

#include "moved_events.h"
#include "philox.h"

/* Where the event's random numbers begin. */
static inline Philox
SurrogateCounter(uint32_t surrogate, uint32_t type, uint32_t rank)
{
	return (Philox) {{rank, type, surrogate, 0}};
}

/* The time of an event in a surrogate. */
extern FimTime SurrogateTime(const FimEpisodesJob *job, bool real, FimTime time, Philox counter);

/* What moving events takes, from the job. */
typedef struct Mover
{
	uint64_t	seed;
	bool		real;
	double		dither;			/* of reals */
	int64_t		most;			/* of whole numbers: they move by so much at most, */
	uint64_t	range;			/* so many ways, */
	uint64_t	excess;			/* and with these lowest bits they are drawn again */
} Mover;

/* Partitions that are made at the same time. */
typedef struct SurrogateBlock
{
	uint32_t	partition;		/* the first one */
	uint32_t	wanted;			/* the first wanted event */
} SurrogateBlock;

/*
 * A surrogate, or a block of it.  Events have two numbers: one in the order of partitions and
 * times, and their place when they are sorted by type and then by that number.  What
 * is asked for by type lies in the order of places, so that it is read as it lies.
 *
 * For an edge (see episodes.h) it is known of each event which is the first event
 * beyond the edge, and which is the first event of which it is not beyond the edge; both
 * as numbers in the order of times, and within the partition.
 */
typedef struct Surrogates
{
	Worker	   *w;
	const FimEpisodesData *data;	/* the stream that was given */
	Mover		mover;
	uint32_t   *wanted;			/* the events whose types matter */
	uint32_t	nwanted;
	uint32_t	most;			/* in a block */
	SurrogateBlock *block;		/* [nblocks + 1] */
	uint32_t	nblocks;
	uint32_t	counted;		/* the block for which start[] is right, UINT32_MAX for none */
	uint32_t   *rank;			/* [ntypes] events of the type that have been moved */
	uint32_t   *next;			/* [ntypes] the place of its next event */
	SortRoom	room;

	/* the block at hand */
	uint32_t	events;
	MovedEvent *event;			/* [events] in the order of partitions and times */
	uint32_t   *type;			/* [events] the same without the times */
	uint32_t   *place;			/* [events] */
	uint32_t   *start;			/* [ntypes + 1] where the places of a type begin */
	uint32_t   *number;			/* [events] of the event at this place */
	uint32_t   *same;			/* [events] the first event of the same time */
	uint32_t   *edge;			/* [nedges] the edges of the data that matter */
	uint32_t	nedges;
	uint32_t   *edge_at;		/* [edges of the data] which of these an edge is */
	uint32_t  **beyond;			/* [nedges][events] */
	uint32_t  **within;			/* [nedges][events] */
	uint64_t   *reach;			/* [nedges] how many events lie before the edge, from all of them */
} Surrogates;

/* The most events that a block of a surrogate of these data can have. */
extern uint64_t LargestBlock(const FimEpisodesData *data);

/* What SurrogatesInit() takes at most, in bytes. */
extern uint64_t SurrogatesBytes(const FimEpisodesData *data);

/*
 * Makes room for surrogates of the wanted types and for windows of the wanted gaps, in the
 * worker's arena.
 */
extern void SurrogatesInit(Surrogates *s, Worker *w, const uint8_t *wanted_types, const uint8_t *wanted_gaps);

/* Make a block of a surrogate, of which the blocks before it have just been made. */
extern void SurrogateMake(Surrogates *s, uint32_t surrogate, uint32_t block);

#endif							/* FIM_SURROGATE_H */
