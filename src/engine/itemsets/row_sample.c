/*-------------------------------------------------------------------------
 *
 * row_sample.c
 *	  Some rows of a database, to see how many of them are equal to another one.
 *
 * How many equal rows there are among all can be told from few of them.  Where d
 * different rows are equally frequent, n rows have n (n - 1) / 2 pairs, of which one in d
 * is a pair of equal rows (the birthday problem).  So as long as few of the d rows have
 * been met, the number of rows that are equal to an earlier one grows with the square of
 * n.  Where some rows are more frequent than others, it grows less than that, and too
 * many equal rows are foreseen.
 *
 *-------------------------------------------------------------------------
 */
#include "row_sample.h"

#include <math.h>
#include <string.h>

/*
 * A sample needs ROOTS times the square root of the number of rows.  If each row is there k
 * times, ROOTS * ROOTS / 2 * k rows of that sample are expected to be equal to an earlier one.
 */
#define ROOTS			4

uint64_t *
FimMakeSlots(FimHost *host, uint64_t least, uint64_t *nslots)
{
	uint64_t   *slot;

	*nslots = 16;
	while (*nslots < least)
		*nslots *= 2;
	slot = host->alloc(host, *nslots * sizeof(uint64_t));
	if (slot != NULL)
		memset(slot, 0, *nslots * sizeof(uint64_t));
	return slot;
}

bool
FimRowSampleBegin(FimRowSample *sample, uint64_t nrows, FimHost *host)
{
	memset(sample, 0, sizeof(FimRowSample));
	sample->slot = FimMakeSlots(host, nrows * 2, &sample->nslots);
	return sample->slot != NULL;
}

void
FimRowSampleEnd(FimRowSample *sample, FimHost *host)
{
	host->free(host, sample->slot);
}

uint64_t
FimRowSampleEnough(uint64_t nrows)
{
	return (uint64_t) (ROOTS * sqrt((double) nrows)) + 1;
}

bool
FimRowSampleForesees(const FimRowSample *sample, uint64_t larger, uint32_t one_in)
{
	double		rows = (double) (sample->distinct + sample->equal);

	/* in the larger sample, that part of the entries would be larger / rows times as large as in this one */
	return sample->equal > 0 &&
		(double) sample->equal_entries * (double) larger * one_in >= (double) sample->entries * rows;
}
