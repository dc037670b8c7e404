/*-------------------------------------------------------------------------
 *
 * product.cu
 *	  Checks and measures the kernels behind cuda/bits/bits.h, without a server.
 *
 *		make bench/product
 *		product check [rounds [seed]]		against plain C, on random shapes
 *		product pairs [rows [slabs [n [deviations]]]]
 *											n large products, one if not told
 *		product classes						many classes of one size
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

#include "bits/bits.h"

#define WORDS		16			/* of 64 bits in a line */
#define GUARD		64			/* counts around the classes' that must stay as they are */
#define FEW_CLASSES	128		/* that the host plans, see cuda/itemsets/tensor.cu */
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
	FimMatrix  *classes;
	uint32_t	nclasses;
	uint64_t	nlines;
	uint64_t	ncounts;
	uint64_t   *host;
	void	   *device;
} Data;

static uint64_t *
WordAt(uint64_t *buffer, const FimMatrix *of, uint32_t row, uint32_t word)
{
	return buffer + (of->line + (uint64_t) (word / WORDS) * of->rows + row) * WORDS + word % WORDS;
}

static uint32_t
CountPair(uint64_t *buffer, const FimMatrix *of, uint32_t i, uint32_t j)
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
FillClass(uint64_t *buffer, const FimMatrix *of, uint64_t bits)
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
	data->classes = (FimMatrix *) AllocateHost(nclasses * sizeof(FimMatrix));
	data->nclasses = nclasses;
	data->nlines = Random(3);
	data->ncounts = 0;
	for (uint32_t c = 0; c < nclasses; c++)
	{
		FimMatrix  *of = &data->classes[c];

		bits[c] = Random(most_bits + 1);
		*of = {data->nlines, data->ncounts, (uint32_t) Random(most_rows + 1),
		(uint32_t) ((bits[c] + 1023) / 1024), 0, 0};
		of->skip = Random(2) ? Random(of->rows + 1) : 0;
		data->nlines += (uint64_t) of->rows * of->slabs;
		data->ncounts += (uint64_t) of->rows * of->rows;
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

/* All counts of all classes above the diagonal, as without a threshold. */
static uint32_t *
CountAll(const Data *data)
{
	uint32_t   *counts = (uint32_t *) AllocateHost(data->ncounts * sizeof(uint32_t));

	for (uint32_t c = 0; c < data->nclasses; c++)
	{
		const FimMatrix *of = &data->classes[c];

#pragma omp parallel for schedule(dynamic)
		for (uint32_t i = 0; i < of->rows; i++)
			for (uint32_t j = i + 1; j < of->rows; j++)
				counts[of->count + (uint64_t) i * of->rows + j] = CountPair(data->host, of, i, j);
	}
	return counts;
}

/* What a run writes, and guards before and after it. */
typedef struct Output
{
	FimCounts	counts;
	uint64_t	n;
	uint32_t   *memory;			/* device */
} Output;

static void
MakeOutput(Output *out, uint64_t n)
{
	out->n = n;
	out->memory = (uint32_t *) Allocate((n + 2 * GUARD) * sizeof(uint32_t));
	out->counts = {out->memory + GUARD, false, 0, UINT32_MAX, NULL, 0, 0};
	CHECK(cudaMemset(out->memory, 0xFF, (n + 2 * GUARD) * sizeof(uint32_t)));
	CHECK(cudaMemset(out->counts.count, 0, n * sizeof(uint32_t)));
}

/* A pair's count, if it is to be written and its row is counted. */
static void
Expect(uint32_t *expected, const FimMatrix *of, const FimCounts *counts, uint32_t i, uint32_t j,
	   uint32_t count)
{
	uint32_t	begin = counts->begin > of->skip ? counts->begin : of->skip;

	if (i >= begin && i < counts->end)
		expected[of->count + (uint64_t) (i - begin) * of->rows + j] = count;
}

/* Is all that is wanted written, and nothing else? */
static void
CheckOutput(const Output *out, const Data *data, const uint32_t *all, uint32_t minsup)
{
	size_t		size = (out->n + 2 * GUARD) * sizeof(uint32_t);
	uint32_t   *expected = (uint32_t *) AllocateHost(size);
	uint32_t   *found = (uint32_t *) AllocateHost(size);

	memset(expected, 0xFF, size);
	memset(expected + GUARD, 0, out->n * sizeof(uint32_t));
	for (uint32_t c = 0; c < data->nclasses; c++)
	{
		const FimMatrix *of = &data->classes[c];

		for (uint32_t i = 0; i < of->rows; i++)
			for (uint32_t j = i + 1; j < of->rows; j++)
			{
				uint32_t	count = all[of->count + (uint64_t) i * of->rows + j];

				if (count < minsup)
					continue;
				Expect(expected + GUARD, of, &out->counts, i, j, count);
				if (out->counts.both)
					Expect(expected + GUARD, of, &out->counts, j, i, count);
			}
	}
	CHECK(cudaMemcpy(found, out->memory, size, cudaMemcpyDeviceToHost));
	for (uint64_t n = 0; n < out->n + 2 * GUARD; n++)
		if (found[n] != expected[n])
			Fail("count", found[n], expected[n]);
	free(expected);
	free(found);
}

/* A plan and its memory on the device. */
typedef struct Planned
{
	FimPlan    *plan;
	void	   *classes;
	void	   *scratch;
} Planned;

/* By the host, or by the device of classes that lie there. */
static Planned
MakePlan(FimWay way, const Data *data, bool many, const FimCounts *counts)
{
	FimMatrices	classes = {NULL, 2 * sizeof(FimMatrix), data->nclasses, 0, 0};
	Planned		planned = {};
	void	   *survey;

	if (many)
	{
		planned.classes = Allocate(data->nclasses * classes.stride);
		survey = Allocate(FIM_SURVEY_BYTES);
		CHECK(cudaMemcpy2D(planned.classes, classes.stride, data->classes, sizeof(FimMatrix),
						   sizeof(FimMatrix), data->nclasses, cudaMemcpyHostToDevice));
		classes.matrices = (const FimMatrix *) planned.classes;
		CHECK(FimPlanMany(way, &classes, survey, 0, &planned.plan));
		CHECK(cudaFree(survey));
	}
	else
		CHECK(FimPlanMake(way, data->classes, data->nclasses, counts, &planned.plan));
	planned.scratch = Allocate(FimPlanScratch(planned.plan));
	return planned;
}

static void
FreePlan(Planned *planned)
{
	CHECK(cudaFree(planned->scratch));
	CHECK(cudaFree(planned->classes));
	FimPlanFree(planned->plan);
}

static void
RunPlan(FimWay way, const Data *data, bool many, uint32_t minsup, const FimCounts *counts)
{
	Planned		planned = MakePlan(way, data, many, counts);

	CHECK(FimPlanRun(planned.plan, data->device, data->nlines, minsup, counts, planned.scratch, 0));
	CHECK(cudaDeviceSynchronize());
	FreePlan(&planned);
}

static bool
AllCanTally(FimWay way, const Data *data)
{
	bool		all = true;

	for (uint32_t c = 0; c < data->nclasses; c++)
		all = all && FimCanTally(way, data->classes[c].rows);
	return all;
}

/* What the tally is for, pair by pair. */
static uint64_t
ExpectTally(const Data *data, const uint32_t *all, const FimCounts *counts, uint32_t minsup)
{
	uint64_t	tally = 0;

	for (uint32_t c = 0; c < data->nclasses; c++)
	{
		const FimMatrix *of = &data->classes[c];
		uint32_t	begin = counts->begin > of->skip ? counts->begin : of->skip;

		for (uint32_t i = begin; i < of->rows && i < counts->end; i++)
			for (uint32_t j = i + 1; j < of->rows; j++)
			{
				uint32_t	count = all[of->count + (uint64_t) i * of->rows + j];

				tally += j >= counts->first_column && count > 0 && count >= minsup ? counts->weight : 0;
			}
	}
	return tally;
}

/* The same pairs, told to a tally. */
static void
CheckTally(FimWay way, const Data *data, bool many, const uint32_t *all, uint32_t minsup)
{
	FimCounts	counts = {NULL, false, 0, UINT32_MAX, NULL, 0, 1 + (uint32_t) Random(2)};
	uint64_t	tally;

	if (!many && Random(2))
	{
		counts.begin = Random(300);
		counts.end = counts.begin + 1 + Random(600);
	}
	if (Random(2))
		counts.first_column = Random(600);
	counts.tally = (unsigned long long *) Allocate(sizeof(uint64_t));
	CHECK(cudaMemset(counts.tally, 0, sizeof(uint64_t)));
	RunPlan(way, data, many, minsup, &counts);
	CHECK(cudaMemcpy(&tally, counts.tally, sizeof(uint64_t), cudaMemcpyDeviceToHost));
	if (tally != ExpectTally(data, all, &counts, minsup))
		Fail("tally", tally, ExpectTally(data, all, &counts, minsup));
	CHECK(cudaFree(counts.tally));
}

/* One way, a threshold that some pairs reach, and three that all or none do. */
static void
CheckWay(FimWay way, const Data *data, const uint32_t *all)
{
	uint32_t	some = data->ncounts ? all[Random(data->ncounts)] : 1;
	uint32_t	minsups[] = {0, 1, some, UINT32_MAX};

	for (int i = 0; i < 16; i++)
	{
		bool		many = i & 4;
		Output		out;

		MakeOutput(&out, data->ncounts);
		out.counts.both = i & 8;
		if (!many && Random(2))
		{
			out.counts.begin = Random(100);
			out.counts.end = out.counts.begin + 1 + Random(300);
		}
		RunPlan(way, data, many && data->nclasses > 0, minsups[i % 4], &out.counts);
		CheckOutput(&out, data, all, minsups[i % 4]);
		if (data->nclasses > 0 && AllCanTally(way, data))
			CheckTally(way, data, many, all, minsups[i % 4]);
		CHECK(cudaFree(out.memory));
	}
}

static void
CheckRound(FimWay best, uint32_t nclasses, uint32_t most_rows, uint32_t most_bits)
{
	Data		data;
	uint32_t   *all;

	MakeData(&data, nclasses, most_rows, most_bits);
	all = CountAll(&data);
	for (int way = FIM_POPC; way <= best; way++)
		CheckWay((FimWay) way, &data, all);
	free(all);
	FreeData(&data);
}

/* Few large classes, many small ones, and one that is divided among blocks. */
static void
CheckAll(FimWay best, int rounds, uint64_t seed)
{
	random_state = Mix(seed);
	for (int round = 0; round < rounds; round++)
	{
		CheckRound(best, 1 + Random(3), 1200, 5000);
		CheckRound(best, 1 + Random(40), 300, 20000);
		CheckRound(best, Random(300), 20, 30000);
		CheckRound(best, 1 + Random(60), 70, 10000);
		CheckRound(best, 1 + Random(3), 300, 1000000);
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
	data->classes = (FimMatrix *) AllocateHost(nclasses * sizeof(FimMatrix));
	data->nclasses = nclasses;
	data->nlines = (uint64_t) nclasses * rows * slabs;
	data->ncounts = (uint64_t) nclasses * rows * rows;
	data->host = NULL;
	for (uint32_t c = 0; c < nclasses; c++)
		data->classes[c] = {(uint64_t) c * rows * slabs, (uint64_t) c * rows * rows, rows, slabs};
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

/* Some rows' pairs, by the CPU, must be what was written of the first class. */
static void
CheckSample(const Data *data, const Output *out, uint32_t minsup, uint32_t nsample)
{
	const FimMatrix *of = &data->classes[0];
	FimMatrix	sample = {0, 0, nsample < of->rows ? nsample : of->rows, of->slabs};
	uint32_t	step = of->rows / sample.rows;
	uint64_t   *rows = AllocateHost((uint64_t) sample.rows * of->slabs * FIM_LINE_BYTES);
	uint64_t	size = (uint64_t) of->rows * of->rows * sizeof(uint32_t);
	uint32_t   *found = (uint32_t *) AllocateHost(size);
	uint64_t	wrong = 0;

	for (uint32_t i = 0; i < sample.rows; i++)
		CHECK(cudaMemcpy2D(rows + i * WORDS, sample.rows * FIM_LINE_BYTES,
						   (char *) data->device + (size_t) i * step * FIM_LINE_BYTES,
						   (size_t) of->rows * FIM_LINE_BYTES, FIM_LINE_BYTES, of->slabs,
						   cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(found, out->counts.count, size, cudaMemcpyDeviceToHost));
#pragma omp parallel for schedule(dynamic) reduction(+:wrong)
	for (uint32_t i = 0; i < sample.rows; i++)
		for (uint32_t j = i + 1; j < sample.rows; j++)
		{
			uint32_t	n = CountPair(rows, &sample, i, j);

			wrong += found[(uint64_t) i * step * of->rows + j * step] != (n >= minsup ? n : 0);
		}
	if (wrong > 0)
		Fail("pairs of the sample", wrong, 0);
	free(rows);
	free(found);
}

static __global__ void
CountWrittenKernel(const uint32_t *counts, uint64_t n, unsigned long long *written)
{
	for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < n;
		 i += (uint64_t) gridDim.x * blockDim.x)
		if (counts[i] > 0)
			atomicAdd(written, 1ULL);
}

static unsigned long long
CountWritten(const Output *out)
{
	unsigned long long *device = (unsigned long long *) Allocate(sizeof(*device));
	unsigned long long n;

	CHECK(cudaMemset(device, 0, sizeof(*device)));
	CountWrittenKernel <<<132 * 16, 256>>> (out->counts.count, out->n, device);
	CHECK(cudaMemcpy(&n, device, sizeof(n), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(device));
	return n;
}

static void
Measure(FimWay way, uint32_t nclasses, uint32_t rows, uint32_t slabs, double density, double deviations,
		int runs)
{
	Data		data;
	Output		out;
	Planned		planned;
	cudaEvent_t start;
	cudaEvent_t end;
	float		times[MAX_RUNS];
	double		planning;
	double		useful = 0.5 * nclasses * rows * (rows - 1.0) * slabs * FIM_SLAB_BITS;
	uint32_t	share = (uint32_t) (density * 65536 + 0.5);
	uint32_t	minsup = SupportAbove((double) slabs * FIM_SLAB_BITS, share / 65536.0, deviations);

	MakeEqualData(&data, nclasses, rows, slabs);
	MakeOutput(&out, data.ncounts);
	planning = Now();
	planned = MakePlan(way, &data, nclasses > FEW_CLASSES, &out.counts);
	planning = Now() - planning;
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&end));
	for (int run = -1; run < runs; run++)
	{
		FillData(&data, share);
		CHECK(cudaEventRecord(start));
		CHECK(cudaMemsetAsync(out.counts.count, 0, out.n * sizeof(uint32_t), 0));
		CHECK(FimPlanRun(planned.plan, data.device, data.nlines, minsup, &out.counts, planned.scratch, 0));
		CHECK(cudaEventRecord(end));
		CHECK(cudaDeviceSynchronize());
		if (run >= 0)
			CHECK(cudaEventElapsedTime(&times[run], start, end));
	}
	CheckSample(&data, &out, minsup, 256);
	qsort(times, runs, sizeof(float), CompareTimes);
	printf("%-5s %6u classes x %6u rows x %8u bits: %9.3f ms (%.3f to %.3f) %9.3e useful bit/s %6.2f TB/s, "
		   "%llu pairs, planned in %.3f ms, scratch %.1f MB\n", way_names[way], nclasses, rows, slabs * FIM_SLAB_BITS,
		   times[runs / 2], times[0], times[runs - 1], useful / times[runs / 2] * 1e3,
		   data.nlines * FIM_LINE_BYTES / times[runs / 2] * 1e-9, CountWritten(&out), planning,
		   FimPlanScratch(planned.plan) * 1e-6);
	fflush(stdout);

	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(end));
	FreePlan(&planned);
	CHECK(cudaFree(out.memory));
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
		CheckRound(best, 2, 600, 2000);
		CheckRound(best, 30, 40, 9000);
		CheckRound(best, 4, 270, 70000);
		printf("checked small cases: all pairs right\n");
	}
	else if (strcmp(what, "pairs") == 0)
		for (int way = FIM_POPC; way <= best; way++)
			Measure((FimWay) way, argc > 4 ? atoi(argv[4]) : 1, argc > 2 ? atoi(argv[2]) : 16384,
					argc > 3 ? atoi(argv[3]) : 1024, 0.05, argc > 5 ? atof(argv[5]) : 3, way == best ? 11 : 3);
	else if (strcmp(what, "classes") == 0)
		MeasureClasses(best, 4e9);
	else
	{
		fprintf(stderr, "product check [rounds [seed]] | small | pairs [rows [slabs [n [deviations]]]] | classes\n");
		return 1;
	}
	return 0;
}
