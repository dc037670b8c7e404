/*-------------------------------------------------------------------------
 *
 * row_sample.c
 *	  Some rows of a database, to see how many of them are equal to another one.
 *
 * How many equal rows there are among all can be told from few of them.  Where d
 * different rows are as frequent as each other, n rows have n (n - 1) / 2 pairs, of which
 * one in d is equal (the birthday problem).  So as long as few rows have been met, those
 * that are equal to an earlier one grow with the square of n.  Where some rows are more
 * frequent than others, they grow less than that, and too many are foreseen.
 *
 *-------------------------------------------------------------------------
 */
#include "row_sample.h"

#include <math.h>
#include <string.h>

/*
 * So many times the square root of the number of rows are enough.  If each row is there k
 * times, ROOTS * ROOTS / 2 * k rows of the sample are expected to be equal to an earlier one.
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

	/* larger / rows times as large a part of the entries */
	return sample->equal > 0 &&
		(double) sample->equal_entries * (double) larger * one_in >= (double) sample->entries * rows;
}
