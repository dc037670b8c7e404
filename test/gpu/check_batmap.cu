/*-------------------------------------------------------------------------
 *
 * check_batmap.cu
 *	  Batmaps on a device against looking keys up, with insertions that fail: tables are
 *	  too small, and moves are few.
 *
 * Usage: check_batmap [rounds [seed]]
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

#include "ancestors/batmap/batmap.h"
#include "device.h"

#define MOST_SETS		150
#define MOST_KEYS		700		/* of a set; the smallest tables have room for 192 */
#define MOST_BITS		13		/* of the universe */
#define HIGH_LEVEL		16		/* tables that several blocks go through */

#define CHECK(call) Check((call), #call)

static GpuDevice device;
static uint64_t random_state;

static void
Check(cudaError_t error, const char *call)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", call, cudaGetErrorName(error));
	exit(1);
}

/* SplitMix64 */
static uint32_t
Below(uint32_t n)
{
	uint64_t	x = random_state += 0x9E3779B97F4A7C15;

	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return (uint32_t) ((x ^ x >> 31) % n);
}

template <typename T>
static T *
ToDevice(const std::vector<T> &from)
{
	T		   *to;

	CHECK(cudaMalloc((void **) &to, sizeof(T) * (from.size() + 1)));
	CHECK(cudaMemcpy(to, from.data(), sizeof(T) * from.size(), cudaMemcpyHostToDevice));
	return to;
}

template <typename T>
static std::vector<T>
FromDevice(const T *from, size_t n)
{
	std::vector<T> to(n);

	CHECK(cudaMemcpy(to.data(), from, sizeof(T) * n, cudaMemcpyDeviceToHost));
	return to;
}

/* Random sets, the largest first, and their batmaps. */
struct Sets
{
	std::vector<uint64_t> start;
	std::vector<uint32_t> key;
	std::vector<BatmapBundle> bundles;
	uint32_t	level;			/* of the largest tables */
	DeviceSide	side;
	BatmapBand	band;
	uint64_t	failures;

	uint32_t n() const
	{
		return (uint32_t) start.size() - 1;
	}

	bool Has(uint32_t set, uint32_t wanted) const
	{
		return std::binary_search(key.begin() + start[set], key.begin() + start[set + 1], wanted);
	}
};

static void
DrawKeys(Sets &sets, uint32_t universe)
{
	std::vector<std::vector<uint32_t>> drawn(1 + Below(MOST_SETS));

	for (std::vector<uint32_t> &set : drawn)
	{
		uint32_t	n = Below(std::min(universe, (uint32_t) MOST_KEYS)) + 1;

		for (uint32_t i = 0; i < n; i++)
			set.push_back(Below(universe));
		std::sort(set.begin(), set.end());
		set.erase(std::unique(set.begin(), set.end()), set.end());
	}
	std::sort(drawn.begin(), drawn.end(), [] (const std::vector<uint32_t> &a, const std::vector<uint32_t> &b)
	{
		return a.size() > b.size();
	});
	sets.start.assign(1, 0);
	sets.key.clear();
	for (const std::vector<uint32_t> &set : drawn)
	{
		sets.key.insert(sets.key.end(), set.begin(), set.end());
		sets.start.push_back(sets.key.size());
	}
}

/* Tables of any size, larger sets having the larger ones.  Returns how many lines there are. */
static uint64_t
DrawGroups(Sets &sets, uint32_t most)
{
	uint64_t	line = 0;
	uint32_t	level = most;

	sets.bundles.clear();
	for (uint32_t set = 0; set < sets.n(); set++)
	{
		bool		lower = level > BATMAP_LINE_LEVEL && Below(20) == 0;

		level -= lower;
		if (set == 0 || lower || sets.bundles.back().n == BATMAP_BUNDLE || Below(100) == 0)
			sets.bundles.push_back(BatmapBundle{set, 0, level, line});
		sets.bundles.back().n++;
		line += BatmapLines(level);
	}
	sets.level = sets.bundles[0].level;
	return line;
}

static void
Build(Sets &sets, const BatmapSpace &space, bool shared)
{
	for (const BatmapBundle &bundle : sets.bundles)
	{
		BatmapBuild build = {space, sets.band, sets.side, bundle.first, bundle.n, bundle.level, bundle.line, nullptr, 0};
		uint64_t	bytes;

		CHECK(BatmapSharedPlaces(&device, &bytes));
		build.blocks = 1 + Below(3);
		if (!shared || BatmapPlaceBytes(bundle.level) > bytes)
			CHECK(cudaMalloc((void **) &build.places, BatmapPlaceBytes(bundle.level) * build.blocks));
		CHECK(BuildBatmaps(&device, &build));
		CHECK(cudaStreamSynchronize(device.streams[GPU_COUNT]));
		CHECK(cudaFree(build.places));
	}
}

