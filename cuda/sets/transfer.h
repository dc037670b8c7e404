/*-------------------------------------------------------------------------
 *
 * transfer.h
 *	  Bringing the two relations to the devices.
 *
 * Included by sets.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_TRANSFER_H
#define FIM_SETS_TRANSFER_H

#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Sets the relations of all devices of the job, without key_start and rank, which RelationsByKey() adds.
 * RelationsMemory() is what they take on a device, with what they take while they are made.
 */
extern cudaError_t RelationsOpen(SetsJob *job);
extern cudaError_t RelationsByKey(SetsJob *job);
extern uint64_t RelationsMemory(const FimSetsData *data, bool by_key);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_TRANSFER_H */
