/*-------------------------------------------------------------------------
 *
 * records.h
 *	  Results on their way to the sink.
 *
 * Records are gathered until there are FIM_BATCH_WORDS of them, and written together,
 * see engine/engine.h.  A record that is longer than that is written alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_RECORDS_H
#define FIM_RECORDS_H

#include "host_memory.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Results not yet written to the sink.  At first, all fields but the sink are 0. */
typedef struct GpuRecords
{
	FimSink    *sink;
	uint32_t   *words;
	uint64_t	room;			/* words */
	size_t		nwords;			/* in use */
	size_t		n;				/* records in these words */
} GpuRecords;

/* Adds to the number of results that the call has found.  There need not be records of them. */
static inline void
GpuCountResults(GpuTeam *team, uint64_t n)
{
	__atomic_fetch_add(&team->shared->results, n, __ATOMIC_RELAXED);
}

static inline void
GpuCountResult(GpuTeam *team)
{
	GpuCountResults(team, 1);
}

/* Sets *to to room for a record of "words" words, and counts the record as one result. */
extern cudaError_t GpuAddRecord(GpuTeam *team, GpuRecords *records, size_t words, uint32_t **to);

/* Writes the records that have been gathered. */
extern cudaError_t GpuWriteRecords(GpuRecords *records);

/* Writes the records that have been gathered, and frees their memory. */
extern cudaError_t GpuEndRecords(GpuTeam *team, GpuRecords *records);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_RECORDS_H */
