/*-------------------------------------------------------------------------
 *
 * pairs_kernels.cu
 *	  Counting pairs of events, or making the lists of pairs, by a walk along the scopes; see lists.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/lists.h"
#include "lanes.h"

/*
 * The scopes in which an event is followed, for kernels that walk along them.
 */

/*
 * How many threads share the scopes of a place: in bursts, scopes have a hundred times the events of most
 * others.
 */
#define SHARERS		8

/* Under a gap, the event at a place can follow the events from ScopeLow() to the one before ScopeHigh(). */
static __device__ __forceinline__ uint32_t
ScopeLow(const DeviceStream &stream, uint32_t gap, uint32_t place)
{
	return stream.back[(uint64_t) stream.gap[gap].high * stream.events + place];
}

static __device__ __forceinline__ uint32_t
ScopeHigh(const DeviceStream &stream, uint32_t gap, uint32_t place)
{
	return stream.back[(uint64_t) stream.gap[gap].low * stream.events + place];
}

/* Whether scopes are narrow enough. */
static __device__ __forceinline__ bool
AreWithin(const ScopeSizes &sizes, const ScopeSizes &most)
{
	return sizes.total <= most.total && sizes.widest <= most.widest;
}

#define THREADS		256

/*
 * Counting pairs.
 */

/*
 * SHARED_BYTES of counters fit the shared memory of any device.  Where they take less than COPIES_BYTES, a
 * block has several copies of the counters, and neighbouring threads use different copies.  The blocks share
 * out the places.
 */
#define SHARED_BYTES		(48 << 10)
#define COPIES_BYTES		(16 << 10)
#define MOST_COPIES			32
#define BLOCKS_A_PROCESSOR	4

/* The blocks share out the places.  An empty scope may have its end before its begin. */
static __global__ void __launch_bounds__(THREADS)
MeasureKernel(DeviceStream stream, uint32_t ngaps, ScopeSizes *sizes)
{
	unsigned long long total = 0;
	unsigned long long widest = 0;

	for (uint64_t place = blockIdx.x * THREADS + threadIdx.x; place < stream.events; place += gridDim.x * THREADS)
		for (uint32_t gap = 0; gap < ngaps; gap++)
		{
			uint32_t	low = ScopeLow(stream, gap, (uint32_t) place);
			uint32_t	high = ScopeHigh(stream, gap, (uint32_t) place);
			unsigned long long width = high > low ? high - low : 0;

			total += width;
			widest = max(widest, width);
		}
	for (int apart = 16; apart > 0; apart /= 2)
	{
		total += __shfl_down_sync(ALL_LANES, total, apart);
		widest = max(widest, __shfl_down_sync(ALL_LANES, widest, apart));
	}
	if (threadIdx.x % 32 != 0)
		return;
	atomicAdd(&sizes->total, total);
	atomicMax(&sizes->widest, widest);
}

/* A sharer's part of the pairs whose second event is in a place. */
static __device__ __forceinline__ void
CountPairsOf(const DeviceStream &stream, uint32_t ntypes, uint32_t ngaps, uint32_t place, uint32_t *counts)
{
	uint32_t	second = LastUpTo(stream.start, ntypes, place);

	for (uint32_t gap = 0; gap < ngaps; gap++)
	{
		uint64_t	event = ScopeLow(stream, gap, place);
		uint32_t	high = ScopeHigh(stream, gap, place);

		for (event += threadIdx.x % SHARERS; event < high; event += SHARERS)
			atomicAdd(&counts[((uint64_t) stream.type[event] * ngaps + gap) * ntypes + second], 1);
	}
}

/* SHARERS threads for each place. */
static __global__ void __launch_bounds__(THREADS)
PairsKernel(DeviceStream stream, PairCounters counters, ScopeSizes most, uint32_t first, uint32_t end)
{
	uint64_t	place = first + ((uint64_t) blockIdx.x * THREADS + threadIdx.x) / SHARERS;

	if (place < end && AreWithin(counters.list->sizes, most))
		CountPairsOf(stream, counters.ntypes, counters.ngaps, (uint32_t) place, counters.counts);
}

/*
 * The same where counters are few: each block has copies of its own in shared memory, and adds them up in the
 * end.
 */
