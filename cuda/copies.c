/*-------------------------------------------------------------------------
 *
 * copies.c
 *	  Copies between the host and the devices, see team.h.
 *
 * Host memory is copied to and from a device through the device's ring, which is pinned: while
 * one quarter of the ring is on its way, the next one is filled.  A single thread fills it at 10
 * GB/s, a fifth of what the device could take.
 *
 * Data that all devices get go through a pinned buffer that the devices share.  All threads
 * that can help fill one half of it while the other half is on its way.  The transactions are
 * not pinned where they are: to pin 0.8 GB of them, and to unpin them, took 33 ms with one H200
 * in use and 80 to 107 ms with four.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "device.h"
#include "team.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * Results on their way to the sink.
 */

cudaError_t
GpuWriteRecords(GpuRecords *records)
{
	return FimWriteBatch(records->sink, records->words, &records->nwords, &records->n) ? cudaSuccess : GPU_STOPPED;
}

cudaError_t
GpuAddRecord(GpuTeam *team, GpuRecords *records, size_t words, uint32_t **to)
{
	if (records->nwords + words > FIM_BATCH_WORDS)
		GPU_TRY(GpuWriteRecords(records));
	GPU_TRY(GpuHostRoom(team, (void **) &records->words, records->nwords,
						GpuGreater(records->nwords + words, FIM_BATCH_WORDS), &records->room, sizeof(uint32_t)));
	*to = records->words + records->nwords;
	records->nwords += words;
	records->n++;
	GpuCountResult(team);
	return GpuWork(team, words * 4) ? GPU_STOPPED : cudaSuccess;
}

cudaError_t
GpuEndRecords(GpuTeam *team, GpuRecords *records)
{
	GPU_TRY(GpuWriteRecords(records));
	GpuHostFree(team, records->words);
	*records = (GpuRecords) {records->sink, NULL, 0, 0, 0};
	return cudaSuccess;
}

/*
 * Bytes of its source that a thread copies into the shared buffer at a time: each thread gets
 * an equal part, within these bounds.
 */
#define LEAST_PART		((size_t) 32 << 10)
#define MOST_PART		((size_t) 256 << 10)

#define STREAMED		64			/* bytes that StreamBytes() copies in a step */

#define LEAST_TIMED		((size_t) 64 << 10)	/* bytes; shorter copies are not timed */

#define ACROSS_AT_ONCE	((size_t) 256 << 20)	/* bytes that go from device to device between two polls */

static char *shared_buffer;		/* pinned, two halves; NULL before it is allocated */
static int	next_half;

/* Copy from or to pinned memory. */
static cudaError_t
CopyPinned(GpuDevice *device, int stream, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
		   const char *what)
{
	FimGpuPhase phase = kind == cudaMemcpyHostToDevice ? FIM_GPU_TRANSFER : FIM_GPU_RETURN;
	GpuTimer   *timer = NULL;

	/* measuring how long a small copy takes would take longer than the copy */
	if (bytes < LEAST_TIMED)
		device->amount[phase] += (double) bytes;
	else
		GPU_TRY(GpuBegin(device, stream, phase, (double) bytes, &timer));
	GPU_TRY(GpuCheck(device, cudaMemcpyAsync(to, from, bytes, kind, device->streams[stream]), what));
	return timer != NULL ? GpuEnd(device, stream, timer) : cudaSuccess;
}

/* Copy a quarter from one device to another. */
static cudaError_t
CopyQuarter(GpuDevice *to_device, void *to, GpuDevice *from_device, const void *from, size_t bytes, const char *what)
{
	GpuTimer   *timer;

	GPU_TRY(GpuUse(to_device, what));
	GPU_TRY(GpuFollowDevice(to_device, from_device, what));
	GPU_TRY(GpuBegin(to_device, GPU_COUNT, FIM_GPU_TRANSFER, (double) bytes, &timer));
	GPU_TRY(GpuCheck(to_device, cudaMemcpyPeerAsync(to, to_device->number, from, from_device->number, bytes,
													to_device->streams[GPU_COUNT]), what));
	GPU_TRY(GpuEnd(to_device, GPU_COUNT, timer));
	return GpuFollowDevice(from_device, to_device, what);
}

cudaError_t
GpuCopyAcross(GpuTeam *team, GpuDevice *to_device, void *to, GpuDevice *from_device, const void *from, size_t bytes,
			  const char *what)
{
	for (size_t done = 0; done < bytes; done += ACROSS_AT_ONCE)
	{
		/* a job that is to stop has to wait for what has been begun */
		if (done > 0)
			GPU_TRY(GpuWait(team, to_device, GPU_COUNT, what));
		GPU_TRY(CopyQuarter(to_device, (char *) to + done, from_device, (const char *) from + done,
						  GpuLesser(bytes - done, ACROSS_AT_ONCE), what));
	}
	return cudaSuccess;
}

