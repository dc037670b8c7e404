/*-------------------------------------------------------------------------
 *
 * tensor_root.h
 *	  The root of strategy "tensor": from transactions to the first class.
 *
 * A job is mined by a team of devices.  Each device has all transactions and makes the
 * same classes at the root, of which it takes a share.  Only one thread at a time may
 * use a device and its miner.
 *
 * The caller calls TensorBegin() for each device, copies the transactions to where
 * TensorSourceOf() says, and calls TensorBuild() and TensorMine(), which is in tensor.h.
 *
 * Included by tensor_crew.c, which calls all this, and by itemsets.c.
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
 * The bytes of each device that the job needs at least, and those that it likes to begin
 * with.  It asks for more if these prove to be few.
 */
extern void TensorMemory(const FimItemsetsJob *job, const FimDatabase *db,
						 uint64_t *least, uint64_t *wanted);

/*
 * Makes the root on the current device, which is number "number" of the team's
 * "ndevices".  The miner's output must have been set up.  Host memory comes from the
 * miner's arena, and with it the result goes.  Returns NULL if nothing is to be done on
 * a device.
 */
extern Tensor *TensorBegin(Miner *m, TensorDevice *device, uint32_t ndevices, uint32_t number);

/* Where the transactions are to be copied, by the device's stream. */
extern const TensorSource *TensorSourceOf(const Tensor *t);

/* Makes the root's bitmaps, once the copies are in the stream. */
extern void TensorBuild(Tensor *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_ROOT_H */
