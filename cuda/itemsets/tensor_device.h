/*-------------------------------------------------------------------------
 *
 * tensor_device.h
 *	  What strategy "tensor" is given: a device, and transactions on it.
 *
 * Included by tensor.h, tensor_root.h and tensor_state.h.
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

/* Where on the device the transactions are to be. */
typedef struct TensorSource
{
	FimRow	   *rows;			/* [db->nrows] */
	uint32_t   *items;			/* [db->entries] */
	uint64_t   *start;			/* [db->nrows] how many transactions come before each row */
	uint64_t	top;			/* the top of the memory block without all this */
} TensorSource;

/* A device's share of a job, see tensor_state.h. */
typedef struct Tensor Tensor;

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_DEVICE_H */
