/*-------------------------------------------------------------------------
 *
 * results.h
 *	  Putting out results, as far as all functions have that in common.
 *
 * Whoever puts out results does so in batches, between ResultsBegin() and ResultsEnd().  There
 * the results are counted, and how long it takes to make rows of them and how many bytes of
 * these come to lie in temporary files.  There gpufim.max_results is checked, and users are told when
 * results take much of the disk.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_RESULTS_H
#define GPUFIM_RESULTS_H

#include "postgres.h"

#include "portability/instr_time.h"

/* What messages call the results, and what they consist of. */
typedef struct ResultWords
{
	const char *result;
	const char *results;		/* in the plural */
	const char *elements;		/* in the plural */
	const char *hint;			/* how to get fewer results */
} ResultWords;

typedef struct ResultBatch
{
	const ResultWords *words;
	size_t		nresults;
	instr_time	start;
	int64		blocks;			/* that this process had written to temporary files at the start */
} ResultBatch;

/* ResultsBegin() raises an error if the batch would exceed gpufim.max_results. */
extern void ResultsBegin(ResultBatch *batch, const ResultWords *words, size_t nresults);
extern void ResultsEnd(ResultBatch *batch);

/* The job starts over: nothing has been put out. */
extern void ResultsForget(void);

/* Raises an error if so many results exceed gpufim.max_results. */
extern void CheckResults(uint64 nresults, const ResultWords *words);

#endif							/* GPUFIM_RESULTS_H */
