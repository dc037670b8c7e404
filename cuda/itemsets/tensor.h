/*-------------------------------------------------------------------------
 *
 * tensor.h
 *	  Strategy "tensor", see tensor.cu.
 *
 * A job is mined by a team of devices.  Each device has all transactions and makes the
 * same classes at the root, of which it takes a share.  Only one thread at a time may
 * use a device and its miner.
 *
 * The caller calls TensorBegin() for each device, copies the transactions to where
 * TensorSourceOf() says, and calls TensorBuild() and TensorMine().
 *
 * Included by tensor_crew.c, which calls all this, by the files of the strategy and by
 * itemsets.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_H
#define FIM_TENSOR_H

#include <cuda_runtime_api.h>

#include "clock.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/itemsets/output.h"
#include "engine/itemsets/root.h"

/*
 * What the strategy uses of a device: memory that is its own, a stream, and functions of
 * the caller.  fault() and full() do not return; they leave to the caller, who frees what
 * is on the device.
 */
typedef struct TensorDevice
{
	void	   *memory;
	uint64_t	size;			/* bytes, see TensorMemory() */
	cudaStream_t stream;
	uint64_t	tests;			/* pairs of bits that were counted are added to it */
	uint64_t	returned;		/* bytes of listed tables are added to it ... */
	double		return_ms;		/* ... and here the time that they took */
	uint64_t	kept;			/* bytes that more() can give without taking time */
	uint32_t   *taken;			/* shared by the team, atomic, at first 0: the root's first
								 * member whose class nobody has taken */

	/* A CUDA call has failed; or "needed" bytes were wanted of the memory and "free" are there. */
	void		(*fault) (struct TensorDevice *device, cudaError_t error, const char *what);
	void		(*full) (struct TensorDevice *device, const char *what,
						 uint64_t needed, uint64_t free);
	/*
	 * The error of the launch just made, and that of a wait which has ended well: either
	 * may be injected.
	 */
	cudaError_t (*launch_error) (struct TensorDevice *device);
	cudaError_t (*wait_error) (struct TensorDevice *device);

	/* Called before and after the launch that makes the root's bitmaps, which reads and
	 * writes so many bytes. */
	void		(*begin_build) (struct TensorDevice *device, uint64_t bytes);
	void		(*end_build) (struct TensorDevice *device);

	/*
	 * Gives more memory: *bytes of it, or less but not less than "least", and then sets
	 * *bytes.  Returns NULL if there is not so much.
	 */
	void	   *(*more) (struct TensorDevice *device, uint64_t least, uint64_t *bytes);
} TensorDevice;

typedef struct Tensor Tensor;

/* Where on the device the transactions are to be. */
typedef struct TensorSource
{
	FimRow	   *rows;			/* [db->nrows] */
	uint32_t   *items;			/* [db->entries] */
	uint64_t   *start;			/* [db->nrows] how many transactions come before each row */
	uint64_t	top;			/* the top of the memory block without all this */
} TensorSource;

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

/* Mines the device's share of the job.  Another thread than the one that began may call it. */
extern void TensorMine(Tensor *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_H */
