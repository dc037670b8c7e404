/*-------------------------------------------------------------------------
 *
 * result_rows.h
 *	  Turning itemsets and counts into rows of the SQL function's result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_RESULT_ROWS_H
#define GPUFIM_RESULT_ROWS_H

#include "postgres.h"

#include "fmgr.h"
#include "engine/itemsets/itemsets.h"
#include "items.h"
#include "work/job.h"

/*
 * A sink for batches of itemsets, which puts them into the function's tuplestore.  Its
 * functions may raise errors.  Its memory counts in the ledger until EmitterUseJob(), and from
 * then on as the job's, so that the ledger may be destroyed.
 */
typedef struct GpufimEmitter GpufimEmitter;

extern GpufimEmitter *EmitterCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger,
									const GpufimItems *items, int64 transactions);
extern void EmitterUseJob(GpufimEmitter *emitter, struct Job *job);
extern FimSink *EmitterSink(GpufimEmitter *emitter);

/* Put out one row for every length at which there are itemsets. */
extern void EmitCounts(FunctionCallInfo fcinfo, const FimTally *tally);

#endif							/* GPUFIM_RESULT_ROWS_H */