static __global__ void __launch_bounds__(THREADS)
FewPairsKernel(DeviceStream stream, PairCounters counters, ScopeSizes most, uint32_t first, uint32_t end,
			   uint32_t copies)
{
	extern __shared__ uint32_t own[];
	uint32_t	n = counters.n;
	uint64_t	places = gridDim.x * (THREADS / SHARERS);

	if (!AreWithin(counters.list->sizes, most))
		return;
	for (uint32_t i = threadIdx.x; i < copies * n; i += THREADS)
		own[i] = 0;
	__syncthreads();
	for (uint64_t place = first + ((uint64_t) blockIdx.x * THREADS + threadIdx.x) / SHARERS; place < end; place += places)
		CountPairsOf(stream, counters.ntypes, counters.ngaps, (uint32_t) place, own + threadIdx.x % copies * n);
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < n; i += THREADS)
	{
		uint32_t	sum = 0;

		for (uint32_t copy = 0; copy < copies; copy++)
			sum += own[copy * n + i];
		if (sum > 0)
			atomicAdd(&counters.counts[i], sum);
	}
}

cudaError_t
MeasureScopes(GpuDevice *device, const DeviceStream *stream, uint32_t ngaps, ScopeSizes *sizes)
{
	uint32_t	blocks = (uint32_t) GpuLesser(GpuBlocks(stream->events, THREADS),
											   (uint64_t) device->processors * BLOCKS_A_PROCESSOR);

	MeasureKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*stream, ngaps, sizes);
	return GpuLaunched(device, "measuring scopes");
}

cudaError_t
CountEventPairs(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
				const ScopeSizes *most, uint32_t first, uint32_t end)
{
	uint64_t	bytes = sizeof(uint32_t) * (uint64_t) counters->n;
	uint32_t	copies = (uint32_t) GpuBetween(1, COPIES_BYTES / bytes, MOST_COPIES);
	uint32_t	blocks = GpuBlocks((uint64_t) (end - first) * SHARERS, THREADS);
	uint32_t	few_blocks = (uint32_t) GpuLesser(blocks, (uint64_t) device->processors * BLOCKS_A_PROCESSOR);
	cudaStream_t queue = device->streams[GPU_COUNT];

	if (bytes <= SHARED_BYTES)
		FewPairsKernel<<<few_blocks, THREADS, copies * bytes, queue>>>(*stream, *counters, *most, first, end, copies);
	else
		PairsKernel<<<blocks, THREADS, 0, queue>>>(*stream, *counters, *most, first, end);
	return GpuLaunched(device, "counting pairs of events");
}

/*
 * Making the lists of pairs by a walk along the scopes.
 *
 * An event ends an occurrence of a pair if there is an event of the first type in its scope, and
 * the last such event is where the occurrence begins.  So making all lists takes time for each
 * event in a scope, and not for each event of both types of each pair.
 *
 * A block has a stripe of the events of a type.  For each first type under a gap, a key, it has a bit for
 * each of these events, set if there is an entry.  The number of bits before an entry's own says where
 * the entry goes.  So entries are in order, whichever threads write them.
 */

/* A yard: the places that a block looks at together.  They have a word of bits.  And how many yards a stripe has. */
#define YARD		(THREADS / SHARERS)
#define YARDS		(STRIPE_PLACES / YARD)

/* How many yards' scopes are read together, and how many stripes' numbers of entries. */
#define YARDS_TOGETHER	4
#define READ_TOGETHER	8

static_assert(YARDS % YARDS_TOGETHER == 0, "all yards are read");
static_assert(YARD == 32, "a yard has as many places as a word has bits");

/* Places from "first" on, all of the same type. */
typedef struct PlaceStripe
{
	uint32_t	type;
	uint32_t	first;
	uint32_t	n;
} PlaceStripe;

static __device__ __forceinline__ PlaceStripe
StripeOfBlock(const DeviceStream &stream, const PairCounters &counters)
{
	PlaceStripe	stripe;

	stripe.type = LastUpTo(counters.stripe, counters.ntypes, blockIdx.x);
	stripe.first = stream.start[stripe.type] + (blockIdx.x - counters.stripe[stripe.type]) * STRIPE_PLACES;
	stripe.n = min((uint32_t) STRIPE_PLACES, stream.start[stripe.type + 1] - stripe.first);
	return stripe;
}

/* The number of keys: first types under gaps. */
static __device__ __forceinline__ uint32_t
KeysOf(const PairCounters &counters)
{
	return counters.ntypes * counters.ngaps;
}

/* The number of a pair, by its key and its second type. */
static __device__ __forceinline__ uint32_t
PairOf(const PairCounters &counters, uint32_t key, uint32_t type)
{
	return key * counters.ntypes + type;
}

