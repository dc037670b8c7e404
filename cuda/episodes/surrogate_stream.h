/*-------------------------------------------------------------------------
 *
 * surrogate_stream.h
 *	  Making surrogates on a device: a batch of them is one stream.
 *
 * The classes of each surrogate are types of that stream, see moments.c.  A surrogate's types
 * and partitions follow those of the surrogate before.  Events keep their types and partitions,
 * and only their times change.  So for all surrogates the arrays have the same sizes, and the events
 * of a type have the same places.  Two events of a type may come to the same time, and stay two
 * events.  This does not change the support, because occurrences with one of them and with the
 * other overlap.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SURROGATE_STREAM_H
#define FIM_GPU_SURROGATE_STREAM_H

#include "copies.h"
#include "episodes/moments.h"
#include "episodes/stream_device.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Makes batches on a device. */
typedef struct StreamMaker
{
	GpuDevice  *device;
	DeviceStream stream;		/* the batch at hand */
	Moving		moving;
	TypeSort	sort;

	/* if times serve as moments */
	Moments		moments;

	/* if they do not */
	Moved		moved;
	BackSearch	search;
	FimTime    *time;			/* [events in the batch] */
} StreamMaker;

/*
 * The bytes of device memory that a StreamMaker takes once, and those for each surrogate of a batch.
 * "wanted" is how many events are moved, "classes" how many classes a surrogate has; by_moments: times serve
 * as moments.
 */
extern uint64_t StreamMakerBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_moments);
extern uint64_t SurrogateBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_moments);

/*
 * Takes what it needs on the device, which must be the current one, for batches of at most "copies"
 * surrogates.
 */
extern cudaError_t OpenStreamMaker(EpisodesJob *job, StreamMaker *maker, GpuDevice *device, const WantedEvents *w,
								   const MomentPlan *moments, uint32_t copies);

/* Begins to make the surrogates from "first" to end - 1, in the counting stream.  They become maker->stream. */
extern cudaError_t MakeSurrogates(StreamMaker *maker, uint32_t first, uint32_t end);

/*
 * Take memory of a device, which is not freed before the job ends, and set *(void **) to to its address.
 * TakeCopy() copies what is at "from" there.
 */
extern cudaError_t TakeMemory(GpuDevice *device, size_t bytes, void *to);
extern cudaError_t TakeCopy(EpisodesJob *job, GpuDevice *device, const void *from, size_t bytes, void *to);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SURROGATE_STREAM_H */
