/*-------------------------------------------------------------------------
 *
 * surrogate_stream.h
 *	  Making surrogates on a device: a batch of them is one stream.
 *
 * The classes of each surrogate are types there, see wanted_events.h, and they and its partitions
 * follow on those of the surrogate before.  As events keep their types and partitions, only times
 * change: so all arrays have the same sizes, and the events of types the same places, for all
 * surrogates.  Events of a type that come to the same time stay two; one of them can be
 * in no occurrence that does not overlap with those of the other one.
 *
 * Included by surrogates.c and by surrogate_stream.c.
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

typedef struct StreamMaker
{
	GpuDevice  *device;
	DeviceStream stream;		/* the batch at hand */
	Moving		moving;
	TypeSort	sort;
	Moments		moments;		/* if times serve as moments; otherwise what follows */
	Moved		moved;
	BackSearch	search;
	FimTime    *time;			/* [events] in the batch */
} StreamMaker;

/* The bytes that it takes on a device for the job, and for each surrogate of a batch; "wanted" events are moved. */
extern uint64_t StreamMakerBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_moments);
extern uint64_t SurrogateBytes(const FimEpisodesData *data, uint64_t wanted, uint64_t classes, bool by_moments);

/* Ready to make batches of so many surrogates. */
extern cudaError_t OpenStreamMaker(EpisodesJob *job, StreamMaker *maker, GpuDevice *device, const WantedEvents *w,
								   const MomentPlan *moments, uint32_t copies);

/* Have it make those from "first" to end - 1. */
extern cudaError_t MakeSurrogates(StreamMaker *maker, uint32_t first, uint32_t end);

/* Memory of a device, which the job has to its end; what is at "from" is copied there. */
extern cudaError_t TakeMemory(GpuDevice *device, size_t bytes, void *to);
extern cudaError_t TakeCopy(EpisodesJob *job, GpuDevice *device, const void *from, size_t bytes, void *to);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SURROGATE_STREAM_H */