/* The scope of a thread's place in a yard, under a gap.  It is empty if the stripe has no such place. */
typedef struct Scope
{
	uint32_t	low;
	uint32_t	high;
} Scope;

static __device__ __forceinline__ Scope
ScopeInYard(const DeviceStream &stream, const PlaceStripe &stripe, uint32_t gap, uint32_t yard)
{
	uint32_t	number = yard * YARD + threadIdx.x / SHARERS;

	if (number >= stripe.n)
		return {0, 0};
	return {ScopeLow(stream, gap, stripe.first + number), ScopeHigh(stream, gap, stripe.first + number)};
}

/* The type of a scope's event, by its number in the scope; GPU_NONE if there is no such event. */
static __device__ __forceinline__ uint32_t
TypeInScope(const DeviceStream &stream, const Scope &scope, uint32_t number)
{
	return (uint64_t) scope.low + number < scope.high ? stream.type[scope.low + number] : GPU_NONE;
}

/*
 * Set the bits[YARDS][keys] of YARDS_TOGETHER yards of a block's stripe under a gap.  The scopes and first
 * events of all these yards are read together, which hides the memory's latency.
 */
static __device__ __forceinline__ void
SetBitsOfYards(const DeviceStream &stream, const PairCounters &counters, const PlaceStripe &stripe, uint32_t gap,
			  uint32_t yard, uint32_t *bits)
{
	Scope		scope[YARDS_TOGETHER];
	uint32_t	first[YARDS_TOGETHER];

#pragma unroll
	for (uint32_t i = 0; i < YARDS_TOGETHER; i++)
		scope[i] = ScopeInYard(stream, stripe, gap, yard + i);
#pragma unroll
	for (uint32_t i = 0; i < YARDS_TOGETHER; i++)
		first[i] = TypeInScope(stream, scope[i], threadIdx.x % SHARERS);
#pragma unroll
	for (uint32_t i = 0; i < YARDS_TOGETHER; i++)
	{
		uint32_t   *of_yard = &bits[(yard + i) * KeysOf(counters) + gap];
		uint32_t	number = threadIdx.x % SHARERS;

		for (uint32_t type = first[i]; type != GPU_NONE; type = TypeInScope(stream, scope[i], number))
		{
			atomicOr(&of_yard[type * counters.ngaps], 1u << threadIdx.x / SHARERS);
			number += SHARERS;
		}
	}
}

/* Set the bits of all yards and gaps. */
static __device__ void
SetBits(const DeviceStream &stream, const PairCounters &counters, const PlaceStripe &stripe, uint32_t *bits)
{
	for (uint32_t i = threadIdx.x; i < YARDS * KeysOf(counters); i += THREADS)
		bits[i] = 0;
	__syncthreads();
	for (uint32_t yard = 0; yard < YARDS && yard * YARD < stripe.n; yard += YARDS_TOGETHER)
		for (uint32_t gap = 0; gap < counters.ngaps; gap++)
			SetBitsOfYards(stream, counters, stripe, gap, yard, bits);
	__syncthreads();
}

/* A block for each stripe: counts the entries that come from it, for each key. */
static __global__ void __launch_bounds__(THREADS)
CountListedKernel(DeviceStream stream, PairCounters counters, ScopeSizes most)
{
	extern __shared__ uint32_t bits[];
	uint32_t	keys = KeysOf(counters);

	if (!AreWithin(counters.list->sizes, most))
		return;
	SetBits(stream, counters, StripeOfBlock(stream, counters), bits);
	for (uint32_t key = threadIdx.x; key < keys; key += THREADS)
	{
		uint32_t	n = 0;

		for (uint32_t yard = 0; yard < YARDS; yard++)
			n += __popc(bits[yard * keys + key]);
		counters.before[(uint64_t) blockIdx.x * keys + key] = n;
	}
}

/* Replace each stripe's number of entries under a key by that of all stripes before it.  Returns the sum of all. */
static __device__ uint32_t
AddStripes(const PairCounters &counters, uint32_t key, uint32_t first, uint32_t end)
{
	uint32_t	keys = KeysOf(counters);
	uint32_t	sum = 0;

	for (uint32_t stripe = first; stripe < end; stripe += READ_TOGETHER)
	{
		uint32_t   *at = &counters.before[(uint64_t) stripe * keys + key];
		uint32_t	n[READ_TOGETHER];

#pragma unroll
		for (uint32_t i = 0; i < READ_TOGETHER; i++)
			n[i] = i < end - stripe ? at[(uint64_t) i * keys] : 0;
#pragma unroll
		for (uint32_t i = 0; i < READ_TOGETHER; i++)
		{
			if (i < end - stripe)
				at[(uint64_t) i * keys] = sum;
			sum += n[i];
		}
	}
	return sum;
}

