/*-------------------------------------------------------------------------
 *
 * pair_records.h
 *	  Writing results to the sink, or counting them.
 *
 * Included by strips.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_PAIR_RECORDS_H
#define FIM_SETS_PAIR_RECORDS_H

#include "records.h"
#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Results that have not been written yet, and what finds them. */
typedef struct Records
{
	FimSetsStrategy strategy;
	GpuRecords	batch;
} Records;

/* Makes room for a batch.  GpuEndRecords() writes the last one and frees it. */
extern cudaError_t RecordsOpen(SetsJob *job, FimSetsStrategy strategy, Records *records);

/* Write n cells of a row, all by rank; the arrays are changed.  witnesses may be NULL if the job does not want them. */
extern cudaError_t RecordsWrite(SetsJob *job, Records *records, uint32_t row, uint32_t *right, uint32_t *witnesses,
								uint32_t n);

/* So many results were found by a strategy. */
extern void RecordsCount(SetsJob *job, FimSetsStrategy strategy, uint64_t results);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_PAIR_RECORDS_H */