/* ---- the ring ---- */

cudaError_t
GpuOpenRing(GpuDevice *device)
{
	return GpuCheck(device, cudaHostAlloc((void **) &device->ring, GPU_QUARTERS * GPU_QUARTER,
										  cudaHostAllocDefault), "allocating pinned memory");
}

void
GpuCloseRing(GpuDevice *device)
{
	cudaFreeHost(device->ring);
}

cudaError_t
GpuNextQuarter(GpuTeam *team, GpuDevice *device, int *quarter, char **at)
{
	const char *what = "copying to the device";

	*quarter = device->next_quarter;
	device->next_quarter = (*quarter + 1) % GPU_QUARTERS;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuWaitEvent(team, device, device->copied[*quarter], what));
	*at = device->ring + (size_t) *quarter * GPU_QUARTER;
	return cudaSuccess;
}

cudaError_t
GpuSendQuarter(GpuDevice *device, int stream, int quarter, void *to, size_t bytes, const char *what)
{
	GPU_TRY(CopyPinned(device, stream, to, device->ring + (size_t) quarter * GPU_QUARTER, bytes, cudaMemcpyHostToDevice,
					   what));
	return GpuCheck(device, cudaEventRecord(device->copied[quarter], device->streams[stream]), what);
}

/*
 * Write the next "bytes" bytes of pieces that follow one another.  They begin at byte *done of
 * **piece; both are advanced to where the next call goes on.
 */
static void
FillQuarter(char *to, size_t bytes, const GpuPiece **piece, size_t *done)
{
	while (bytes > 0)
	{
		size_t		n = GpuLesser(bytes, (*piece)->bytes - *done);

		memcpy(to, (const char *) (*piece)->from + *done, n);
		to += n;
		bytes -= n;
		*done += n;
		if (*done == (*piece)->bytes)
		{
			++*piece;
			*done = 0;
		}
	}
}

cudaError_t
GpuSendPieces(GpuTeam *team, GpuDevice *device, int stream, void *to, const GpuPiece *pieces, int npieces,
			  const char *what)
{
	size_t		left = 0;
	size_t		done = 0;

	for (int p = 0; p < npieces; p++)
		left += pieces[p].bytes;
	while (left > 0)
	{
		size_t		n = GpuLesser(left, GPU_QUARTER);
		int			quarter;
		char	   *ring;

		GPU_TRY(GpuNextQuarter(team, device, &quarter, &ring));
		FillQuarter(ring, n, &pieces, &done);
		GPU_TRY(GpuSendQuarter(device, stream, quarter, to, n, what));
		to = (char *) to + n;
		left -= n;
	}
	return cudaSuccess;
}

cudaError_t
GpuSend(GpuTeam *team, GpuDevice *device, int stream, void *to, const void *from, size_t bytes, const char *what)
{
	GpuPiece	piece = {from, bytes};

	return GpuSendPieces(team, device, stream, to, &piece, 1, what);
}

cudaError_t
GpuReceive(GpuTeam *team, GpuDevice *device, void *to, const void *from, size_t bytes, const char *what)
{
	for (size_t done = 0; done < bytes;)
	{
		size_t		n = GpuLesser(bytes - done, GPU_QUARTER);
		int			quarter;
		char	   *ring;

		GPU_TRY(GpuNextQuarter(team, device, &quarter, &ring));
		GPU_TRY(CopyPinned(device, GPU_COUNT, ring, (const char *) from + done, n, cudaMemcpyDeviceToHost, what));
		GPU_TRY(GpuWait(team, device, GPU_COUNT, what));
		memcpy((char *) to + done, ring, n);
		done += n;
	}
	return cudaSuccess;
}

/* ---- the shared buffer ---- */

cudaError_t
GpuOpenShared(const GpuDevice *device)
{
	if (shared_buffer != NULL)
		return cudaSuccess;
	return GpuCheck(device, cudaHostAlloc((void **) &shared_buffer, 2 * GPU_SHARED,
										  cudaHostAllocPortable), "allocating pinned memory");
}

void
GpuCloseShared(void)
{
	if (shared_buffer != NULL)
		cudaFreeHost(shared_buffer);
	shared_buffer = NULL;
}

cudaError_t
GpuNextHalf(GpuTeam *team, int *half, char **at)
{
	*half = next_half;
	next_half = 1 - next_half;
	for (int d = 0; d < team->ndevices; d++)
		for (int s = 0; s < GPU_STREAMS; s++)
			GPU_TRY(GpuWaitEvent(team, team->devices[d], team->devices[d]->shared_copied[*half][s],
								 "copying to the device"));
	*at = shared_buffer + *half * GPU_SHARED;
	return cudaSuccess;
}

