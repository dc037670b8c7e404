/*-------------------------------------------------------------------------
 *
 * prefix_kernels.cu
 *	  Similar sets by their rarest keys, see sets_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>

#include "device.h"
#include "lanes.h"
#include "sets/sets_device.h"

#define THREADS			256
#define WARPS			(THREADS / 32)
#define A_WARP			1024	/* meetings that a warp goes through */

/* Bounds are rounded so that rather too many sets are looked at than too few. */
#define ROUNDED_DOWN	(1 - 1e-9)

/* The last of the places low .. high - 1 whose number is not above n; number[low] must not be. */
static __device__ __forceinline__ uint64_t
LastNotAbove(const uint64_t *number, uint64_t low, uint64_t high, uint64_t n)
{
	return FirstNotBelow(number, low, high, n + 1) - 1;
}

/* ---- the index ---- */

/* A warp for each set. */
static __global__ void __launch_bounds__(THREADS)
EntriesKernel(DeviceSide side, PrefixIndex index, uint32_t *key, uint32_t *rank)
{
	uint32_t	r = blockIdx.x * WARPS + threadIdx.x / 32;

	if (r >= side.nvalues)
		return;
	for (uint64_t e = index.entry_start[r] + threadIdx.x % 32; e < index.entry_start[r + 1]; e += 32)
	{
		key[e] = side.key[side.start[r + 1] - 1 - (e - index.entry_start[r])];
		rank[e] = r;
	}
}

/* ---- look-ups ---- */

/* A thread for each look-up, and one more. */
static __global__ void __launch_bounds__(THREADS)
LookUpsKernel(Meetings m)
{
	const LookUps &l = m.look_ups;
	const PrefixIndex &index = m.index;
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	row;
	uint32_t	key;
	uint64_t	key_end;
	uint64_t	entry;
	uint64_t	end;

	if (i == l.n)
		l.meeting[i] = 0;
	if (i >= l.n)
		return;
	row = (uint32_t) LastNotAbove(index.look_up_start, l.from, l.to, l.first + i);
	key = m.relations.left.key[m.relations.left.start[row + 1] - 1 - (l.first + i - index.look_up_start[row])];
	key_end = index.key_start[key + 1];
	entry = FirstNotBelow(index.rank, index.key_start[key], key_end, row + 1);
	end = FirstNotBelow(index.rank, entry, key_end, index.end[row]);
	l.rank[i] = row;
	l.entry[i] = entry;
	l.meeting[i] = end - entry;
}

/* ---- meetings ---- */

/* Two sets that meet by a key. */
struct Meeting
{
	uint32_t	row;			/* the set that looks the key up */
	uint32_t	other;			/* the set that it meets */
	uint32_t	rarer;			/* number of keys of "row" that are rarer than the key */
	uint32_t	least;			/* sets with a smaller overlap are not similar */
};

/* A lower bound of the overlap of similar sets of n and m elements; the exact least overlap may be higher. */
static __device__ __forceinline__ uint32_t
OverlapBound(const CellRule &rule, uint32_t n, uint32_t m)
{
	double		t = rule.threshold;
	double		smaller = min(n, m);
	double		least = rule.measure == FIM_JACCARD ? t / (1 + t) * ((double) n + (double) m) :
		rule.measure == FIM_COSINE ? t * sqrt((double) n * (double) m) : t * smaller;

	return (uint32_t) ceil(max(1.0, min(least, smaller + 1) * ROUNDED_DOWN));
}

/* Meeting number "number", which is one of look-up look_up. */
static __device__ __forceinline__ Meeting
MeetingOf(const Meetings &m, uint32_t look_up, uint64_t number)
{
	const LookUps &l = m.look_ups;
	uint32_t	row = l.rank[look_up];
	uint32_t	other = m.index.rank[l.entry[look_up] + (number - l.meeting[look_up])];

	return Meeting{row, other, (uint32_t) (l.first + look_up - m.index.look_up_start[row]),
		OverlapBound(m.relations.rule, SizeOf(m.relations.left, row), SizeOf(m.relations.left, other))};
}

/*
 * Whether two sets may have enough keys in common.  If the key that they meet by is the rarest common one,
 * the others are among the more frequent keys of both sets.
 */
static __device__ __forceinline__ bool
CanSuffice(const DeviceSide &side, const Meeting &met)
{
	uint32_t	key = side.key[side.start[met.row + 1] - 1 - met.rarer];
	uint64_t	begin = side.start[met.other];
	uint64_t	at = FirstNotBelow(side.key, begin, side.start[met.other + 1], key);

	return min(SizeOf(side, met.row) - met.rarer, (uint32_t) (at + 1 - begin)) >= met.least;
}

/*
 * The number of keys that two sets have in common, counted by all lanes of a warp, the rarest keys first.
 * Returns 0 as soon as it is clear that they are too few, and if a rarer key than the one that they meet
 * by is common.
 */
static __device__ uint32_t
CommonKeys(const DeviceSide &side, const Meeting &met)
{
	uint64_t	end = side.start[met.row + 1];
	uint32_t	size = SizeOf(side, met.row);
	uint64_t	other_begin = side.start[met.other];
	uint64_t	other_end = side.start[met.other + 1];
	uint32_t	common = 0;

	for (uint32_t first = 0; first < size; first += 32)
	{
		uint32_t	rarer = first + threadIdx.x % 32;
		bool		held = false;
		uint32_t	lanes;
		uint32_t	left = size - first > 32 ? size - first - 32 : 0;

		if (rarer < size)
		{
			uint32_t	key = side.key[end - 1 - rarer];
			uint64_t	at = FirstNotBelow(side.key, other_begin, other_end, key);

			held = at < other_end && side.key[at] == key;
		}
		lanes = __ballot_sync(ALL_LANES, held);
		if (common == 0 && lanes != 0 && first + __ffs(lanes) - 1 != met.rarer)
			return 0;
		common += __popc(lanes);
		if (common + left < met.least)
			return 0;
	}
	return common;
}