/* A thread for each pair.  Neighbouring threads have the same second type, and so the same stripes. */
static __global__ void __launch_bounds__(THREADS)
AddListedKernel(PairCounters counters, ScopeSizes most, uint64_t least)
{
	uint32_t	number = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	key = number % KeysOf(counters);
	uint32_t	type = number / KeysOf(counters);
	uint32_t	pair = PairOf(counters, key, type);
	uint32_t	sum;

	if (number >= counters.n)
		return;
	/* SelectBounds() copies it, even if it is not wanted */
	counters.at[pair] = 0;
	if (!AreWithin(counters.list->sizes, most))
		return;
	sum = AddStripes(counters, key, counters.stripe[type], counters.stripe[type + 1]);
	counters.counts[pair] = sum;
	if (sum >= least)
		counters.at[pair] = (uint32_t) atomicAdd(&counters.list->entries, (unsigned long long) sum);
}

/* What a block keeps in shared memory to write entries. */
typedef struct Writing
{
	uint32_t   *bits;			/* [YARDS][keys] */
	uint32_t   *left;			/* [YARDS][keys] the bits whose entries have not been written yet */
	uint32_t   *to;				/* [YARDS][keys] where the first entry of each word goes, among the words of all lists */
	uint32_t   *n;				/* [keys] entries of the list; 0 if it is not made */
} Writing;

#define WORDS_OF_KEY	(3 * YARDS + 1)

static_assert(sizeof(uint32_t) * WORDS_OF_KEY * MOST_LISTED <= 48 << 10, "shared memory everywhere");

static __device__ __forceinline__ Writing
WritingIn(uint32_t *words, uint32_t keys)
{
	return {words, words + YARDS * keys, words + 2 * YARDS * keys, words + 3 * YARDS * keys};
}

static __device__ void
BeginWriting(const PairCounters &counters, uint32_t type, uint64_t least, const Writing &writing)
{
	uint32_t	keys = KeysOf(counters);

	for (uint32_t key = threadIdx.x; key < keys; key += THREADS)
	{
		uint32_t	pair = PairOf(counters, key, type);
		uint32_t	n = counters.counts[pair];
		uint32_t	to = 0;

		writing.n[key] = n >= least ? n : 0;
		if (n >= least)
			to = 3 * counters.at[pair] + counters.before[(uint64_t) blockIdx.x * keys + key];
		for (uint32_t yard = 0; yard < YARDS; yard++)
		{
			uint32_t	bits = writing.bits[yard * keys + key];

			writing.left[yard * keys + key] = bits;
			writing.to[yard * keys + key] = to;
			to += __popc(bits);
		}
	}
	__syncthreads();
}

/*
 * Write the entry of a thread's place, unless it has been written.  "word" is yard and key in the bits, n the
 * list's entries.
 */
static __device__ __forceinline__ void
WriteEntry(const Writing &writing, uint32_t word, uint32_t n, uint32_t end, uint32_t start, uint32_t place,
		   uint32_t *lists)
{
	uint32_t	bit = 1u << threadIdx.x / SHARERS;
	uint32_t   *to;

	if ((atomicAnd(&writing.left[word], ~bit) & bit) == 0)
		return;
	to = lists + writing.to[word] + __popc(writing.bits[word] & (bit - 1));
	to[0] = end;
	to[n] = start;
	/* as PlacesOf() has it */
	to[2 * (uint64_t) n] = place;
}

/* A scope's event: type and instant. */
typedef struct ScopeEvent
{
	uint32_t	type;			/* GPU_NONE if there is none */
	uint32_t	instant;
} ScopeEvent;

/* The event of a scope that has so many events behind it there. */
static __device__ __forceinline__ ScopeEvent
EventFromEnd(const DeviceStream &stream, const Scope &scope, uint32_t behind)
{
	if ((uint64_t) scope.low + behind >= scope.high)
		return {GPU_NONE, 0};
	return {stream.type[scope.high - 1 - behind], stream.back_of[scope.high - 1 - behind]};
}

/*
 * Write the entries of a yard's places under a gap.  The threads that share a place walk along its scope from
 * the end to the beginning, so that the last event of each type comes first and writes the entry.
 */
