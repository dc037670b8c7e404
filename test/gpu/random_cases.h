/*-------------------------------------------------------------------------
 *
 * random_cases.h
 *	  Random databases, one after the other, that a program checks.
 *
 *	  A database is made from a seed and its number alone, so that one that fails can be
 *	  made again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef RANDOM_CASES_H
#define RANDOM_CASES_H

#include "engine/gpu.h"
#include "../unit/harness.h"

typedef struct RandomCases
{
	uint64_t	seed;
	uint32_t	from;			/* the first one's number */
	uint32_t	n;
	double		seconds;		/* none is begun later than that */
	int			strategy;		/* to be checked; -1: all */
} RandomCases;

/* Checks one database.  Prints what is wrong and returns false if something is. */
typedef bool (*CheckCase) (const RandomCases *cases, uint32_t number);

/* A program that is not told how many databases to check takes so many. */
#define DEFAULT_CASES	300

/* As many as that, from a seed of the moment, every strategy. */
extern RandomCases DefaultCases(void);

/*
 * What all programs can be told of their cases, of the library and of the devices: an option for getopt(),
 * and its argument.  Returns false if it is none of these.
 */
#define CASE_OPTIONS	"l:s:n:t:d:g:"

extern bool TakeCaseOption(RandomCases *cases, int option, const char *argument);

/* Checks them until ten have failed.  Returns whether any has. */
extern bool CheckCases(const RandomCases *cases, CheckCase check);

/* The random numbers that a case is made of, and what they are seeded with. */
extern uint64_t CaseSeed(const RandomCases *cases, uint32_t number);
extern Rng	CaseRng(const RandomCases *cases, uint32_t number);

/* A part of a task: the whole, or in so many cases one of several parts, a few at most. */
#define PART_CHANCE		0.3

extern FimPart RandomPart(Rng *rng);

/* Bytes for a limit just above the least memory: with few more, small inputs have more parts. */
extern uint64_t RngFewBytes(Rng *rng);

/*
 * A limit of memory for the task: none, the least that the library asks for, or anything
 * from there on, small ones more often.
 */
extern uint64_t RandomMemoryLimit(Rng *rng, const FimGpuFamily *gpu, const FimTask *task);

#endif							/* RANDOM_CASES_H */