static void
MakeSets(Sets &sets, const BatmapSpace &space, uint32_t level)
{
	uint64_t	lines;

	DrawKeys(sets, 1u << space.bits);
	lines = DrawGroups(sets, level);
	sets.side = DeviceSide{ToDevice(sets.start), ToDevice(sets.key), sets.n(), 0, sets.key.size()};
	sets.band = BatmapBand{nullptr, ToDevice(sets.bundles), nullptr, nullptr, 0, sets.n(), (uint32_t) sets.bundles.size()};
	CHECK(cudaMalloc((void **) &sets.band.lines, lines * BATMAP_LINE_BYTES));
	sets.band.failed = ToDevice(std::vector<uint8_t>(sets.key.size(), 0));
	sets.band.nfailed = ToDevice(std::vector<uint32_t>(sets.n(), 0));
	Build(sets, space, Below(2) == 0);
	sets.failures = 0;
	for (uint32_t n : FromDevice(sets.band.nfailed, sets.n()))
		sets.failures += n;
}

static void
FreeSets(const Sets &sets)
{
	CHECK(cudaFree(sets.side.start));
	CHECK(cudaFree(sets.side.key));
	CHECK(cudaFree(sets.band.lines));
	CHECK(cudaFree(sets.band.bundles));
	CHECK(cudaFree(sets.band.failed));
	CHECK(cudaFree(sets.band.nfailed));
}

/* Of the same sets on both sides, tiles below the diagonal are not counted. */
static bool
IsCounted(const BatmapPairs &pairs, const Sets &left, uint32_t i, uint32_t j)
{
	uint32_t	row = 0;
	uint32_t	column = 0;

	if (!pairs.same)
		return true;
	while (i >= left.bundles[row].first + left.bundles[row].n)
		row++;
	while (j >= left.bundles[column].first + left.bundles[column].n)
		column++;
	return column >= row;
}

static void
CheckCounts(const BatmapPairs &pairs, const Sets &left, const Sets &right)
{
	std::vector<uint32_t> count = FromDevice(pairs.count, left.n() * pairs.stride);

	for (uint32_t i = 0; i < left.n(); i++)
		for (uint32_t j = 0; j < right.n(); j++)
		{
			uint32_t	expected = 0;

			for (uint64_t k = left.start[i]; k < left.start[i + 1]; k++)
				expected += right.Has(j, left.key[k]);
			if (!IsCounted(pairs, left, i, j) || count[i * pairs.stride + j] == expected)
				continue;
			fprintf(stderr, "FAILED: sets %u and %u have %u keys in common, not %u\n", i, j, expected,
					count[i * pairs.stride + j]);
			exit(1);
		}
}

static void
CountPairs(const BatmapSpace &space, const Sets &left, const Sets &right)
{
	BatmapPairs pairs = {space, left.band, right.band, left.side, right.side, &left == &right, nullptr,
		right.n() + Below(5)};
	uint32_t	ntiles = left.band.nbundles * right.band.nbundles;

	CHECK(cudaMalloc((void **) &pairs.count, sizeof(uint32_t) * left.n() * pairs.stride));
	CHECK(cudaMemset(pairs.count, 0, sizeof(uint32_t) * left.n() * pairs.stride));
	for (uint32_t first = 0, n; first < ntiles; first += n)
	{
		n = 1 + Below(ntiles - first);
		CHECK(CountTiles(&device, &pairs, first, n, std::max(left.level, right.level)));
	}
	CHECK(CountFailures(&device, &pairs));
	CHECK(cudaStreamSynchronize(device.streams[GPU_COUNT]));
	CheckCounts(pairs, left, right);
	CHECK(cudaFree(pairs.count));
}

/* Returns how many insertions failed. */
static uint64_t
CheckOnce(bool high)
{
	BatmapSpace space = {2 + Below(MOST_BITS - 1), BATMAP_LINE_LEVEL, 0};
	uint32_t	level = high ? HIGH_LEVEL : BATMAP_LINE_LEVEL + Below(4);
	uint64_t	failures;
	Sets		left;
	Sets		right;

	space.max_loop = Below(3) == 0 ? 256 : Below(6);
	MakeSets(left, space, level);
	MakeSets(right, space, level);
	CountPairs(space, left, right);
	CountPairs(space, left, left);
	failures = left.failures + right.failures;
	FreeSets(left);
	FreeSets(right);
	return failures;
}

int
main(int argc, char **argv)
{
	int			rounds = argc > 1 ? atoi(argv[1]) : 100;
	uint64_t	failures = 0;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	CHECK(cudaStreamCreate(&device.streams[GPU_COUNT]));
	for (int i = 0; i < rounds; i++)
		failures += CheckOnce(i % 20 == 19);
	printf("# %d pairs of relations as batmaps, %llu insertions failed, 0 wrong\n", rounds, (unsigned long long) failures);
	return failures > 0 || rounds == 0 ? 0 : 1;
}
