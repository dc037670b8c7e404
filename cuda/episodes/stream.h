/*-------------------------------------------------------------------------
 *
 * stream.h
 *	  The events as they lie on the devices.
 *
 * Events are in places: those of one type lie together, in the order of the stream.
 * Times do not matter any more: of each event it is known how far back the edges of the
 * gaps reach.  back[edge] is the first event of its partition that is less than the edge's
 * length earlier, so that an event can follow those under a gap that come from
 * back[high edge] to the one before back[low edge].  Edge 0 is the least length there is:
 * so back[0] is the first event of the same time, which stands for the time itself and is
 * called the event's moment.  One event is later than another, or in a later partition, if
 * its moment is greater.  In surrogates moments may be times, see moments.h.
 *
 * Included by the files of cuda/episodes that deal with events.
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
	uint32_t   *back;			/* [nedges][events], by place */
	uint32_t   *start;			/* [ntypes + 1] */
	FimGapEdges *gap;			/* [ngaps] */
	const uint32_t *reach;		/* [nedges] if edges reach as far back from all moments, this is how far, and "back" is
								 * [1][events]; otherwise NULL */
	uint32_t   *type;			/* [events] in the order of the stream */
	uint32_t	events;

	/* in the order of the stream, all for strategies that walk along it; otherwise moments only, which is [1][events] */
	uint32_t   *back_of;		/* [nedges][events] */
} DeviceStream;

typedef struct EventStream
{
	DeviceStream on[FIM_GPU_MAX_DEVICES];
} EventStream;

/* What of the stream a strategy wants beside the places. */
typedef enum StreamForm
{
	STREAM_BY_PLACE,
	STREAM_BY_EVENT				/* the order of the stream, too */
} StreamForm;

/* The bytes that a section takes on a device; while it is made, and then. */
extern uint64_t StreamMemory(const FimEpisodesData *data, const Section *section, StreamForm form, bool making);

/* Puts the events of the job's section on all devices of its team. */
extern cudaError_t StreamOpen(EpisodesJob *job, EventStream *stream, StreamForm form);

/* Takes them away, once what the counting streams were given before is done. */
extern cudaError_t StreamClose(EpisodesJob *job, EventStream *stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_STREAM_H */
