/*-------------------------------------------------------------------------
 *
 * tensor.h
 *	  Strategy "tensor", see tensor.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_H
#define FIM_TENSOR_H

#include <cuda_runtime_api.h>

extern "C"
{
#include "engine/miner.h"
}

/*
 * Where a job is mined: device memory that is its own, a stream, and how to leave.
 * Neither function returns; what is on the device is the caller's to give up.
 */
typedef struct TensorDevice
{
	void	   *memory;
	uint64_t	size;			/* bytes, see TensorMemory() */
	cudaStream_t stream;
	uint64_t	tests;			/* pairs of bits counted, added to */
	void		(*fault) (struct TensorDevice *device, cudaError_t error, const char *what);
	void		(*full) (struct TensorDevice *device, const char *what,
						 uint64_t needed, uint64_t free);
	void		(*upload) (struct TensorDevice *device, void *to, const void *from, size_t size);
} TensorDevice;

/* Device memory in bytes that the job can do with, and with which it is fast. */
extern void TensorMemory(const FimJob *job, const FimDatabase *db,
						 uint64_t *least, uint64_t *wanted);

/* Mine.  The miner's output has been set up; host memory is from its arena. */
extern void TensorMine(Miner *m, TensorDevice *device);

#endif							/* FIM_TENSOR_H */
