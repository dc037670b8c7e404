/*-------------------------------------------------------------------------
 *
 * device.h
 *	  A device: what lives as long as its context, and what the job under way holds
 *	  there.
 *
 * The functions of cuda/'s own files return a cudaError_t.  If it is not cudaSuccess,
 * either something failed, and the function has recorded what, or it is GPU_STOPPED:
 * see fault.h.  None of them leaves by longjmp.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DEVICE_H
#define FIM_DEVICE_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/gpu.h"

#define GPU_STREAMS		3		/* of a device: one to count, the others to load */
#define GPU_COUNT		0		/* the stream that counts; the loading ones follow it */
#define GPU_LOADERS		(GPU_STREAMS - 1)
#define GPU_PIECES		4		/* of a device's pinned ring */
#define GPU_PIECE		((size_t) 4 << 20)	/* bytes of each of them */
#define GPU_TIMERS		32
#define GPU_EVENTS		4

/* Stands for "none" where a number of an item, a row or a block is expected. */
#define GPU_NONE		UINT32_MAX

/* Measures a piece of work between two events of a stream, see timing.h. */
typedef struct GpuTimer
{
	cudaEvent_t begin;
	cudaEvent_t end;
	FimGpuPhase phase;
	double		amount;			/* see FimGpuPhase */
	bool		running;
} GpuTimer;

typedef struct GpuMemory GpuMemory;

typedef struct GpuDevice
{
	int			number;			/* CUDA's number */
	bool		open;			/* its context and all of the following exist */
	bool		pools;			/* it allocates from a pool, which is quick */
	int			processors;		/* multiprocessors */
	size_t		l2_size;		/* bytes */
	cudaStream_t streams[GPU_STREAMS];
	cudaEvent_t reached[GPU_STREAMS];	/* how far a stream has come; for timing.c alone */
	cudaEvent_t events[GPU_EVENTS]; /* for a family's own use */

	/* for copies.c alone */
	char	   *ring;			/* pinned, GPU_PIECES of GPU_PIECE bytes */
	cudaEvent_t copied[GPU_PIECES]; /* the last copy to the device from each piece */
	int			next_piece;
	cudaEvent_t shared_copied[2][GPU_STREAMS];	/* the last copy from each half of the shared buffer */

	GpuTimer	timers[GPU_TIMERS];
	int			next_timer;

	/* of the job that uses the device */
	uint64_t	limit;			/* bytes that it may take */
	uint64_t	used;			/* bytes that it holds */
	uint64_t	peak;			/* the most that it has held */
	GpuMemory  *memory;			/* the blocks that it holds, see memory.c */
	double		ms[FIM_GPU_NPHASES]; /* time of each phase */
	double		amount[FIM_GPU_NPHASES]; /* see FimGpuPhase */
	double		pace;			/* of the last launch that counted: amount per ms; 0 if there was none */
	double		launched;		/* amount of the last launch that counts */
} GpuDevice;

/* The bytes of a device's memory that the job may still take. */
static inline uint64_t
GpuRoom(const GpuDevice *device)
{
	return device->limit > device->used ? device->limit - device->used : 0;
}

/* Returns from a function that returns a cudaError_t if a call did not succeed. */
#define GPU_TRY(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
			return error_; \
	} while (0)

/* The number of blocks, of "threads" threads each, that together have n threads or more. */
static inline uint32_t
GpuBlocks(uint64_t n, uint32_t threads)
{
	return (uint32_t) ((n + threads - 1) / threads);
}

static inline uint64_t
GpuLesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
GpuGreater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The number of bits, at least 1, that hold every number below n. */
static inline int
GpuBitsBelow(uint32_t n)
{
	int			bits = 1;

	while (bits < 32 && n > UINT32_C(1) << bits)
		bits++;
	return bits;
}

/* n, limited to the range from "least" to "most".  If the bounds cross, the result is "least". */
static inline uint64_t
GpuBetween(uint64_t least, uint64_t n, uint64_t most)
{
	return GpuGreater(least, GpuLesser(n, most));
}

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DEVICE_H */
