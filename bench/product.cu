/*-------------------------------------------------------------------------
 *
 * product.cu
 *	  Checks and measures the kernels behind cuda/product.h, without a server.
 *
 *		nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -Icuda -o product \
 *			-Xcompiler -fopenmp,-mpopcnt bench/product.cu cuda/product*.cu
 *		product check [rounds [seed]]		against plain C, on random shapes
 *		product pairs [rows [slabs [n [deviations]]]]
 *											n large products, one if not told
 *		product classes						many classes of one size
 *		product rows						making children
 *
 * Checks compare every pair with counts made on the CPU.  Measurements draw new
 * random rows for each run, time with events what FimPlanRun() puts on the
 * stream, the plan's way to the device included, and give the median; a bit is
 * counted as useful once for each unordered pair of rows that has it.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "product.h"

#define WORDS		16			/* of 64 bits in a line */
#define GUARD		64			/* pairs beyond the capacity that must stay as they are */
#define MAX_RUNS	16

#define CHECK(call) Check((call), #call)

static const char *const way_names[] = {"popc", "mma", "wgmma"};

static uint64_t random_state;

static void
Check(cudaError_t error, const char *call)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s (%s)\n", call, cudaGetErrorName(error), cudaGetErrorString(error));
	exit(1);
}

static void
Fail(const char *what, uint64_t got, uint64_t expected)
{
	fprintf(stderr, "FAILED: %s: got %llu, expected %llu\n", what,
			(unsigned long long) got, (unsigned long long) expected);
	exit(1);
}

/* SplitMix64 */
static __host__ __device__ uint64_t
Mix(uint64_t x)
{
	x += 0x9E3779B97F4A7C15;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return x ^ x >> 31;
}

static uint64_t
Random(uint64_t below)
{
	return Mix(random_state++) % below;
}

/* Each bit is set with probability density / 65536. */
static __host__ __device__ uint64_t
RandomWord(uint64_t seed, uint32_t density)
{
	uint64_t	word = 0;

	for (uint32_t bit = 0; bit < 16; bit++)
	{
		uint64_t	coin = Mix(seed * 16 + bit);

		word = density >> bit & 1 ? word | coin : word & coin;
	}
	return word;
}

static __global__ void
FillKernel(uint64_t *words, uint64_t n, uint64_t seed, uint32_t density)
{
	for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < n;
		 i += (uint64_t) gridDim.x * blockDim.x)
		words[i] = RandomWord(Mix(seed) + i, density);
}

static void *
Allocate(size_t size)
{
	void	   *memory;

	CHECK(cudaMalloc(&memory, size + 1));
	return memory;
}

