/*-------------------------------------------------------------------------
 *
 * automata.cu
 *	  Walking along the stream with a candidate, see episodes.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ancestors/episodes/episodes.h"

#define THREADS		128

/* Candidates up to this length have their types in registers. */
#define SHORT_LENGTH	4

/* A candidate's types.  They are compared with each event, so those of short candidates are kept in registers. */
template <int LENGTH>
struct Types
{
	uint32_t	type[LENGTH];

	__device__ __forceinline__ Types(const CandidateCohort &cohort, uint32_t c)
	{
#pragma unroll
		for (int k = 0; k < LENGTH; k++)
			type[k] = cohort.types[k * cohort.n + c];
	}

	__device__ __forceinline__ int
	Length() const
	{
		return LENGTH;
	}

	__device__ __forceinline__ uint32_t
	At(int k) const
	{
		return type[k];
	}
};

/* The types of longer candidates stay in global memory. */
template <>
struct Types<0>
{
	const CandidateCohort &cohort;
	uint32_t	c;

	__device__ __forceinline__ Types(const CandidateCohort &cohort_of, uint32_t number)
		: cohort(cohort_of), c(number)
	{
	}

	__device__ __forceinline__ int
	Length() const
	{
		return (int) cohort.length;
	}

	__device__ __forceinline__ uint32_t
	At(int k) const
	{
		return cohort.types[(uint64_t) k * cohort.n + c];
	}
};

/* The events that an event can follow, from "low" to high - 1. */
typedef struct Scope
{
	uint32_t	low;
	uint32_t	high;
} Scope;

static __device__ __forceinline__ Scope
ScopeBefore(const CandidateCohort &cohort, const DeviceStream &stream, uint32_t c, int place, uint32_t event)
{
	FimGapEdges edges = stream.gap[cohort.gaps[(uint64_t) (place - 1) * cohort.n + c]];
	Scope		scope;

	scope.low = stream.back_of[(uint64_t) edges.high * stream.events + event];
	scope.high = stream.back_of[(uint64_t) edges.low * stream.events + event];
	return scope;
}

/* ---- automata ---- */

/*
 * Whether an event at a place follows one of the chains up to the place before.  Lets chains expire, and
 * looks at the newest ones first.
 */
static __device__ bool
Follows(const Automata &a, const DeviceStream &stream, uint32_t c, int place, uint32_t event)
{
	uint64_t	list = (uint64_t) (place - 1) * a.cohort.n + c;
	const uint32_t *events = a.events + a.at[list];
	uint32_t	first = a.first[list];
	uint32_t	end = a.end[list];
	Scope		scope = ScopeBefore(a.cohort, stream, c, place, event);

	while (first < end && events[first] < scope.low)
		first++;
	a.first[list] = first;
	for (; end > first; end--)
		if (events[end - 1] < scope.high)
			return true;
	return false;
}

/* Let a candidate take an event at a place, if it can.  Returns true if this completes an occurrence. */
static __device__ bool
Step(const Automata &a, const DeviceStream &stream, uint32_t c, int place, int length, uint32_t event, uint32_t *free)
{
	uint64_t	list = (uint64_t) place * a.cohort.n + c;

	if (place > 0 ? !Follows(a, stream, c, place, event) : stream.back_of[event] < *free)
		return false;
	if (place + 1 < length)
	{
		a.events[a.at[list] + a.end[list]++] = event;
		return false;
	}
	for (int k = 0; k + 1 < length; k++)
		a.first[(uint64_t) k * a.cohort.n + c] = a.end[(uint64_t) k * a.cohort.n + c];
	*free = stream.back_of[event] + 1;
	return true;
}

/* ---- upper bounds ---- */

/* The same without the gaps' lower bounds: the latest event may even be of the same time as this one. */
static __device__ bool
Step(const UpperBounds &b, const DeviceStream &stream, uint32_t c, int place, int length, uint32_t event, uint32_t *free)
{
	uint64_t	at = (uint64_t) place * b.cohort.n + c;

	if (place > 0)
	{
		uint32_t	latest = b.latest[at - b.cohort.n];

		if (latest == 0 || latest - 1 < ScopeBefore(b.cohort, stream, c, place, event).low)
			return false;
	}
	b.latest[at] = event + 1;
	if (place + 1 < length)
		return false;
	for (int k = 0; k < length; k++)
		b.latest[(uint64_t) k * b.cohort.n + c] = 0;
	return true;
}

/* ---- walking ---- */

/* A walk is Automata or UpperBounds. */
template <int LENGTH, typename Walk>
static __global__ void __launch_bounds__(THREADS)
WalkKernel(Walk walk, DeviceStream stream, uint32_t from, uint32_t to)
{
	uint32_t	c = blockIdx.x * THREADS + threadIdx.x;

	if (c >= walk.cohort.n)
		return;

	Types<LENGTH> types(walk.cohort, c);
	uint32_t	free = walk.cohort.free[c];
	uint32_t	support = walk.cohort.support[c];

	for (uint32_t event = from; event < to; event++)
	{
		uint32_t	type = stream.type[event];

		/* the last place first, so that no event follows itself */
#pragma unroll
		for (int place = types.Length() - 1; place >= 0; place--)
			if (types.At(place) == type && Step(walk, stream, c, place, types.Length(), event, &free))
			{
				support++;
				break;
			}
	}
	walk.cohort.free[c] = free;
	walk.cohort.support[c] = support;
}

/* ---- the host's side ---- */

template <int LENGTH, typename Walk>
static void
Launch(cudaStream_t stream, const Walk *walk, uint32_t from, uint32_t to)
{
	WalkKernel<LENGTH><<<GpuBlocks(walk->cohort.n, THREADS), THREADS, 0, stream>>>(*walk, *walk->cohort.stream, from, to);
}

template <typename Walk>
static cudaError_t
WalkAlong(GpuDevice *device, const Walk *walk, uint32_t from, uint32_t to, const char *what)
{
	cudaStream_t stream = device->streams[GPU_COUNT];

	switch (walk->cohort.length)
	{
		case 2:
			Launch<2>(stream, walk, from, to);
			break;
		case 3:
			Launch<3>(stream, walk, from, to);
			break;
		case SHORT_LENGTH:
			Launch<SHORT_LENGTH>(stream, walk, from, to);
			break;
		default:
			Launch<0>(stream, walk, from, to);
	}
	return GpuLaunched(device, what);
}

cudaError_t
WalkAutomata(GpuDevice *device, const Automata *automata, uint32_t from, uint32_t to)
{
	return WalkAlong(device, automata, from, to, "running automata");
}

cudaError_t
WalkUpperBounds(GpuDevice *device, const UpperBounds *bounds, uint32_t from, uint32_t to)
{
	return WalkAlong(device, bounds, from, to, "finding upper bounds");
}
