/*-------------------------------------------------------------------------
 *
 * cuda_standin.c
 *	  A stand-in for the CUDA runtime, see cuda_standin.h.
 *
 *-------------------------------------------------------------------------
 */
#include "cuda_standin.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY	((size_t) 1 << 30)

Standin		standin;

static cudaError_t last_error;

/* What a call returns that can fail. */
static cudaError_t
Answer(void)
{
	if (++standin.calls != standin.fail_at)
		return cudaSuccess;
	standin.failed = true;
	last_error = standin.error;
	return standin.error;
}

cudaError_t
cudaGetLastError(void)
{
	cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

const char *
cudaGetErrorName(cudaError_t error)
{
	return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "an error";
}

/* ---- devices ---- */

cudaError_t
cudaGetDeviceCount(int *n)
{
	*n = STANDIN_DEVICES;
	return Answer();
}

cudaError_t
cudaSetDevice(int device)
{
	return Answer();
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
	memset(properties, 0, sizeof(*properties));
	strcpy(properties->name, "stand-in");
	return Answer();
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	*value = attribute == cudaDevAttrMemoryPoolsSupported ? device == 1 : 8;
	return Answer();
}

cudaError_t
cudaDeviceReset(void)
{
	return cudaSuccess;
}

/* ---- memory ---- */

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
	*free_bytes = MEMORY;
	*total = 2 * MEMORY;
	return Answer();
}

cudaError_t
cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	*pool = NULL;
	return Answer();
}

cudaError_t
cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	*(uint64_t *) value = 0;
	return Answer();
}

cudaError_t
cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	return Answer();
}

cudaError_t
cudaDeviceCanAccessPeer(int *can, int device, int other)
{
	*can = 1;
	return Answer();
}

cudaError_t
cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t n)
{
	standin.reaching = access->location.id;
	return Answer();
}

cudaError_t
cudaMalloc(void **address, size_t bytes)
{
	cudaError_t error = Answer();

	if (error != cudaSuccess)
		return error;
	*address = NULL;
	if (bytes == 0)
		return cudaSuccess;
	*address = malloc(bytes);
	standin.live++;
	return cudaSuccess;
}

cudaError_t
cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream)
{
	return cudaMalloc(address, bytes);
}

cudaError_t
cudaFree(void *address)
{
	free(address);
	standin.live--;
	return cudaSuccess;
}

cudaError_t
cudaFreeAsync(void *address, cudaStream_t stream)
{
	return cudaFree(address);
}

cudaError_t
cudaHostAlloc(void **address, size_t bytes, unsigned flags)
{
	cudaError_t error = Answer();

	if (error == cudaSuccess)
		*address = malloc(bytes);
	return error;
}

cudaError_t
cudaFreeHost(void *address)
{
	free(address);
	return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	cudaError_t error = Answer();

	if (error == cudaSuccess)
		memcpy(to, from, bytes);
	return error;
}

cudaError_t
cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t stream)
{
	return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

/* ---- streams and events ---- */

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
	*stream = NULL;
	return Answer();
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
	return Answer();
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	return Answer();
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
	*event = NULL;
	return Answer();
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
	*event = NULL;
	return Answer();
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return Answer();
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
	if (standin.not_ready == 0)
		return Answer();
	standin.not_ready--;
	return cudaErrorNotReady;
}

cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
	return Answer();
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
	*ms = 1;
	return Answer();
}
