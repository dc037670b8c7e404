/*-------------------------------------------------------------------------
 *
 * stream.h
 *	  The events as they lie on the devices.
 *
 * Events are in places: those of one type lie together, in the order of the stream.
 * Times do not matter any more, because it is known how far back the edges of the gaps
 * reach from each event.  back[edge] is the first event of its partition that is less than the
 * edge's length earlier.  So under a gap, an event can follow the events from back[high edge]
 * to the one before back[low edge].  Edge 0 is the least length above 0, so back[0] is the first
 * event of the same time.  It stands for the time itself and is called the event's moment.  One
 * event is later than another, or in a later partition, if its moment is greater.  In surrogates,
 * moments may be times, see moments.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_STREAM_H
#define FIM_GPU_STREAM_H

#include "episodes/episodes_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* On a device; all arrays are there. */
typedef struct DeviceStream
{
	uint32_t   *back;			/* [nedges][events] by place; only moments, [1][events], if there is "reach" */
	uint32_t   *start;			/* [ntypes + 1] the first place of each type */
	FimGapEdges *gap;			/* [ngaps] */
	const uint32_t *reach;		/* [nedges] how far back each edge reaches, if that is equally far from all moments;
								 * otherwise NULL */
	uint32_t   *type;			/* [events] in the order of the stream */
	uint32_t	events;
	uint32_t   *back_of;		/* [nedges][events] in the order of the stream with STREAM_BY_EVENT; otherwise only
								 * moments, [1][events] */
} DeviceStream;

typedef struct EventStream
{
	DeviceStream on[FIM_GPU_MAX_DEVICES];
} EventStream;

/* How a strategy wants the stream. */
typedef enum StreamForm
{
	STREAM_BY_PLACE,
	STREAM_BY_EVENT				/* by place, and in the order of the stream, too, to walk along it */
} StreamForm;

/* The bytes that a section takes on a device: while its stream is made, or afterwards. */
extern uint64_t StreamMemory(const FimEpisodesData *data, const Section *section, StreamForm form, bool making);

/* Puts the events of the job's section on all devices of its team.  Does not wait until they are there. */
extern cudaError_t StreamOpen(EpisodesJob *job, EventStream *stream, StreamForm form);

/* Copies the stream from the first device of the team to another one. */
extern cudaError_t StreamCopy(EpisodesJob *job, EventStream *stream, StreamForm form, int device);

/* Frees the stream's memory, once the work is done that the counting streams have been given. */
extern cudaError_t StreamClose(EpisodesJob *job, EventStream *stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_STREAM_H */
