/*-------------------------------------------------------------------------
 *
 * encode.h
 *	  From encoded rows to the data that the engine mines.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_PROBABLE_ENCODE_H
#define GPUFIM_PROBABLE_ENCODE_H

#include "engine/probable/probable.h"
#include "items.h"
#include "work/job.h"

/* The least time that each engine takes to mine these items' transactions. */
extern EngineCost ProbableCost(const GpufimRows *rows, const GpufimItems *items);

/*
 * Build the job's data of all transactions that hold the required items with a probability above
 * 0, in a second pass over the rows.  Required items come first in the data, the others after
 * them.  Frees the rows and their ledger.  The data belong to the job.
 */
extern void BuildProbableData(struct Job *job, GpufimRows *rows, const GpufimItems *items);

#endif							/* GPUFIM_PROBABLE_ENCODE_H */