static __device__ __forceinline__ uint32_t
StripOf(const Meetings &m, const Meeting &met)
{
	return (met.row - m.look_ups.from) * m.per_row + met.other / STRIP_CELLS;
}

/*
 * Goes through the meetings from .. to - 1.  For each cell that is kept, one lane of a warp calls keep() with
 * its strip, right rank, witnesses and number of results.
 */
template <typename Keep>
static __device__ __forceinline__ void
GoThrough(const Meetings &m, uint64_t from, uint64_t to, Keep keep)
{
	const DeviceSide &side = m.relations.left;
	const LookUps &l = m.look_ups;
	uint64_t	begin = from + ((uint64_t) blockIdx.x * WARPS + threadIdx.x / 32) * A_WARP;
	uint64_t	end = begin + A_WARP < to ? begin + A_WARP : to;
	uint32_t	first;
	uint32_t	last;

	if (begin >= to)
		return;
	first = (uint32_t) LastNotAbove(l.meeting, 0, l.n + 1, begin);
	last = (uint32_t) LastNotAbove(l.meeting, first, l.n + 1, end - 1);
	for (uint64_t n = begin; n < end; n += 32)
	{
		uint64_t	number = n + threadIdx.x % 32;
		Meeting		met = {};
		bool		wanted = false;

		if (number < end)
		{
			met = MeetingOf(m, (uint32_t) LastNotAbove(l.meeting, first, last + 1, number), number);
			wanted = CanSuffice(side, met);
		}
		for (uint32_t lanes = __ballot_sync(ALL_LANES, wanted); lanes != 0; lanes &= lanes - 1)
		{
			int			lane = __ffs(lanes) - 1;
			Meeting		one = {__shfl_sync(ALL_LANES, met.row, lane), __shfl_sync(ALL_LANES, met.other, lane),
				__shfl_sync(ALL_LANES, met.rarer, lane), __shfl_sync(ALL_LANES, met.least, lane)};
			uint32_t	common = CommonKeys(side, one);
			uint32_t	results = ResultsOfCell(m.relations, one.row, one.other, common);

			if (results > 0 && threadIdx.x % 32 == 0)
				keep(StripOf(m, one), one.other, common, results);
		}
	}
}

static __global__ void __launch_bounds__(THREADS)
CountKernel(Meetings m, uint64_t from, uint64_t to, StripCounts counts)
{
	uint32_t	sum = 0;

	GoThrough(m, from, to, [&] (uint32_t strip, uint32_t right, uint32_t witnesses, uint32_t results)
	{
		atomicAdd(&counts.cells[strip], 1);
		sum += results;
	});
	if (sum > 0)
		atomicAdd(counts.results, (unsigned long long) sum);
}

static __global__ void __launch_bounds__(THREADS)
PutKernel(Meetings m, uint64_t from, uint64_t to, uint32_t first, uint32_t end, CellTarget target, uint32_t *next)
{
	GoThrough(m, from, to, [&] (uint32_t strip, uint32_t right, uint32_t witnesses, uint32_t results)
	{
		if (strip >= first && strip < end)
			PutCell(target, strip, atomicAdd(&next[strip], 1), right, witnesses);
	});
}

/* ---- the host's side ---- */

cudaError_t
ListEntries(GpuDevice *device, const DeviceSide *side, const PrefixIndex *index, uint32_t *key, uint32_t *rank)
{
	EntriesKernel<<<GpuBlocks(side->nvalues, WARPS), THREADS, 0, device->streams[GPU_COUNT]>>>(*side, *index, key, rank);
	return GpuLaunched(device, "listing rare keys");
}

cudaError_t
FindLookUps(GpuDevice *device, const Meetings *meetings)
{
	LookUpsKernel<<<GpuBlocks((uint64_t) meetings->look_ups.n + 1, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*meetings);
	return GpuLaunched(device, "looking rare keys up");
}

cudaError_t
CountMeetings(GpuDevice *device, const Meetings *meetings, uint64_t from, uint64_t to, const StripCounts *counts)
{
	CountKernel<<<GpuBlocks(to - from, WARPS * A_WARP), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*meetings, from, to, *counts);
	return GpuLaunched(device, "comparing sets");
}

cudaError_t
PutMeetings(GpuDevice *device, const Meetings *meetings, uint64_t from, uint64_t to, uint32_t first, uint32_t end,
			const CellTarget *target, uint32_t *next)
{
	PutKernel<<<GpuBlocks(to - from, WARPS * A_WARP), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*meetings, from, to, first, end, *target, next);
	return GpuLaunched(device, "writing similar sets");
}

/*
 * Numbering the meetings of sets.
 */

cudaError_t
MeetingScanScratch(uint32_t n, size_t *bytes)
{
	uint64_t   *none = nullptr;

	*bytes = 0;
	return cub::DeviceScan::ExclusiveSum(nullptr, *bytes, none, none, (uint64_t) n + 1, 0);
}

cudaError_t
ScanMeetings(GpuDevice *device, void *scratch, size_t bytes, uint64_t *meeting, uint32_t n)
{
	return GpuCheck(device, cub::DeviceScan::ExclusiveSum(scratch, bytes, meeting, meeting, (uint64_t) n + 1,
														  device->streams[GPU_COUNT]), "numbering meetings");
}
