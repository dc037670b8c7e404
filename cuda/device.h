/*-------------------------------------------------------------------------
 *
 * device.h
 *	  What the GPU engine's host code shares: devices, a job, and the ways out.
 *
 * There is one job at a time and one thread; others only help, see host_threads.h
 * and tensor_crew.cu.  What the job takes, on the host and on the devices, is kept
 * in lists, so that leaving is one longjmp from anywhere:
 * GpuFail() and GpuLeave() go to where the job began, which frees the lists.
 * Therefore nothing that has to be given back may be held in local variables
 * alone.
 *
 * Itemsets go out the way that the CPU engine's do: its output.c is linked into
 * this library, and with it comes its Miner, whose own way out ends there, too.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DEVICE_H
#define FIM_DEVICE_H

#include <setjmp.h>
#include <cuda_runtime.h>

extern "C"
{
#include "engine/gpu.h"
#include "engine/itemsets/miner.h"
}

#define GPU_STREAMS		3		/* one to count, the others to load */
#define GPU_COUNT		0		/* the first */
#define GPU_LOADERS		(GPU_STREAMS - 1)
#define GPU_PIECES		4		/* of the pinned ring */
#define GPU_PIECE		((size_t) 4 << 20)
#define GPU_SHARED		((size_t) 16 << 20) /* half of the buffer that devices share */
#define GPU_TIMERS		32
#define GPU_NONE		UINT32_MAX

/* Launches are cut to about this long: nothing stops a kernel once it runs. */
#define GPU_LAUNCH_MS	10.0

/* Work between two events of a stream. */
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
	int			number;			/* CUDA's */
	bool		open;
	bool		pools;			/* allocates from a pool, which is quick */
	int			processors;
	size_t		l2_size;
	cudaStream_t streams[GPU_STREAMS];
	cudaEvent_t reached[GPU_STREAMS];	/* for GpuWait and GpuFollow */
	cudaEvent_t used_slot[2];	/* see bitmaps.cu */
	cudaEvent_t loaded_slot[2];

	char	   *ring;			/* pinned, GPU_PIECES of GPU_PIECE bytes */
	cudaEvent_t copied[GPU_PIECES];
	int			next_piece;
	cudaEvent_t shared_copied[2][GPU_STREAMS];	/* the last from each half of the shared buffer */

	GpuTimer	timers[GPU_TIMERS];
	int			next_timer;

	/* of the job */
	uint64_t	limit;			/* bytes */
	uint64_t	used;
	uint64_t	peak;
	GpuMemory  *memory;
	double		ms[FIM_GPU_NPHASES];
	double		amount[FIM_GPU_NPHASES];
	double		pace;			/* amount that the last launches counted in a ms */
	double		launched;		/* amount of the last launch */
} GpuDevice;

typedef struct GpuHostBlock GpuHostBlock;

typedef struct GpuJob
{
	const FimJob *job;
	const FimDatabase *db;
	FimShared  *shared;
	FimHost    *host;
	FimSink    *sink;
	FimTally   *tally;

	/* of the database */
	const uint32_t *support;
	const uint32_t *name;
	const FimRow *rows;
	const uint32_t *items;
	uint32_t	nitems;			/* the frequent ones, which are the first */
	uint32_t	skip;			/* the first of them, which are in all transactions */

	GpuDevice  *devices[FIM_GPU_MAX_DEVICES];
	int			ndevices;
	FimGpuStrategy strategy;	/* the one that mines */
	uint64_t	candidates;
	Miner		miner;			/* to give itemsets out */

	GpuHostBlock *blocks;
	double		last_poll;		/* ms of a clock */
	uint64_t	work;			/* of the host's since then */
} GpuJob;

/* ---- device.cu: devices ---- */

extern int	GpuCountDevices(void);
extern void GpuDescribe(int number, FimGpuDevice *to);
extern int	GpuOpenAll(const FimGpuOptions *options);
extern void GpuCloseAll(void);
extern void GpuStartJob(GpuJob *job, const FimGpuOptions *options);
extern void GpuRelease(void);
extern void GpuEndJob(GpuJob *job);

/* ---- device.cu: ways out ---- */

/* Where GpuFail() and GpuLeave() go, with a FimResult. */
extern jmp_buf gpu_leave;