static uint64_t *
AllocateHost(size_t size)
{
	void	   *memory = calloc(size + 1, 1);

	if (memory == NULL)
	{
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return (uint64_t *) memory;
}

/* A buffer of classes, on both sides. */
typedef struct Data
{
	FimClass   *classes;
	uint32_t	nclasses;
	uint64_t	nlines;
	uint64_t   *host;
	void	   *device;
} Data;

static uint64_t *
WordAt(uint64_t *buffer, const FimClass *of, uint32_t row, uint32_t word)
{
	return buffer + (of->line + (uint64_t) (word / WORDS) * of->rows + row) * WORDS + word % WORDS;
}

static uint32_t
CountPair(uint64_t *buffer, const FimClass *of, uint32_t i, uint32_t j)
{
	uint32_t	n = 0;

	for (uint32_t slab = 0; slab < of->slabs; slab++)
	{
		const uint64_t *a = WordAt(buffer, of, i, slab * WORDS);
		const uint64_t *b = WordAt(buffer, of, j, slab * WORDS);

		for (int w = 0; w < WORDS; w++)
			n += __builtin_popcountll(a[w] & b[w]);
	}
	return n;
}

/* Rows of random density over bits transactions, some without any, some with all. */
static void
FillClass(uint64_t *buffer, const FimClass *of, uint64_t bits)
{
	for (uint32_t row = 0; row < of->rows; row++)
	{
		uint32_t	kind = Random(16);
		uint32_t	density = kind < 4 ? 40000 : kind < 12 ? Random(65536) : Random(3000);

		for (uint64_t word = 0; word * 64 < bits; word++)
		{
			uint64_t	value = kind == 13 ? 0 : kind == 14 ? UINT64_MAX :
				RandomWord(random_state++, density);

			if (bits - word * 64 < 64)
				value &= ((uint64_t) 1 << (bits - word * 64)) - 1;
			*WordAt(buffer, of, row, word) = value;
		}
	}
}

static void
MakeData(Data *data, uint32_t nclasses, uint32_t most_rows, uint32_t most_bits)
{
	uint64_t   *bits = AllocateHost(nclasses * sizeof(uint64_t));
	uint32_t	first = Random(1000);

	data->classes = (FimClass *) AllocateHost(nclasses * sizeof(FimClass));
	data->nclasses = nclasses;
	data->nlines = Random(3);
	for (uint32_t c = 0; c < nclasses; c++)
	{
		FimClass   *of = &data->classes[c];

		bits[c] = Random(most_bits + 1);
		*of = {data->nlines, (uint32_t) Random(most_rows + 1), (uint32_t) ((bits[c] + 1023) / 1024), first};
		data->nlines += (uint64_t) of->rows * of->slabs;
		first += of->rows;
	}
	data->host = AllocateHost(data->nlines * FIM_LINE_BYTES);
	for (uint32_t c = 0; c < nclasses; c++)
		FillClass(data->host, &data->classes[c], bits[c]);
	data->device = Allocate(data->nlines * FIM_LINE_BYTES);
	CHECK(cudaMemcpy(data->device, data->host, data->nlines * FIM_LINE_BYTES,
					 cudaMemcpyHostToDevice));
	free(bits);
}

static void
FreeData(Data *data)
{
	CHECK(cudaFree(data->device));
	free(data->host);
	free(data->classes);
}

/* All counts of all classes; those of class c begin at start[c], by i * rows + j. */
typedef struct Counts
{
	uint64_t   *start;
	uint32_t   *count;
	uint64_t	n;
} Counts;

static void
CountAll(Counts *counts, const Data *data)
{
	counts->start = AllocateHost((data->nclasses + 1) * sizeof(uint64_t));
	counts->n = 0;
	for (uint32_t c = 0; c < data->nclasses; c++)
	{
		counts->start[c] = counts->n;
		counts->n += (uint64_t) data->classes[c].rows * data->classes[c].rows;
	}
	counts->count = (uint32_t *) AllocateHost(counts->n * sizeof(uint32_t));
	for (uint32_t c = 0; c < data->nclasses; c++)
	{
		const FimClass *of = &data->classes[c];

#pragma omp parallel for schedule(dynamic)
		for (uint32_t i = 0; i < of->rows; i++)
			for (uint32_t j = i + 1; j < of->rows; j++)
				counts->count[counts->start[c] + (uint64_t) i * of->rows + j] =
					CountPair(data->host, of, i, j);
	}
}

static uint64_t
CountWanted(const Counts *counts, uint32_t minsup)
{
	uint64_t	n = 0;

	for (uint64_t i = 0; i < counts->n; i++)	/* those not above the diagonal are zero */
		n += counts->count[i] > 0 && counts->count[i] >= minsup;
	return n;
}

/* What a run writes. */
typedef struct Output
{
	FimPairs	pairs;
	unsigned long long count;
	uint64_t   *pair;			/* on the host, with the guard */
	uint32_t   *support;
} Output;

static void
MakeOutput(Output *out, uint64_t capacity)
{
	out->pairs.pair = (uint64_t *) Allocate((capacity + GUARD) * sizeof(uint64_t));
	out->pairs.support = (uint32_t *) Allocate((capacity + GUARD) * sizeof(uint32_t));
	out->pairs.count = (unsigned long long *) Allocate(sizeof(unsigned long long));
	out->pairs.capacity = capacity;
	CHECK(cudaMemset(out->pairs.pair, 0xFF, (capacity + GUARD) * sizeof(uint64_t)));
	CHECK(cudaMemset(out->pairs.support, 0xFF, (capacity + GUARD) * sizeof(uint32_t)));
	CHECK(cudaMemset(out->pairs.count, 0, sizeof(unsigned long long)));
	out->pair = AllocateHost((capacity + GUARD) * sizeof(uint64_t));
	out->support = (uint32_t *) AllocateHost((capacity + GUARD) * sizeof(uint32_t));
}

static void
FetchOutput(Output *out)
{
	uint64_t	n = out->pairs.capacity + GUARD;

	CHECK(cudaMemcpy(&out->count, out->pairs.count, sizeof(out->count), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(out->pair, out->pairs.pair, n * sizeof(uint64_t), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(out->support, out->pairs.support, n * sizeof(uint32_t),
					 cudaMemcpyDeviceToHost));
}

static void
FreeOutput(Output *out)
{
	CHECK(cudaFree(out->pairs.pair));
	CHECK(cudaFree(out->pairs.support));
	CHECK(cudaFree(out->pairs.count));
	free(out->pair);
	free(out->support);
}

static uint32_t
ClassOfRow(const Data *data, uint32_t name)
{
	for (uint32_t c = 0; c < data->nclasses; c++)
		if (name - data->classes[c].first < data->classes[c].rows)
			return c;
	Fail("row of no class", name, 0);
	return 0;
}

/* Is every pair written right and written once, and nothing else? */
static void
CheckOutput(const Output *out, const Data *data, const Counts *counts, uint32_t minsup)
{
	uint64_t	written = out->count < out->pairs.capacity ? out->count : out->pairs.capacity;
	uint64_t	wanted = CountWanted(counts, minsup);
	char	   *seen = (char *) AllocateHost(counts->n);

	if (out->count != wanted)
		Fail("number of pairs", out->count, wanted);
	for (uint64_t n = 0; n < written; n++)
	{
		uint32_t	c = ClassOfRow(data, out->pair[n] >> 32);
		const FimClass *of = &data->classes[c];
		uint32_t	i = (uint32_t) (out->pair[n] >> 32) - of->first;
		uint32_t	j = (uint32_t) out->pair[n] - of->first;
		uint64_t	at = counts->start[c] + (uint64_t) i * of->rows + j;

		if (j >= of->rows || i >= j)
			Fail("pair's second row", j, of->rows);
		if (out->support[n] != counts->count[at])
			Fail("support", out->support[n], counts->count[at]);
		if (seen[at]++ || out->support[n] == 0 || out->support[n] < minsup)
			Fail("pair written wrongly", out->support[n], minsup);
	}
	for (uint64_t n = written; n < out->pairs.capacity + GUARD; n++)
		if (out->pair[n] != UINT64_MAX || out->support[n] != UINT32_MAX)
			Fail("written beyond the end", n, written);
	free(seen);
}

static void
RunPlan(FimWay way, const Data *data, uint32_t minsup, const FimPairs *pairs)
{
	FimPlan    *plan;
	void	   *scratch;

	CHECK(FimPlanMake(way, data->classes, data->nclasses, &plan));
	scratch = Allocate(FimPlanScratch(plan));
	CHECK(FimPlanRun(plan, data->device, data->nlines, minsup, pairs, scratch, 0));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(scratch));
	FimPlanFree(plan);
}

/* One way, a threshold that some pairs reach, and three that all or none do. */
static void
CheckWay(FimWay way, const Data *data, const Counts *counts)
{
	uint32_t	some = counts->n ? counts->count[Random(counts->n)] : 1;
	uint32_t	minsups[] = {0, 1, some, UINT32_MAX};

	for (int i = 0; i < 4; i++)
	{
		uint64_t	wanted = CountWanted(counts, minsups[i]);
		Output		out;

		MakeOutput(&out, i % 2 == 0 ? wanted : Random(wanted + 1));
		RunPlan(way, data, minsups[i], &out.pairs);
		FetchOutput(&out);
		CheckOutput(&out, data, counts, minsups[i]);
		FreeOutput(&out);
	}
}

/* A child of a class for each of its rows that has rows after it. */
typedef struct Children
{
	FimChild   *child;
	uint32_t	n;
	uint32_t   *members;
	uint64_t	nmembers;
	uint64_t	nlive;
	uint64_t	nlines;
} Children;

static void
MakeFamily(Children *children, const Data *data, FimGrain grain)
{
	uint64_t	rows = 0;
	uint64_t	pairs = 0;

	for (uint32_t c = 0; c < data->nclasses; c++)
	{
		rows += data->classes[c].rows;
		pairs += (uint64_t) data->classes[c].rows * data->classes[c].rows;
	}
	memset(children, 0, sizeof(Children));
	children->child = (FimChild *) AllocateHost(rows * sizeof(FimChild));
	children->members = (uint32_t *) AllocateHost(pairs * sizeof(uint32_t));
	for (uint32_t c = 0; c < data->nclasses; c++)
	{
		const FimClass *of = &data->classes[c];

		for (uint32_t i = 0; i + 1 < of->rows && of->slabs > 0; i++)
		{
			FimChild   *child = &children->child[children->n];
			uint32_t	n = 0;

			for (uint32_t j = i + 1; j < of->rows; j++)
				if (Random(3) == 0)
					children->members[children->nmembers + n++] = of->first + j;
			if (n == 0)
				continue;
			*child = {*of, {0, n, of->slabs, 0}, children->nmembers, children->nlive, 0, of->first + i};
			children->n++;
			children->nmembers += n;
			children->nlive += (uint64_t) of->slabs * (FIM_SLAB_BITS / grain);
		}
	}
}

/* Where grains of 64-bit words are, a grain is 16 of them or one. */
static uint64_t
LiveGrain(const Data *data, const FimChild *child, uint32_t g, FimGrain grain)
{
	uint64_t	any = 0;

	for (uint32_t w = 0; w < grain / 64; w++)
		any |= *WordAt(data->host, &child->from, child->prefix - child->from.first,
					   g * (grain / 64) + w);
	return any;
}

static void
CheckLive(const Data *data, const FimChild *child, FimGrain grain, const uint32_t *live,
		  uint32_t count)
{
	uint32_t	n = 0;

	for (uint32_t g = 0; g < child->from.slabs * (FIM_SLAB_BITS / grain); g++)
		if (LiveGrain(data, child, g, grain) != 0)
		{
			if (n >= count || live[child->live + n] != g)
				Fail("live grain", n < count ? live[child->live + n] : count, g);
			n++;
		}
	if (n != count)
		Fail("live grains", count, n);
	for (; n < child->from.slabs * (FIM_SLAB_BITS / grain); n++)
		if (live[child->live + n] != UINT32_MAX)
			Fail("live grain beyond the last", live[child->live + n], n);
}

static void
CheckChild(const Data *data, const FimChild *child, FimGrain grain, const uint32_t *members,
		   const uint32_t *live, uint64_t *made)
{
	for (uint32_t r = 0; r < child->to.rows; r++)
		for (uint32_t w = 0; w < child->to.slabs * WORDS; w++)
		{
			uint32_t	g = w / (grain / 64);
			uint64_t	expected = 0;

			if (child->live == FIM_ALL_LIVE || g < child->nlive)
			{
				uint32_t	from = child->live == FIM_ALL_LIVE ? w :
					live[child->live + g] * (grain / 64) + w % (grain / 64);

				expected = *WordAt(data->host, &child->from, child->prefix - child->from.first, from) &
					*WordAt(data->host, &child->from, members[child->members + r] - child->from.first, from);
			}
			if (*WordAt(made, &child->to, r, w) != expected)
				Fail("child's word", *WordAt(made, &child->to, r, w), expected);
		}
}

/* List what is live, give children their place, make them; look at both. */
static void
CheckRows(const Data *data, FimGrain grain)
{
	Children	all;
	FimChild   *child;
	uint32_t   *members;
	uint32_t   *device_live;
	uint32_t   *device_count;
	uint32_t   *live;
	uint32_t   *count;
	void	   *to;
	uint64_t   *made;
	uint64_t	line = Random(3);

	MakeFamily(&all, data, grain);
	child = (FimChild *) Allocate(all.n * sizeof(FimChild));
	members = (uint32_t *) Allocate(all.nmembers * sizeof(uint32_t));
	device_live = (uint32_t *) Allocate(all.nlive * sizeof(uint32_t));
	device_count = (uint32_t *) Allocate(all.n * sizeof(uint32_t));
	live = (uint32_t *) AllocateHost(all.nlive * sizeof(uint32_t));
	count = (uint32_t *) AllocateHost(all.n * sizeof(uint32_t));
	CHECK(cudaMemcpy(child, all.child, all.n * sizeof(FimChild), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(members, all.members, all.nmembers * sizeof(uint32_t), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(device_live, 0xFF, all.nlive * sizeof(uint32_t)));
	CHECK(FimListLive(data->device, child, all.n, grain, device_live, device_count, 0));
	CHECK(cudaMemcpy(live, device_live, all.nlive * sizeof(uint32_t), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(count, device_count, all.n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
	for (uint32_t i = 0; i < all.n; i++)
	{
		FimChild   *one = &all.child[i];

		CheckLive(data, one, grain, live, count[i]);
		if (Random(4) == 0)
			one->live = FIM_ALL_LIVE;
		else
		{
			one->nlive = count[i];
			one->to.slabs = FimSlabsOf(count[i], grain);
		}
		one->to.line = line + all.nlines;
		all.nlines += (uint64_t) one->to.rows * one->to.slabs;
	}
	CHECK(cudaMemcpy(child, all.child, all.n * sizeof(FimChild), cudaMemcpyHostToDevice));
	to = Allocate((line + all.nlines) * FIM_LINE_BYTES);
	made = AllocateHost((line + all.nlines) * FIM_LINE_BYTES);
	CHECK(cudaMemset(to, 0xFF, (line + all.nlines) * FIM_LINE_BYTES));
	CHECK(FimMakeChildren(data->device, to, line, all.nlines, child, all.n, members, device_live,
						  grain, 0));
	CHECK(cudaMemcpy(made, to, (line + all.nlines) * FIM_LINE_BYTES, cudaMemcpyDeviceToHost));
	for (uint32_t i = 0; i < all.n; i++)
		CheckChild(data, &all.child[i], grain, all.members, live, made);

	CHECK(cudaFree(child));
	CHECK(cudaFree(members));
	CHECK(cudaFree(device_live));
	CHECK(cudaFree(device_count));
	CHECK(cudaFree(to));
	free(all.child);
	free(all.members);
	free(live);
	free(count);
	free(made);
}

static void
CheckRound(FimWay best, uint32_t nclasses, uint32_t most_rows, uint32_t most_bits, bool rows)
{
	Data		data;
	Counts		counts;

	MakeData(&data, nclasses, most_rows, most_bits);
	CountAll(&counts, &data);
	for (int way = FIM_POPC; way <= best; way++)
		CheckWay((FimWay) way, &data, &counts);
	if (rows)
	{
		CheckRows(&data, FIM_GRAIN_LINE);
		CheckRows(&data, FIM_GRAIN_WORD);
	}
	free(counts.start);
	free(counts.count);
	FreeData(&data);
}

/* Few large classes, many small ones, and one that is divided among blocks. */
static void
CheckAll(FimWay best, int rounds, uint64_t seed)
{
	random_state = Mix(seed);
	for (int round = 0; round < rounds; round++)
	{
		CheckRound(best, 1 + Random(3), 1200, 5000, false);
		CheckRound(best, 1 + Random(40), 300, 20000, false);
		CheckRound(best, Random(300), 20, 30000, true);
		CheckRound(best, 1 + Random(60), 70, 10000, true);
		CheckRound(best, 1 + Random(3), 300, 1000000, false);
	}
	printf("checked %d rounds from seed %llu: all pairs right, up to %s\n", rounds,
		   (unsigned long long) seed, way_names[best]);
}

static int
CompareTimes(const void *a, const void *b)
{
	float		x = *(const float *) a;
	float		y = *(const float *) b;

	return x < y ? -1 : x > y;
}

/* Equal classes with fresh random rows. */
static void
FillData(Data *data, uint32_t density)
{
	FillKernel <<<132 * 16, 256>>> ((uint64_t *) data->device, data->nlines * WORDS,
									Mix(random_state++), density);
	CHECK(cudaGetLastError());
}

static void
MakeEqualData(Data *data, uint32_t nclasses, uint32_t rows, uint32_t slabs)
{
	data->classes = (FimClass *) AllocateHost(nclasses * sizeof(FimClass));
	data->nclasses = nclasses;
	data->nlines = (uint64_t) nclasses * rows * slabs;
	data->host = NULL;
	for (uint32_t c = 0; c < nclasses; c++)
		data->classes[c] = {(uint64_t) c * rows * slabs, rows, slabs, c * rows};
	data->device = Allocate(data->nlines * FIM_LINE_BYTES);
}

/*
 * So many deviations above the mean of a random pair's support: with three, one
 * pair in 741 has it.
 */
static uint32_t
SupportAbove(double bits, double density, double deviations)
{
	double		both = density * density;
	double		support = bits * both + deviations * sqrt(bits * both * (1 - both));

	return support < 1 ? 1 : (uint32_t) support;
}

/* Milliseconds of a clock. */
static double
Now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

/* Some rows' pairs, by the CPU, must be what was written of them. */
static void
CheckSample(const Data *data, const Output *out, uint32_t minsup, uint32_t nsample)
{
	const FimClass *of = &data->classes[0];
	FimClass	sample = {0, nsample < of->rows ? nsample : of->rows, of->slabs, 0};
	uint32_t	step = of->rows / sample.rows;
	uint64_t   *rows = AllocateHost((uint64_t) sample.rows * of->slabs * FIM_LINE_BYTES);
	uint32_t   *found = (uint32_t *) AllocateHost((uint64_t) sample.rows * sample.rows * sizeof(uint32_t));
	uint64_t	wrong = 0;

	for (uint32_t i = 0; i < sample.rows; i++)
		CHECK(cudaMemcpy2D(rows + i * WORDS, sample.rows * FIM_LINE_BYTES,
						   (char *) data->device + (size_t) i * step * FIM_LINE_BYTES,
						   (size_t) of->rows * FIM_LINE_BYTES, FIM_LINE_BYTES, of->slabs,
						   cudaMemcpyDeviceToHost));
	for (uint64_t n = 0; n < out->count && n < out->pairs.capacity; n++)
	{
		uint32_t	i = out->pair[n] >> 32;
		uint32_t	j = (uint32_t) out->pair[n];

		if (i % step == 0 && j % step == 0 && i / step < sample.rows && j / step < sample.rows)
			found[(uint64_t) (i / step) * sample.rows + j / step] = out->support[n];
	}
#pragma omp parallel for schedule(dynamic) reduction(+:wrong)
	for (uint32_t i = 0; i < sample.rows; i++)
		for (uint32_t j = i + 1; j < sample.rows; j++)
		{
			uint32_t	n = CountPair(rows, &sample, i, j);

			wrong += found[(uint64_t) i * sample.rows + j] != (n >= minsup ? n : 0);
		}
	if (wrong > 0)
		Fail("pairs of the sample", wrong, 0);
	free(rows);
	free(found);
}

static void
Measure(FimWay way, uint32_t nclasses, uint32_t rows, uint32_t slabs, double density, double deviations,
		int runs)
{
	Data		data;
	Output		out;
	FimPlan    *plan;
	void	   *scratch;
	cudaEvent_t start;
	cudaEvent_t end;
	float		times[MAX_RUNS];
	double		planning;
	double		useful = 0.5 * nclasses * rows * (rows - 1.0) * slabs * FIM_SLAB_BITS;
	uint32_t	share = (uint32_t) (density * 65536 + 0.5);
	uint32_t	minsup = SupportAbove((double) slabs * FIM_SLAB_BITS, share / 65536.0, deviations);

	MakeEqualData(&data, nclasses, rows, slabs);
	MakeOutput(&out, deviations < 3 ? 1 << 28 : 1 << 22);
	planning = Now();
	CHECK(FimPlanMake(way, data.classes, nclasses, &plan));
	planning = Now() - planning;
	scratch = Allocate(FimPlanScratch(plan));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&end));
	for (int run = -1; run < runs; run++)
	{
		FillData(&data, share);
		CHECK(cudaMemset(out.pairs.count, 0, sizeof(unsigned long long)));
		CHECK(cudaEventRecord(start));
		CHECK(FimPlanRun(plan, data.device, data.nlines, minsup, &out.pairs, scratch, 0));
		CHECK(cudaEventRecord(end));
		CHECK(cudaDeviceSynchronize());
		if (run >= 0)
			CHECK(cudaEventElapsedTime(&times[run], start, end));
	}
	FetchOutput(&out);
	CheckSample(&data, &out, minsup, 256);
	qsort(times, runs, sizeof(float), CompareTimes);
	printf("%-5s %6u classes x %6u rows x %8u bits: %9.3f ms (%.3f to %.3f) %9.3e useful bit/s %6.2f TB/s, "
		   "%llu pairs, planned in %.3f ms, scratch %.1f MB\n", way_names[way], nclasses, rows, slabs * FIM_SLAB_BITS,
		   times[runs / 2], times[0], times[runs - 1], useful / times[runs / 2] * 1e3,
		   data.nlines * FIM_LINE_BYTES / times[runs / 2] * 1e-9, out.count, planning,
		   FimPlanScratch(plan) * 1e-6);
	fflush(stdout);

	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(end));
	CHECK(cudaFree(scratch));
	FimPlanFree(plan);
	FreeOutput(&out);
	FreeData(&data);
}

/* Classes of one size, as many as make bytes. */
static void
MeasureClasses(FimWay best, double bytes)
{
	static const uint32_t rows[] = {8, 16, 32, 48, 64, 96, 128, 192, 256, 400, 1000};
	static const uint32_t slabs[] = {64, 1024};

	for (size_t s = 0; s < sizeof(slabs) / sizeof(*slabs); s++)
		for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
			for (int way = FIM_POPC; way <= best; way++)
				Measure((FimWay) way, bytes / FIM_LINE_BYTES / rows[r] / slabs[s] + 1, rows[r], slabs[s],
						0.3, 3, 5);
}

/*
 * Children with half of their parent's 64 rows each, of all grains or of those
 * live where a share of about live / 65536 is.
 */
static void
MeasureRows(FimGrain grain, uint32_t density, bool compact)
{
	const uint32_t rows = 64;
	const uint32_t slabs = 256;
	Data		data;
	Children	all;
	FimChild   *child;
	uint32_t   *members;
	uint32_t   *live;
	uint32_t   *device_count;
	uint32_t   *count;
	void	   *to;
	cudaEvent_t event[3];
	float		list_time;
	float		make_time;
	float		set_time;

	MakeEqualData(&data, 64, rows, slabs);
	FillData(&data, density);
	MakeFamily(&all, &data, grain);
	child = (FimChild *) Allocate(all.n * sizeof(FimChild));
	members = (uint32_t *) Allocate(all.nmembers * sizeof(uint32_t));
	live = (uint32_t *) Allocate(all.nlive * sizeof(uint32_t));
	device_count = (uint32_t *) Allocate(all.n * sizeof(uint32_t));
	count = (uint32_t *) AllocateHost(all.n * sizeof(uint32_t));
	for (int i = 0; i < 3; i++)
		CHECK(cudaEventCreate(&event[i]));
	CHECK(cudaMemcpy(child, all.child, all.n * sizeof(FimChild), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(members, all.members, all.nmembers * sizeof(uint32_t), cudaMemcpyHostToDevice));
	for (int run = 0; run < 2; run++)
	{
		CHECK(cudaEventRecord(event[0]));
		CHECK(FimListLive(data.device, child, all.n, grain, live, device_count, 0));
		CHECK(cudaEventRecord(event[1]));
		CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaEventElapsedTime(&list_time, event[0], event[1]));
	CHECK(cudaMemcpy(count, device_count, all.n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
	for (uint32_t i = 0; i < all.n; i++)
	{
		FimChild   *one = &all.child[i];

		if (!compact)
			one->live = FIM_ALL_LIVE;
		else
		{
			one->nlive = count[i];
			one->to.slabs = FimSlabsOf(count[i], grain);
		}
		one->to.line = all.nlines;
		all.nlines += (uint64_t) one->to.rows * one->to.slabs;
	}
	CHECK(cudaMemcpy(child, all.child, all.n * sizeof(FimChild), cudaMemcpyHostToDevice));
	to = Allocate(all.nlines * FIM_LINE_BYTES);
	for (int run = 0; run < 3; run++)
	{
		CHECK(cudaEventRecord(event[1]));
		CHECK(FimMakeChildren(data.device, to, 0, all.nlines, child, all.n, members, live, grain, 0));
		CHECK(cudaEventRecord(event[2]));
		CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaEventElapsedTime(&make_time, event[1], event[2]));
	CHECK(cudaEventRecord(event[1]));
	CHECK(cudaMemsetAsync(to, 1, all.nlines * FIM_LINE_BYTES, 0));
	CHECK(cudaEventRecord(event[2]));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventElapsedTime(&set_time, event[1], event[2]));
	printf("rows, grain %4d, density %5u/65536, %s: %u children, %.2f GB made in %.3f ms: "
		   "%.2f TB/s written (cudaMemset %.2f); live listed in %.3f ms\n", grain, density,
		   compact ? "live ones" : "all", all.n, all.nlines * 128e-9, make_time,
		   all.nlines * 128e-9 / make_time, all.nlines * 128e-9 / set_time, list_time);
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		CHECK(cudaEventDestroy(event[i]));
	CHECK(cudaFree(child));
	CHECK(cudaFree(members));
	CHECK(cudaFree(live));
	CHECK(cudaFree(device_count));
	CHECK(cudaFree(to));
	free(all.child);
	free(all.members);
	free(count);
	FreeData(&data);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "check";
	FimWay		best;

	CHECK(FimBestWay(&best));
	if (strcmp(what, "check") == 0)
		CheckAll(best, argc > 2 ? atoi(argv[2]) : 3, argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
	else if (strcmp(what, "small") == 0)
	{
		CheckRound(best, 2, 600, 2000, false);
		CheckRound(best, 30, 40, 9000, true);
		CheckRound(best, 4, 270, 70000, false);
		printf("checked small cases: all pairs right\n");
	}
	else if (strcmp(what, "pairs") == 0)
		for (int way = FIM_POPC; way <= best; way++)
			Measure((FimWay) way, argc > 4 ? atoi(argv[4]) : 1, argc > 2 ? atoi(argv[2]) : 16384,
					argc > 3 ? atoi(argv[3]) : 1024, 0.05, argc > 5 ? atof(argv[5]) : 3, way == best ? 11 : 3);
	else if (strcmp(what, "classes") == 0)
		MeasureClasses(best, 4e9);
	else if (strcmp(what, "rows") == 0)
	{
		MeasureRows(FIM_GRAIN_LINE, 20000, false);
		MeasureRows(FIM_GRAIN_LINE, 40, true);
		MeasureRows(FIM_GRAIN_WORD, 800, true);
		MeasureRows(FIM_GRAIN_WORD, 100, true);
	}
	else
	{
		fprintf(stderr, "product check [rounds [seed]] | small | pairs [rows [slabs [n [deviations]]]] | classes | rows\n");
		return 1;
	}
	return 0;
}
