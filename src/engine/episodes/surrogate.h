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
 * Included by significance.c, by surrogate.c and by the tests.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SURROGATE_H
#define FIM_SURROGATE_H

#include "philox.h"
#include "worker.h"

/* Where the event's random numbers begin. */
static inline Philox
SurrogateCounter(uint32_t surrogate, uint32_t type, uint32_t rank)
{
	return (Philox) {{rank, type, surrogate, 0}};
}

/* The next 64 random bits of an event. */
static inline uint64_t
SurrogateBits(uint64_t seed, Philox *counter)
{
	Philox		random = PhiloxOf(seed, *counter);

	counter->word[3]++;
	return (uint64_t) random.word[1] << 32 | random.word[0];
}

/* The time of an event in a surrogate. */
extern FimTime SurrogateTime(const FimEpisodesJob *job, bool real, FimTime time, Philox counter);

/* An event in its new place; times are keys in the order of unsigned numbers. */
typedef struct MovedEvent
{
	uint64_t	key;
	uint32_t	type;
} MovedEvent;

/* Partitions that are made at the same time. */
typedef struct SurrogateBlock
{
	uint32_t	begin;			/* the first partition */
	uint32_t	end;			/* the one after the last */
} SurrogateBlock;

typedef struct Surrogates
{
	Worker	   *w;
	const FimEpisodesData *data;	/* the stream that was given */
	uint8_t    *wanted;			/* [ntypes] whether its events matter */
	uint32_t   *rank;			/* [ntypes] events of the type that have been moved */
	SurrogateBlock *block;
	uint32_t	nblocks;
	MovedEvent *event;			/* room for the wanted events of a partition */
	MovedEvent *spare;
	uint32_t	most;			/* wanted events in a block */
	FimEpisodesData *made;		/* the block at hand */
} Surrogates;

/* Makes room for surrogates of the wanted types, in the worker's arena. */
extern void SurrogatesInit(Surrogates *s, Worker *w, uint8_t *wanted);

/*
 * Make a block of a surrogate, of which the blocks before it have just been made.  The
 * worker's stream is this block then.
 */
extern void SurrogateMake(Surrogates *s, uint32_t surrogate, uint32_t block);

#endif							/* FIM_SURROGATE_H */
