/*-------------------------------------------------------------------------
 *
 * tensor_root.h
 *	  The root of strategy "tensor": from transactions to the first class.
 *
 * A job is mined by a team of devices.  Each device has all transactions and makes the same
 * classes at the root, of which it takes a share.  A device and its miner may be used by only
 * one thread at a time.
 *
 * The caller calls TensorBegin() for each device, copies the transactions to where
 * TensorSourceOf() says, and calls TensorBuild() and TensorMine(), which is in tensor.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_ROOT_H
#define FIM_TENSOR_ROOT_H

#include "itemsets/tensor_device.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/itemsets/miner.h"

/*
 * Sets *least to the bytes that the job needs of each device, and *wanted to the bytes that it
 * should begin with.  The job asks for more if these prove to be few.
 */
extern void TensorMemory(const FimItemsetsJob *job, const FimDatabase *db,
						 uint64_t *least, uint64_t *wanted);

/*
 * Makes the root on the current device, which is number "number" of the team's "ndevices".  The
 * miner's output must have been set up.  Host memory, that of the result included, comes from
 * the miner's arena.  Returns NULL if there is nothing to do on a device.
 */
extern Tensor *TensorBegin(Miner *m, TensorDevice *device, uint32_t ndevices, uint32_t number);

/* Where the caller is to copy the transactions, in the device's stream. */
extern const TensorSource *TensorSourceOf(const Tensor *t);

/* Makes the root's bitmaps.  Called when the copies of the transactions have been put into the stream. */
extern void TensorBuild(Tensor *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_ROOT_H */
