/*-------------------------------------------------------------------------
 *
 * records.h
 *	  Writing results to the sink, or counting them.
 *
 * Included by strips.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_RECORDS_H
#define FIM_SETS_RECORDS_H

#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Results that have not been written yet, and what finds them. */
typedef struct Records
{
	FimSetsStrategy strategy;
	uint32_t   *words;			/* [FIM_BATCH_WORDS] host memory */
	size_t		nwords;
	size_t		nresults;
} Records;

extern cudaError_t RecordsOpen(SetsJob *job, Records *records);
extern void RecordsClose(SetsJob *job, Records *records);

/* Write n cells of a row, all by rank; the arrays are changed.  witnesses may be NULL if the job does not want them. */
extern cudaError_t RecordsWrite(SetsJob *job, Records *records, uint32_t row, uint32_t *right, uint32_t *witnesses,
								uint32_t n);
extern cudaError_t RecordsFlush(SetsJob *job, Records *records);

/* So many results were found by a strategy. */
extern void RecordsCount(SetsJob *job, FimSetsStrategy strategy, uint64_t results);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_RECORDS_H */
