/*-------------------------------------------------------------------------
 *
 * copies.cu
 *	  Copies to and from the devices.
 *
 * Host memory is copied to and from a device through its ring, which is pinned:
 * while a piece of it is on its way, the next one is filled.  One thread fills it
 * with 10 GB/s, a fifth of what the device could take.
 *
 * Transactions go to all devices, by way of a buffer that these share.  All threads
 * that can help fill one half of it while the other is on its way.  To pin 0.8 GB of
 * transactions where they are, and to unpin them, took 33 ms with one H200 in use and
 * 80 to 107 ms with four.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "device.h"
#include "host_threads.h"

/* What a thread copies into the shared buffer at a time. */
#define SLICE			((size_t) 256 << 10)

static char *shared_buffer;		/* pinned, two halves; NULL: not there yet */
static int	next_half;

/* A piece of the ring that nothing is copied from or to any more. */
char *
GpuPiece(GpuJob *job, GpuDevice *device, int *piece)
{
	*piece = device->next_piece;
	device->next_piece = (*piece + 1) % GPU_PIECES;
	GpuCheck(device, cudaSetDevice(device->number), "copying to the device");
	GpuWaitEvent(job, device, device->copied[*piece], "copying to the device");
	return device->ring + (size_t) *piece * GPU_PIECE;
}

/* From pinned memory. */
static void
Copy(GpuDevice *device, int stream, void *to, const void *from, size_t bytes, const char *what)
{
	GpuTimer   *timer = GpuBegin(device, stream, FIM_GPU_TRANSFER, (double) bytes);

	GpuCheck(device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice,
									 device->streams[stream]), what);
	GpuEnd(device, stream, timer);
}

/* From a piece of the ring. */
void
GpuSendPiece(GpuDevice *device, int stream, int piece, void *to, size_t bytes, const char *what)
{
	Copy(device, stream, to, device->ring + (size_t) piece * GPU_PIECE, bytes, what);
	GpuCheck(device, cudaEventRecord(device->copied[piece], device->streams[stream]), what);
}

/* From memory that may change at once. */
void
GpuSend(GpuJob *job, GpuDevice *device, int stream, void *to, const void *from, size_t bytes,
		const char *what)
{
	for (size_t done = 0; done < bytes;)
	{
		size_t		n = GpuLesser(bytes - done, GPU_PIECE);
		int			piece;
		char	   *ring = GpuPiece(job, device, &piece);

		memcpy(ring, (const char *) from + done, n);
		GpuSendPiece(device, stream, piece, (char *) to + done, n, what);
		done += n;
	}
}

/* Returns when all has come. */
void
GpuReceive(GpuJob *job, GpuDevice *device, int stream, void *to, const void *from, size_t bytes,
		   const char *what)
{
	for (size_t done = 0; done < bytes;)
	{
		size_t		n = GpuLesser(bytes - done, GPU_PIECE);
		int			piece;
		char	   *ring = GpuPiece(job, device, &piece);
		GpuTimer   *timer = GpuBegin(device, stream, FIM_GPU_RETURN, (double) n);

		GpuCheck(device, cudaMemcpyAsync(ring, (const char *) from + done, n,
										 cudaMemcpyDeviceToHost, device->streams[stream]), what);
		GpuEnd(device, stream, timer);
		GpuWait(job, device, stream, what);
		memcpy((char *) to + done, ring, n);
		done += n;
	}
}

/* ---- to all devices ---- */

/* When contexts are there; the device is whose the error would be. */
void
GpuOpenShared(const GpuDevice *device)
{
	if (shared_buffer == NULL)
		GpuCheck(device, cudaHostAlloc((void **) &shared_buffer, 2 * GPU_SHARED, cudaHostAllocPortable),
				 "allocating pinned memory");
}

/* A half of the shared buffer that nothing is copied from any more: GPU_SHARED bytes. */
char *
GpuSharedHalf(GpuJob *job, int *half)
{
	*half = next_half;
	next_half = 1 - next_half;
	for (int d = 0; d < job->ndevices; d++)
		for (int s = 0; s < GPU_STREAMS; s++)
			GpuWaitEvent(job, job->devices[d], job->devices[d]->shared_copied[*half][s],
						 "copying to the device");
	return shared_buffer + *half * GPU_SHARED;
}

/* The half's first bytes.  The device becomes the current one. */
void
GpuSendShared(GpuDevice *device, int stream, int half, void *to, size_t bytes, const char *what)
{
	GpuCheck(device, cudaSetDevice(device->number), what);
	Copy(device, stream, to, shared_buffer + half * GPU_SHARED, bytes, what);
	GpuCheck(device, cudaEventRecord(device->shared_copied[half][stream], device->streams[stream]),
			 what);
}

typedef struct Filling
{
	char	   *to;
	const char *from;
	size_t		bytes;
} Filling;

static void
FillSlice(void *of, uint32_t number, uint32_t thread)
{
	const Filling *filling = (const Filling *) of;
	size_t		at = number * SLICE;

	memcpy(filling->to + at, filling->from + at, GpuLesser(filling->bytes - at, SLICE));
}

/* The same to an array of each device, to[ndevices]. */
void
GpuSendAll(GpuJob *job, int stream, void *const *to, const void *from, size_t bytes, const char *what)
{
	for (size_t done = 0; done < bytes;)
	{
		int			half;
		Filling		filling = {GpuSharedHalf(job, &half), (const char *) from + done,
		GpuLesser(bytes - done, GPU_SHARED)};

		HostRun(job, (uint32_t) ((filling.bytes + SLICE - 1) / SLICE), FillSlice, &filling);
		for (int d = 0; d < job->ndevices; d++)
			GpuSendShared(job->devices[d], stream, half, (char *) to[d] + done, filling.bytes, what);
		done += filling.bytes;
	}
}

/* With the contexts goes what is pinned. */
void
GpuFreeShared(void)
{
	if (shared_buffer != NULL)
		cudaFreeHost(shared_buffer);
	shared_buffer = NULL;
}