static __device__ __forceinline__ void
WriteYard(const DeviceStream &stream, const PairCounters &counters, const Writing &writing, uint32_t yard, uint32_t gap,
		 const Scope &scope, ScopeEvent event, uint32_t end, uint32_t place, uint32_t *lists)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	behind = lane % SHARERS;

	while (__any_sync(ALL_LANES, event.type != GPU_NONE))
	{
		uint32_t	key = event.type != GPU_NONE ? event.type * counters.ngaps + gap : 0;
		uint32_t	n = event.type != GPU_NONE ? writing.n[key] : 0;
		uint32_t	alike = __match_any_sync(ALL_LANES, n > 0 ? key * (32 / SHARERS) + lane / SHARERS : GPU_NONE);
		uint32_t	start = event.instant;

		/* read ahead, so that the memory's latency is hidden */
		behind += SHARERS;
		event = EventFromEnd(stream, scope, behind);
		if (n > 0 && lane == (uint32_t) __ffs(alike) - 1)
			WriteEntry(writing, yard * KeysOf(counters) + key, n, end, start, place, lists);
		/* with earlier events of the scope, threads must find that the entry has been written */
		__syncwarp();
	}
}

/* The same for YARDS_TOGETHER yards, whose scopes and last events are read together. */
static __device__ __forceinline__ void
WriteYards(const DeviceStream &stream, const PairCounters &counters, const PlaceStripe &stripe, const Writing &writing,
		  uint32_t yard, uint32_t gap, uint32_t *lists)
{
	uint32_t	first = stripe.first + yard * YARD + threadIdx.x / SHARERS;
	Scope		scope[YARDS_TOGETHER];
	ScopeEvent	event[YARDS_TOGETHER];
	uint32_t	instant[YARDS_TOGETHER];

#pragma unroll
	for (uint32_t i = 0; i < YARDS_TOGETHER; i++)
	{
		scope[i] = ScopeInYard(stream, stripe, gap, yard + i);
		instant[i] = stream.back[min(first + i * YARD, stream.events - 1)];
	}
#pragma unroll
	for (uint32_t i = 0; i < YARDS_TOGETHER; i++)
		event[i] = EventFromEnd(stream, scope[i], threadIdx.x % SHARERS);
#pragma unroll
	for (uint32_t i = 0; i < YARDS_TOGETHER; i++)
		WriteYard(stream, counters, writing, yard + i, gap, scope[i], event[i], instant[i],
				 first + i * YARD - stream.start[stripe.type], lists);
}

/* A block for each stripe: writes the entries that come from it. */
static __global__ void __launch_bounds__(THREADS)
WriteListedKernel(DeviceStream stream, PairCounters counters, uint64_t least, uint32_t *lists)
{
	extern __shared__ uint32_t words[];
	PlaceStripe	stripe = StripeOfBlock(stream, counters);
	Writing		writing = WritingIn(words, KeysOf(counters));

	SetBits(stream, counters, stripe, writing.bits);
	BeginWriting(counters, stripe.type, least, writing);
	for (uint32_t yard = 0; yard < YARDS && yard * YARD < stripe.n; yard += YARDS_TOGETHER)
		for (uint32_t gap = 0; gap < counters.ngaps; gap++)
			WriteYards(stream, counters, stripe, writing, yard, gap, lists);
}

static size_t
BytesOfKeys(const PairCounters *counters, uint32_t words)
{
	return sizeof(uint32_t) * words * counters->ntypes * counters->ngaps;
}

cudaError_t
CountListed(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters, const ScopeSizes *most,
			uint64_t least)
{
	cudaStream_t queue = device->streams[GPU_COUNT];

	CountListedKernel<<<counters->nstripes, THREADS, BytesOfKeys(counters, YARDS), queue>>>(*stream, *counters, *most);
	GPU_TRY(GpuLaunched(device, "counting pairs of events"));
	AddListedKernel<<<GpuBlocks(counters->n, THREADS), THREADS, 0, queue>>>(*counters, *most, least);
	return GpuLaunched(device, "counting pairs of events");
}

cudaError_t
WriteListed(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters, uint64_t least,
			uint32_t *lists)
{
	WriteListedKernel<<<counters->nstripes, THREADS, BytesOfKeys(counters, WORDS_OF_KEY), device->streams[GPU_COUNT]>>>
		(*stream, *counters, least, lists);
	return GpuLaunched(device, "making lists of pairs");
}