extern void GpuFail(const GpuDevice *device, cudaError_t error, const char *what);
extern void GpuOutOfMemory(const GpuDevice *device, uint64_t needed, const char *what);
extern void GpuLeave(FimResult result);
extern void GpuInject(const FimGpuInjection *inject);
extern const FimGpuFault *GpuFault(void);
extern bool GpuIsDead(void);
extern void GpuClearFault(void);

/* Is it lost now, because that is injected? */
extern bool GpuLosesDevice(void);

/* Every CUDA call goes through here, or through GpuLaunched() after a launch. */
static inline void
GpuCheck(const GpuDevice *device, cudaError_t error, const char *what)
{
	if (error != cudaSuccess)
		GpuFail(device, error, what);
}

/* Of the launch just made, or injected. */
extern cudaError_t GpuLaunchError(void);

static inline void
GpuLaunched(const GpuDevice *device, const char *what)
{
	GpuCheck(device, GpuLaunchError(), what);
}

extern void GpuPoll(GpuJob *job);

/* Asks only if that was not done a moment ago, and does not leave. */
extern bool GpuMustStop(GpuJob *job);

/* Steps of about a nanosecond that the host does between two polls. */
#define GPU_WORK_PER_POLL	(UINT64_C(1) << 21)

static inline void
GpuWork(GpuJob *job, uint64_t work)
{
	job->work += work;
	if (job->work >= GPU_WORK_PER_POLL)
		GpuPoll(job);
}

/* ---- device.cu: memory ---- */

extern uint64_t GpuRoom(const GpuDevice *device);
extern uint64_t GpuLeastRoom(const GpuJob *job);
extern uint64_t GpuKept(const GpuDevice *device);
extern cudaError_t GpuTake(GpuDevice *device, size_t bytes, void **address);
extern void *GpuTryAlloc(GpuDevice *device, size_t bytes, const char *what);
extern void *GpuAlloc(GpuDevice *device, size_t bytes, const char *what);
extern void GpuFree(GpuDevice *device, void *address);

extern void *GpuHostAlloc(GpuJob *job, size_t bytes);
extern void GpuHostFree(GpuJob *job, void *address);
extern void *GpuHostGrow(GpuJob *job, void *address, uint64_t used, uint64_t needed,
						 uint64_t *room, size_t size);

/* ---- copies.cu ---- */

extern char *GpuPiece(GpuJob *job, GpuDevice *device, int *piece);
extern void GpuSendPiece(GpuDevice *device, int stream, int piece, void *to, size_t bytes,
						 const char *what);
extern void GpuSend(GpuJob *job, GpuDevice *device, int stream, void *to, const void *from,
					size_t bytes, const char *what);
extern void GpuReceive(GpuJob *job, GpuDevice *device, int stream, void *to, const void *from,
					   size_t bytes, const char *what);
extern void GpuSendAll(GpuJob *job, int stream, void *const *to, const void *from, size_t bytes,
					   const char *what);
extern void GpuOpenShared(const GpuDevice *device);
extern void GpuFreeShared(void);
extern char *GpuSharedHalf(GpuJob *job, int *half);
extern void GpuSendShared(GpuDevice *device, int stream, int half, void *to, size_t bytes,
						  const char *what);

/* ---- timing.cu ---- */

extern void GpuWaitEvent(GpuJob *job, GpuDevice *device, cudaEvent_t event, const char *what);
extern void GpuWait(GpuJob *job, GpuDevice *device, int stream, const char *what);
extern void GpuFollow(GpuDevice *device, int stream, int before, const char *what);

extern GpuTimer *GpuBegin(GpuDevice *device, int stream, FimGpuPhase phase, double amount);
extern void GpuEnd(GpuDevice *device, int stream, GpuTimer *timer);
extern void GpuEndTimers(GpuDevice *device);
extern void GpuThrottle(GpuJob *job, GpuDevice *device, const char *what);
extern double GpuLaunchAmount(const GpuDevice *device, double least, double first);

/* For a kernel's grid: enough blocks for n threads. */
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

static inline uint64_t
GpuBetween(uint64_t least, uint64_t n, uint64_t most)
{
	return GpuGreater(least, GpuLesser(n, most));
}

#endif							/* FIM_DEVICE_H */
