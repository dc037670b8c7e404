/*-------------------------------------------------------------------------
 *
 * relations.h
 *	  Random relations, and what a task of sets finds in them by looking at every pair
 *	  of values and every key.
 *
 *-------------------------------------------------------------------------
 */
#ifndef RELATIONS_H
#define RELATIONS_H

#include "engine/sets/sets.h"
#include "harness.h"

/* Pairs in the order in which they are added; some are there twice. */
typedef struct TestRelation
{
	uint32_t	nvalues;
	uint32_t	npairs;
	FimSetsPair *pair;
} TestRelation;

typedef struct TestRelations
{
	bool		one;			/* left is right, too */
	bool		whole;			/* sets keep keys of one side only */
	uint32_t	nkeys;
	TestRelation left;
	TestRelation right;
	uint8_t    *in_left;		/* [values][keys] */
	uint8_t    *in_right;
} TestRelations;

/* What is expected of a pair of values, and how often it was given. */
typedef struct TestCell
{
	uint32_t	witnesses;
	bool		wanted;
	double		similarity;
	uint32_t	given;
} TestCell;

/* Up to so many values on each side, and so many keys. */
extern void DrawRelations(Rng *rng, TestRelations *relations, uint32_t most_values, uint32_t most_keys);
extern void FreeRelations(TestRelations *relations);

/* The same in the engine's form, ready for the CPU; freed with OddFree(). */
extern FimSetsData *BuildRelations(const TestRelations *relations);

/* The same of a part. */
extern FimSetsData *BuildPart(const TestRelations *relations, const FimSetsSpec *spec);

/*
 * The same from records, of one relation and in about this number of batches.  If "more" is not 0, a value is said to be
 * in that many records more than it is; likewise "less", of the value that is in most.  Returns NULL if that is noticed, or
 * if the host says stop.
 */
extern FimSetsData *BuildFromRecords(const TestRelations *relations, uint32_t batches, uint32_t more, uint32_t less,
									 TestHost *host);

/* Builds pairs by a host that may refuse memory or say stop; tells how it went. */
extern FimResult BuildWithHost(const TestRelations *relations, TestHost *host);

/* Each left value with each right one, [left][right], freed with free(). */
extern TestCell *FindCells(const TestRelations *relations, const FimSetsSpec *spec);

extern void PrintRelations(const TestRelations *relations);

#endif							/* RELATIONS_H */
