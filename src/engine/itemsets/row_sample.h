/*-------------------------------------------------------------------------
 *
 * row_sample.h
 *	  Some rows of a database, to see how many of them are equal to another one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROW_SAMPLE_H
#define FIM_ROW_SAMPLE_H

#include "engine/family.h"

/* A sample of rows, which are told apart by their hashes. */
typedef struct FimRowSample
{
	uint64_t   *slot;			/* [nslots] a hash table of the hashes met, in the host's memory */
	uint64_t	nslots;			/* a power of 2 */
	uint64_t	distinct;		/* hashes met */
	uint64_t	equal;			/* rows whose hash had been met before */
	uint64_t	entries;		/* of all rows */
	uint64_t	equal_entries;	/* of the rows whose hash had been met before */
} FimRowSample;

/* Begins a sample of about nrows rows.  Returns false if the host has no memory. */
extern bool FimRowSampleBegin(FimRowSample *sample, uint64_t nrows, FimHost *host);
extern void FimRowSampleEnd(FimRowSample *sample, FimHost *host);

/*
 * Adds a row of nentries entries.  Once three quarters of the slots are taken, which is far
 * more than the sample was begun for, further rows are ignored.
 */
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

/* Whether at least one in "one_in" of the sample's rows is equal to an earlier one. */
static inline bool
FimRowSampleHasEqual(const FimRowSample *sample, uint32_t one_in)
{
	return sample->equal > 0 && sample->equal * one_in >= sample->distinct + sample->equal;
}

/*
 * A few rows show how many equal ones there are among more.  FimRowSampleForesees() tells
 * whether at least one in "one_in" entries would be in a row that is equal to an earlier
 * one, if the sample had "larger" rows.  FimRowSampleEnough() returns the number of rows
 * that a sample of nrows rows needs for that.
 */
extern uint64_t FimRowSampleEnough(uint64_t nrows);
extern bool FimRowSampleForesees(const FimRowSample *sample, uint64_t larger, uint32_t one_in);

/*
 * Returns a hash table of at least "least" slots, all 0, and sets *nslots to their number, a
 * power of 2.  Returns NULL if the host has no memory.
 */
extern uint64_t *FimMakeSlots(FimHost *host, uint64_t least, uint64_t *nslots);

#endif							/* FIM_ROW_SAMPLE_H */
