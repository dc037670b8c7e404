/*-------------------------------------------------------------------------
 *
 * output.h
 *	  Gives out the itemsets that a miner finds: lists them in batches, or counts
 *	  them by length.
 *
 * The functions leave by the miner's jump if the sink wants no more or if there is
 * no memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_OUTPUT_H
#define FIM_OUTPUT_H

#include "engine/itemsets/miner.h"

/* The words to allocate for a batch, which may exceed FIM_BATCH_WORDS by one record of the longest row. */
static inline size_t
OutputBatchRoom(const Miner *m)
{
	return FIM_BATCH_WORDS + (size_t) m->db->max_row + 4;
}

/* To be called first.  Arrays are from the miner's arena, but counts from its host. */
extern void OutputInit(Miner *m);

/* Give back the counts.  It may be called without OutputInit(). */
extern void OutputFree(Miner *m);

/* Give out the path, if its length is within the job's limits. */
extern void OutputOne(Miner *m, uint32_t support);

/* Give out the path, alone and with each subset of the perfect items, as far as lengths are within the limits. */
extern void OutputAll(Miner *m, uint32_t support);

/* The row of Output.counted for the present number of perfect items. */
extern uint64_t *OutputCounts(Miner *m);

/* Hand over what is listed so far, or add what is counted to the shared figures. */
extern void OutputFlush(Miner *m);

/* Add what was counted to a tally of FimTallyLengths() entries. */
extern void OutputTally(Miner *m, FimTally *tally);

#endif							/* FIM_OUTPUT_H */
