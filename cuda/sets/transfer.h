/*-------------------------------------------------------------------------
 *
 * transfer.h
 *	  Bringing the two relations to the devices.
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
 * RelationsOpen() copies the relations to all devices of the job.  RelationsByKey() adds key_start and
 * rank.  RelationsMemory() is the memory that a device needs for that, with or without the latter.
 */
extern cudaError_t RelationsOpen(SetsJob *job);
extern cudaError_t RelationsByKey(SetsJob *job);
extern uint64_t RelationsMemory(const FimSetsData *data, bool by_key);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_TRANSFER_H */
