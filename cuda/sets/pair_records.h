/*-------------------------------------------------------------------------
 *
 * pair_records.h
 *	  Writing results to the sink, or counting them.
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

/* A batch of results that has not been written yet. */
typedef struct Records
{
	FimSetsStrategy strategy;	/* which found them */
	GpuRecords	batch;
} Records;

/* Makes room for a batch.  GpuEndRecords() writes the last batch and frees the room. */
extern cudaError_t RecordsOpen(SetsJob *job, FimSetsStrategy strategy, Records *records);

/*
 * Writes n cells of a row, all by rank.  The arrays are changed.  witnesses may be NULL if the job does not
 * want them.
 */
extern cudaError_t RecordsWrite(SetsJob *job, Records *records, uint32_t row, uint32_t *right, uint32_t *witnesses,
								uint32_t n);

/* Adds "results" results that a strategy has found to the summary and to the shared state. */
extern void RecordsCount(SetsJob *job, FimSetsStrategy strategy, uint64_t results);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_PAIR_RECORDS_H */
