/*-------------------------------------------------------------------------
 *
 * tensor_device.h
 *	  What strategy "tensor" is given: a device, and transactions on it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_DEVICE_H
#define FIM_TENSOR_DEVICE_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/itemsets/itemsets.h"

/*
 * What the strategy uses of a device: memory that is its own, a stream, and functions of the
 * caller.  fault() and full() do not return: they jump back to the caller, who frees what is on
 * the device.
 */
typedef struct TensorDevice
{
	void	   *memory;
	uint64_t	size;			/* bytes, see TensorMemory() */
	cudaStream_t stream;
	uint64_t	tests;			/* the number of pairs of bits that were counted is added to it */
	uint64_t	returned;		/* bytes of listed tables that were copied to the host are added to it */
	double		return_ms;		/* the time of these copies is added to it */
	uint64_t	kept;			/* bytes that more() can give without taking time */
	uint32_t   *taken;			/* shared by the team, atomic, at first 0: the first member of the root
								 * whose class no device has taken */

	/*
	 * fault(): a CUDA call has failed.  full(): "needed" bytes of the memory were wanted, and
	 * only "free" bytes of it are free.
	 */
	void		(*fault) (struct TensorDevice *device, cudaError_t error, const char *what);
	void		(*full) (struct TensorDevice *device, const char *what,
						 uint64_t needed, uint64_t free);
	/*
	 * The error of the launch just made, and the error of a wait that has ended well.  Tests
	 * can inject either.
	 */
	cudaError_t (*launch_error) (struct TensorDevice *device);
	cudaError_t (*wait_error) (struct TensorDevice *device);

	/*
	 * Called before and after the launch that makes the root's bitmaps, which reads and writes
	 * "bytes" bytes.
	 */
	void		(*begin_build) (struct TensorDevice *device, uint64_t bytes);
	void		(*end_build) (struct TensorDevice *device);

	/*
	 * Returns more memory: *bytes of it, or less, but not less than "least", and sets *bytes to
	 * how much.  Returns NULL if there is not that much.
	 */
	void	   *(*more) (struct TensorDevice *device, uint64_t least, uint64_t *bytes);
} TensorDevice;

/* Where on the device the transactions are to be. */
typedef struct TensorSource
{
	FimRow	   *rows;			/* [db->nrows] */
	uint32_t   *items;			/* [db->entries] */
	uint64_t   *start;			/* [db->nrows] the number of transactions before each row */
	uint64_t	top;			/* the top of the memory block when these arrays are freed */
} TensorSource;

/* A device's share of a job, see tensor_state.h. */
typedef struct Tensor Tensor;

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_DEVICE_H */
