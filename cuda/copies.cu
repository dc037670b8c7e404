/*-------------------------------------------------------------------------
 *
 * copies.cu
 *	  Copies to and from the devices.
 *
 * Host memory that CUDA does not know is copied to and from the device through
 * the ring: while a piece of it is on its way, the next one is filled.  One thread
 * fills it with 10 GB/s, a fifth of what the device could take.  Pinning memory
 * where it is goes on at 32 GB/s, so a large database is pinned, step by step as
 * it is needed, while the step before is copied.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "device.h"

/* A database is pinned from this size on, in steps of so many bytes. */
#define PIN_LEAST		((size_t) 32 << 20)
#define PIN_STEP		((size_t) 32 << 20)
#define PAGE			((size_t) 4096)

/* ---- pinning the database ---- */

/* Rows and items, which is what travels, are one after the other. */
void
GpuPinDatabase(GpuJob *job)
{
	uintptr_t	begin = (uintptr_t) job->db + job->db->row_at;
	uintptr_t	end = (uintptr_t) job->db + job->db->occurrences_at;
	size_t		steps;

	begin = (begin + PAGE - 1) / PAGE * PAGE;
	end = end / PAGE * PAGE;
	if (end < begin + PIN_LEAST)
		return;
	steps = (end - begin + PIN_STEP - 1) / PIN_STEP;
	job->pinned = (bool *) GpuHostAlloc(job, sizeof(bool) * steps);
	memset(job->pinned, 0, sizeof(bool) * steps);
	job->pin_begin = (const char *) begin;
	job->pin_end = (const char *) end;
}

static size_t
StepBytes(const GpuJob *job, size_t step)
{
	return GpuLesser(PIN_STEP, (size_t) (job->pin_end - job->pin_begin) - step * PIN_STEP);
}

static bool
PinStep(GpuJob *job, size_t step)
{
	cudaError_t error;

	if (job->pinned[step])
		return true;
	error = cudaHostRegister((void *) (job->pin_begin + step * PIN_STEP), StepBytes(job, step),
							 cudaHostRegisterPortable);
	if (error == cudaSuccess)
		job->pinned[step] = true;
	else if (GpuIsHarmless(error))
		(void) cudaGetLastError();	/* there is the ring */
	else
		GpuFail(NULL, error, "pinning transactions");
	return job->pinned[step];
}

void
GpuUnpinDatabase(GpuJob *job)
{
	if (job->pin_begin == NULL || GpuIsDead())
		return;
	for (size_t step = 0; job->pin_begin + step * PIN_STEP < job->pin_end; step++)
		if (job->pinned[step])
			cudaHostUnregister((void *) (job->pin_begin + step * PIN_STEP));
}

/* How many of the bytes are all pinned, or all not; which is pinned for that. */
size_t
GpuPinnedRun(GpuJob *job, const void *from, size_t bytes, bool *pinned)
{
	const char *at = (const char *) from;
	size_t		step;

	*pinned = false;
	if (job->pin_begin == NULL || at >= job->pin_end || at + bytes <= job->pin_begin)
		return bytes;
	if (at < job->pin_begin)
		return (size_t) (job->pin_begin - at);
	step = (size_t) (at - job->pin_begin) / PIN_STEP;
	*pinned = PinStep(job, step);
	return GpuLesser(bytes, (size_t) (job->pin_begin + step * PIN_STEP + StepBytes(job, step) - at));
}

/* ---- copies ---- */

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
void
GpuCopy(GpuDevice *device, int stream, void *to, const void *from, size_t bytes, const char *what)
{
	GpuTimer   *timer = GpuBegin(device, stream, FIM_GPU_TRANSFER, (double) bytes);

	GpuCheck(device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice,
									 device->streams[stream]), what);
	GpuEnd(device, stream, timer);
}

void
GpuSendPiece(GpuDevice *device, int stream, int piece, void *to, size_t from, size_t bytes,
			 const char *what)
{
	GpuCopy(device, stream, to, device->ring + (size_t) piece * GPU_PIECE + from, bytes, what);
	GpuCheck(device, cudaEventRecord(device->copied[piece], device->streams[stream]), what);
}

/* What is sent from the database must stay as it is until the job ends. */
void
GpuSend(GpuJob *job, GpuDevice *device, int stream, void *to, const void *from, size_t bytes,
		const char *what)
{
	for (size_t done = 0; done < bytes;)
	{
		bool		pinned;
		size_t		n = GpuPinnedRun(job, (const char *) from + done, bytes - done, &pinned);
		int			piece;
		char	   *ring;

		if (pinned)
			GpuCopy(device, stream, (char *) to + done, (const char *) from + done, n, what);
		else
		{
			n = GpuLesser(n, GPU_PIECE);
			ring = GpuPiece(job, device, &piece);
			memcpy(ring, (const char *) from + done, n);
			GpuSendPiece(device, stream, piece, (char *) to + done, 0, n, what);
		}
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
