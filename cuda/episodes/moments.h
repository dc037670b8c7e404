/*-------------------------------------------------------------------------
 *
 * moments.h
 *	  Surrogates whose times are small numbers, so that these serve as moments.
 *
 * Where the times of all partitions, one after the other with room for gaps between them, fit
 * in 32 bits, an event's moment is its time.  Silences that are longer than all gaps are cut
 * short for that, and if that is not enough, slices begin after some of them, each with moments
 * of its own.  Then a gap reaches as far back from any event, and events need only be in
 * order within their types.  As they are moved by little, an event has few others that it can
 * change places with: each counts those of them that come before it.
 *
 * Included by surrogate_stream.h, and by moments.c and moments_kernels.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_MOMENTS_H
#define FIM_GPU_MOMENTS_H

#include "episodes/surrogates_device.h"
#include "episodes/wanted_events.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* On the host. */
typedef struct MomentPlan
{
	bool		fits;			/* otherwise nothing else matters */
	uint32_t   *origin;			/* [events] the moments of events that have not been moved */
	uint32_t   *reach;			/* [nedges] */
	uint32_t	slices;			/* that the stream is cut into */
	uint32_t   *first;			/* [slices] the first event of each; NULL if there is one */
} MomentPlan;

/* There are about as many slices as are asked for, or more if it takes them.  Host memory is the team's. */
extern cudaError_t PlanMoments(EpisodesJob *job, uint32_t slices, MomentPlan *plan);

extern void FreeMomentPlan(EpisodesJob *job, MomentPlan *plan);

/* On a device; [wanted] by class and in the order of the stream. */
typedef struct Moments
{
	uint32_t   *origin;			/* the moment before the event is moved */
	uint32_t   *type;
	uint32_t   *rank;			/* its number among the events of its type */
	uint32_t   *first;			/* those that it can change places with, and itself, are from here on ... */
	uint32_t   *end;			/* ... and before this one */
	uint32_t   *moved;			/* [surrogates][wanted] moments before they are put into order */
} Moments;

extern cudaError_t FillMoments(GpuDevice *device, const Moving *moving, const uint32_t *origin,
							   const Moments *moments);
extern cudaError_t MoveMoments(GpuDevice *device, const Moving *moving, const Moments *moments, uint32_t first,
							   uint32_t end, uint32_t *moment);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_MOMENTS_H */
