/*-------------------------------------------------------------------------
 *
 * output.h
 *	  Gives out the itemsets that a miner finds: lists them in batches, or counts
 *	  them by length.
 *
 * The functions leave by the miner's jump if the sink wants no more or if there is
 * no memory.
 *
 * Included by what finds itemsets, on processors and on GPUs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_OUTPUT_H
#define FIM_OUTPUT_H

#include "engine/itemsets/miner.h"

/* How many words a batch has at most: it may be exceeded by one record, as long as the longest row. */
static inline size_t
OutputBatchRoom(const Miner *m)
{
	return FIM_BATCH_WORDS + (size_t) m->db->max_row + 4;
}

/* To be called first; the arrays come from the miner's arena, counts from its host. */
extern void OutputInit(Miner *m);

/* Give back the counts.  It may be called without OutputInit(). */
extern void OutputFree(Miner *m);

/* Give out the path.  Limits of length are kept. */
extern void OutputOne(Miner *m, uint32_t support);

/* The same together with each subset of the perfect items. */
extern void OutputAll(Miner *m, uint32_t support);

/* The row of Output.counted for the perfect items there are now. */
extern uint64_t *OutputCounts(Miner *m);

/* Hand over what is listed so far, or add what is counted to the shared figures. */
extern void OutputFlush(Miner *m);

/* Add what was counted to a tally. */
extern void OutputTally(Miner *m, FimTally *tally);

#endif							/* FIM_OUTPUT_H */
