/*-------------------------------------------------------------------------
 *
 * moments.h
 *	  Surrogates whose times are small numbers, so that these serve as moments.
 *
 * The times of all partitions are laid out one after the other, with room for gaps between the
 * partitions.  Where they fit in 32 bits, an event's moment is its time.  To make them fit, silences
 * between windows (moves.h) that are longer than all gaps are cut short.  If that is not enough, slices begin after some of
 * these silences, each with moments of its own.
 *
 * With times as moments, a gap reaches equally far back from every event, and events need only be
 * in order within their types.  As windows are short, there are few others that an event can
 * change places with, and it finds its new place by counting those of them that come before it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_MOMENTS_H
#define FIM_GPU_MOMENTS_H

#include "episodes/episodes_job.h"
#include "episodes/surrogates_device.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * The events of a stream that surrogates move: all those of the types in the trie.
 *
 * Occurrences lie within partitions.  So a stream of many partitions can be cut into slices of whole
 * partitions, or anywhere that no occurrence reaches across, and the supports in the slices are
 * added up.  Slices allow many warps to count few episodes, and make times fit (moments.h).  On a
 * device, each slice has types of its own, which are called classes here.
 */

/* The wanted events, on the host.  The events of a type in a slice are class slice * ntypes + type. */
typedef struct WantedEvents
{
	uint32_t	slices;
	uint32_t	nclasses;
	uint32_t	events;			/* wanted ones */
	uint32_t   *start;			/* [nclasses + 1] where each class begins among the wanted events by class */
	uint32_t   *skipped;		/* [nclasses] events of the type in the slices before */
	uint32_t   *partition;		/* [partitions + 1] where each begins among the wanted events of the stream */

	/* keys of times in surrogates, see surrogates_device.h */
	uint64_t	least;			/* the least key that an event can come to */
	int			key_bits;		/* low bits in which keys can differ once "least" has been subtracted */
} WantedEvents;

/* How many bits a number up to "greatest" takes, but at least 1. */
static inline int
BitsUpTo(uint64_t greatest)
{
	return 64 - __builtin_clzll(greatest | 1);
}

/* Sets wanted[ntypes] to 1 for the types in the trie and 0 for the others.  Returns how many events they have. */
extern uint32_t FindWantedTypes(const EpisodesJob *job, uint8_t *wanted);

/*
 * Finds the wanted events of so many slices.  Slices begin with the events first[slices].  If that is NULL,
 * they are whole partitions, with about equally many events in each slice.  The arrays are the team's memory,
 * until the job ends.
 */
extern cudaError_t FindWantedEvents(EpisodesJob *job, uint32_t slices, const uint32_t *first, WantedEvents *w);

/* Which moments the events of the stream have, on the host. */
typedef struct MomentPlan
{
	bool		fits;			/* times can serve as moments; if not, no other field counts */
	uint32_t   *origin;			/* [events] the moments of events that have not been moved */
	uint32_t   *reach;			/* [nedges] how far back each edge reaches, see DeviceStream */
	uint32_t	slices;			/* that the stream is cut into */
	uint32_t   *first;			/* [slices] the first event of each; may be NULL if there is only one */
	uint32_t	most_events;	/* wanted events of the slice that has most of them */
} MomentPlan;

/*
 * Plans moments, and cuts the stream into about as many slices as are asked for, or more if their moments do
 * not fit otherwise.  Slices have about equally many wanted events.  The plan does not fit if more than "most"
 * of these follow each other without a silence at which the stream could be cut: no slice could be smaller.
 * The arrays are the team's memory, see FreeMomentPlan().
 */
extern cudaError_t PlanMoments(EpisodesJob *job, uint32_t slices, uint32_t most, MomentPlan *plan);

extern void FreeMomentPlan(EpisodesJob *job, MomentPlan *plan);

/* A slice has the events from the first one to the one before its end. */
static inline uint32_t
FirstOfSlice(const MomentPlan *plan, uint32_t slice)
{
	return slice > 0 ? plan->first[slice] : 0;
}

static inline uint32_t
EndOfSlice(const FimEpisodesData *data, const MomentPlan *plan, uint32_t slice)
{
	return slice + 1 < plan->slices ? plan->first[slice + 1] : data->events;
}

/*
 * What moving the wanted events takes, on a device.  Arrays are [wanted], by class and then in the order of
 * the stream, if nothing else is said.
 */
typedef struct Moments
{
	uint32_t   *origin;			/* the event's moment in the hidden stream */
	uint32_t   *type;
	uint32_t   *first;			/* the first event of its class that it can change places with, or the event itself */
	uint32_t   *end;			/* the event behind the last one of these */
	uint32_t   *moved;			/* [surrogates][wanted], at least one surrogate's: moments before they are put into order */
} Moments;

/* Fills in all arrays; "moved" has nothing then.  origin[events] has the moments of the stream's events, on the device. */
extern cudaError_t FillMoments(GpuDevice *device, const Moving *moving, const uint32_t *origin,
							   const Moments *moments);

/* Sets moment[surrogates][wanted] for the surrogates from "first" to end - 1, in order within each class. */
extern cudaError_t MoveMoments(GpuDevice *device, const Moving *moving, const Moments *moments, uint32_t first,
							   uint32_t end, uint32_t *moment);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_MOMENTS_H */