cudaError_t
GpuSendShared(GpuDevice *device, int stream, int half, void *to, size_t bytes, const char *what)
{
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(CopyPinned(device, stream, to, shared_buffer + half * GPU_SHARED, bytes, cudaMemcpyHostToDevice, what));
	return GpuCheck(device, cudaEventRecord(device->shared_copied[half][stream],
											device->streams[stream]), what);
}

/* What threads copy into a half of the buffer. */
typedef struct SharedCopy
{
	char	   *to;
	const char *from;
	size_t		bytes;			/* written to "to" in all */
	size_t		part;			/* bytes that one call of FillPart() writes */
	bool		narrow;			/* "from" has numbers of 32 bits, "to" gets numbers of 16 bits */
} SharedCopy;

/*
 * Copies with stores that bypass the caches, to an address that must be a multiple of 16.  A
 * device reads lines that several processors have in their caches only half as fast as lines
 * that are in memory only.
 */
static void
StreamBytes(char *to, const char *from, size_t bytes)
{
	size_t		done = 0;

#ifdef __SSE2__
	for (; done + STREAMED <= bytes; done += STREAMED)
	{
		__m128i		words[STREAMED / sizeof(__m128i)];

		memcpy(words, from + done, STREAMED);
		for (size_t i = 0; i < STREAMED / sizeof(__m128i); i++)
			_mm_stream_si128((__m128i *) (to + done) + i, words[i]);
	}
#endif
	memcpy(to + done, from + done, bytes - done);
}

void
GpuStreamOut(void *to, const void *from, size_t bytes)
{
	StreamBytes((char *) to, (const char *) from, bytes);
#ifdef __SSE2__
	_mm_sfence();
#endif
}

/*
 * Like StreamBytes(), for numbers of 32 bits of which only the lower halves are written.
 * "bytes" is what is written.
 */
static void
StreamNarrow(char *to, const char *from, size_t bytes)
{
	uint16_t	narrow[STREAMED * 8 / sizeof(uint16_t)];

	for (size_t done = 0; done < bytes;)
	{
		size_t		n = GpuLesser(bytes - done, sizeof(narrow)) / sizeof(uint16_t);

		for (size_t i = 0; i < n; i++)
			narrow[i] = (uint16_t) ((const uint32_t *) from)[done / sizeof(uint16_t) + i];
		StreamBytes(to + done, (const char *) narrow, n * sizeof(uint16_t));
		done += n * sizeof(uint16_t);
	}
}

static void
FillPart(void *of, uint32_t number, uint32_t thread)
{
	const SharedCopy *copy = (const SharedCopy *) of;
	size_t		at = number * copy->part;
	size_t		n = GpuLesser(copy->bytes - at, copy->part);

	if (copy->narrow)
		StreamNarrow(copy->to + at, copy->from + 2 * at, n);
	else
		StreamBytes(copy->to + at, copy->from + at, n);
#ifdef __SSE2__
	_mm_sfence();
#endif
}

static size_t
PartOf(size_t bytes)
{
	return GpuBetween(LEAST_PART, bytes / HostThreads() / STREAMED * STREAMED, MOST_PART);
}

static cudaError_t
SendAll(GpuTeam *team, int stream, void *const *to, const char *from, size_t bytes, bool narrow,
		const char *what)
{
	for (size_t done = 0; done < bytes;)
	{
		int			half;
		SharedCopy	copy;

		GPU_TRY(GpuNextHalf(team, &half, &copy.to));
		copy.from = from + (narrow ? 2 * done : done);
		copy.bytes = GpuLesser(bytes - done, GPU_SHARED);
		copy.narrow = narrow;
		copy.part = narrow ? PartOf(2 * copy.bytes) / 2 : PartOf(copy.bytes);
		GPU_TRY(HostRun(team, GpuBlocks(copy.bytes, copy.part), FillPart, &copy));
		for (int d = 0; d < team->ndevices; d++)
			if (to[d] != NULL)
				GPU_TRY(GpuSendShared(team->devices[d], stream, half, (char *) to[d] + done, copy.bytes,
									  what));
		done += copy.bytes;
	}
	return cudaSuccess;
}

cudaError_t
GpuSendAll(GpuTeam *team, int stream, void *const *to, const void *from, size_t bytes, const char *what)
{
	return SendAll(team, stream, to, (const char *) from, bytes, false, what);
}

cudaError_t
GpuSendNarrow(GpuTeam *team, void *const *to, const uint32_t *from, uint64_t n, const char *what)
{
	return SendAll(team, GPU_COUNT, to, (const char *) from, sizeof(uint16_t) * n, true, what);
}
