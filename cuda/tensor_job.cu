/*-------------------------------------------------------------------------
 *
 * tensor_job.cu
 *	  Strategy "tensor" as one of the GPU engine's.
 *
 * Itemsets go out the way that the CPU engine's do: its output.c is linked into
 * this library as well, and with it comes its Miner.  Where not even the root's
 * bitmaps fit the device, hil streams them.
 *
 *-------------------------------------------------------------------------
 */
#include "miners.h"
#include "tensor.h"

#include <string.h>
#include <time.h>

/* The job under way, for what is called without it. */
static GpuJob *tensor_job;
static Miner tensor_miner;

/* Give host memory back, however the job ended: any call may leave by GpuFail(). */
void
TensorRelease(void)
{
	if (tensor_job == NULL)
		return;
	OutputFree(&tensor_miner);
	ArenaFree(&tensor_miner.arena);
	tensor_job = NULL;
}

static void
Fault(TensorDevice *device, cudaError_t error, const char *what)
{
	GpuFail(tensor_job->devices[0], error, what);
}

static void
Full(TensorDevice *device, const char *what, uint64_t needed, uint64_t free)
{
	GpuOutOfMemory(tensor_job->devices[0], needed, what);
}

static void
Upload(TensorDevice *device, void *to, const void *from, size_t size)
{
	GpuSend(tensor_job, tensor_job->devices[0], GPU_COUNT, to, from, size,
			"copying transactions to the device");
}

static double
Milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

static void
Mine(GpuJob *job, TensorDevice *device)
{
	Miner	   *m = &tensor_miner;
	FimResult	result = (FimResult) setjmp(m->leave);

	if (result == FIM_DONE)
	{
		OutputInit(m);
		TensorMine(m, device);
		OutputFlush(m);
		if (job->job->count_only)
			OutputTally(m, job->tally);
	}
	else
		GpuLeave(result);
}

FimResult
TensorMineJob(GpuJob *job)
{
	GpuDevice  *gpu = job->devices[0];
	TensorDevice device = {};
	double		begin = Milliseconds();
	uint64_t	least;
	uint64_t	wanted;

	TensorMemory(job->job, job->db, &least, &wanted);
	if (least > GpuRoom(gpu))
	{
		job->strategy = FIM_GPU_HIL;
		return GminerMine(job);
	}
	job->strategy = FIM_GPU_TENSOR;
	job->ndevices = 1;
	device.size = GpuLesser(wanted, GpuRoom(gpu)) / 512 * 512;
	device.memory = GpuAlloc(gpu, device.size, "allocating memory for the job");
	device.stream = gpu->streams[GPU_COUNT];
	device.fault = Fault;
	device.full = Full;
	device.upload = Upload;

	tensor_job = job;
	memset(&tensor_miner, 0, sizeof(tensor_miner));
	tensor_miner.job = job->job;
	tensor_miner.db = job->db;
	tensor_miner.shared = job->shared;
	tensor_miner.host = job->host;
	tensor_miner.sink = job->sink;
	ArenaInit(&tensor_miner.arena, job->host, &tensor_miner.leave);
	Mine(job, &device);
	gpu->amount[FIM_GPU_COUNT] += (double) device.tests;
	gpu->ms[FIM_GPU_COUNT] += Milliseconds() - begin;
	return FIM_DONE;
}
