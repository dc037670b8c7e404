/*-------------------------------------------------------------------------
 *
 * row_sample.h
 *	  Some rows of a database, to see how many of them are equal to another one.
 *
 * Included by what merges equal rows, and by what asks before whether that will pay.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROW_SAMPLE_H
#define FIM_ROW_SAMPLE_H

#include "engine/family.h"

/* Rows are told apart by their hashes. */
typedef struct FimRowSample
{
	uint64_t   *slot;			/* the hashes met, in the host's memory */
	uint64_t	nslots;
	uint64_t	distinct;		/* hashes met */
	uint64_t	equal;			/* rows whose hash had been met */
	uint64_t	entries;		/* of all rows */
	uint64_t	equal_entries;
} FimRowSample;

/* Begins a sample of so many rows.  Returns false if the host has no memory. */
extern bool FimRowSampleBegin(FimRowSample *sample, uint64_t nrows, FimHost *host);
extern void FimRowSampleEnd(FimRowSample *sample, FimHost *host);

/* Adds a row of so many entries.  When the sample has far more than its rows, it stays as it is. */
static inline void
FimRowSampleAdd(FimRowSample *sample, uint64_t hash, uint32_t nentries)
{
	uint64_t	s = hash >> 1 & (sample->nslots - 1);
	bool		equal;

	if (sample->distinct >= sample->nslots / 4 * 3)
		return;
	hash |= 1;
	while (sample->slot[s] != 0 && sample->slot[s] != hash)
		s = (s + 1) & (sample->nslots - 1);
	equal = sample->slot[s] == hash;
	sample->slot[s] = hash;
	sample->distinct += !equal;
	sample->equal += equal;
	sample->entries += nentries;
	sample->equal_entries += equal ? nentries : 0;
}

/* Is at least one in so many of the sample's rows equal to another? */
static inline bool
FimRowSampleHasEqual(const FimRowSample *sample, uint32_t one_in)
{
	return sample->equal > 0 && sample->equal * one_in >= sample->distinct + sample->equal;
}

/*
 * A few rows show how many equal ones there are among more.  FimRowSampleForesees() tells
 * whether at least one in so many entries would lie in a row that is equal to another, if
 * the sample had "larger" rows.  FimRowSampleEnough() is how many of nrows rows a sample
 * needs for that.
 */
extern uint64_t FimRowSampleEnough(uint64_t nrows);
extern bool FimRowSampleForesees(const FimRowSample *sample, uint64_t larger, uint32_t one_in);

/* Returns a hash table of at least so many slots, all 0, or NULL if there is no memory. */
extern uint64_t *FimMakeSlots(FimHost *host, uint64_t least, uint64_t *nslots);

#endif							/* FIM_ROW_SAMPLE_H */
