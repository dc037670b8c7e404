/*-------------------------------------------------------------------------
 *
 * papriori_kernels.cu
 *	  The kernels of GPU pApriori, see papriori.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "ancestors/papriori/papriori.h"
#include "probable/probable.h"
#include "probable/probable_device.h"

#define THREADS			256
#define BASE_THREADS	128
#define BASE_LEVELS		8

static_assert(1 << BASE_LEVELS == TREE_BASE, "eight levels in shared memory");

static __device__ __forceinline__ uint32_t
WordsOf(const UncertainSheet &sheet)
{
	return sheet.nslabs * LINE_WORDS;
}

static __device__ __forceinline__ uint32_t
WordOfColumn(const UncertainSheet &sheet, uint32_t column, uint32_t word)
{
	return sheet.lines[((uint64_t) (word / LINE_WORDS) * sheet.ncolumns + column) * LINE_WORDS +
					   word % LINE_WORDS];
}

/* ---- inclusion check ---- */

/* A row of blocks for each candidate, a thread for each word. */
static __global__ void __launch_bounds__(THREADS)
ColumnsKernel(UncertainSheet sheet, const uint32_t *columns, uint32_t length, uint32_t *bits)
{
	uint32_t	word = blockIdx.y * THREADS + threadIdx.x;
	uint32_t	common = 0xffffffffu;

	if (word >= WordsOf(sheet))
		return;
	for (uint32_t i = 0; i < length; i++)
		common &= WordOfColumn(sheet, columns[(uint64_t) blockIdx.x * length + i], word);
	bits[(uint64_t) blockIdx.x * WordsOf(sheet) + word] = common;
}

static __global__ void __launch_bounds__(THREADS)
MembersKernel(uint32_t nwords, const uint32_t *members, const uint32_t *member, const uint32_t *partner,
			  uint32_t *bits)
{
	uint32_t	word = blockIdx.y * THREADS + threadIdx.x;

	if (word < nwords)
		bits[(uint64_t) blockIdx.x * nwords + word] =
			members[(uint64_t) member[blockIdx.x] * nwords + word] &
			members[(uint64_t) partner[blockIdx.x] * nwords + word];
}

static __global__ void __launch_bounds__(THREADS)
GatherKernel(uint32_t nwords, const uint32_t *bits, const uint32_t *which, uint32_t *to)
{
	uint32_t	word = blockIdx.y * THREADS + threadIdx.x;

	if (word < nwords)
		to[(uint64_t) blockIdx.x * nwords + word] = bits[(uint64_t) which[blockIdx.x] * nwords + word];
}

/* ---- decoding ---- */

/* Calls a function with the number of each bit that is set, ascending. */
template <Decoding DECODING, class Function>
static __device__ __forceinline__ void
ForEachBit(uint32_t word, Function function)
{
	if (DECODING == DECODE_POPC)
		for (int n = __popc(word); n > 0; n--)
		{
			function(__ffs(word) - 1);
			word &= word - 1;
		}
	else
		for (int bit = 0; bit < 32; bit++)
			if (word >> bit & 1)
				function(bit);
}

/* A block for each candidate, a thread for each word. */
template <Decoding DECODING>
static __global__ void __launch_bounds__(THREADS)
ReduceKernel(UncertainSheet sheet, const uint32_t *bits, uint32_t *counts, double *sums)
{
	using Reduce = cub::BlockReduce<double, THREADS>;
	using Count = cub::BlockReduce<uint32_t, THREADS>;
	__shared__ union
	{
		typename Reduce::TempStorage reduce;
		typename Count::TempStorage count;
	}			temporary;
	const uint32_t *row = bits + (uint64_t) blockIdx.x * WordsOf(sheet);
	double		totals[MOMENT_SUMS] = {0, 0, 0};
	uint32_t	count = 0;

	for (uint32_t w = threadIdx.x; w < WordsOf(sheet); w += THREADS)
	{
		double		of_word[MOMENT_SUMS] = {0, 0, 0};

		ForEachBit<DECODING>(row[w], [&] (int bit)
		{
			double		p = sheet.row_p[(uint64_t) w * 32 + bit];
			double		variance = fma(-p, p, p);

			of_word[0] += p;
			of_word[1] += variance;
			of_word[2] += fma(-2 * variance, variance, variance);
			count++;
		});
		for (int s = 0; s < MOMENT_SUMS; s++)
			totals[s] += of_word[s];
	}
	count = Count(temporary.count).Sum(count);
	if (threadIdx.x == 0)
		counts[blockIdx.x] = count;
	for (int s = 0; s < MOMENT_SUMS; s++)
	{
		double		total;

		__syncthreads();
		total = Reduce(temporary.reduce).Sum(totals[s]);
		if (threadIdx.x == 0)
			sums[(uint64_t) blockIdx.x * MOMENT_SUMS + s] = total;
	}
}

/* A block for each list; its threads decode THREADS words at a time. */
template <Decoding DECODING>
static __global__ void __launch_bounds__(THREADS)
DecodeKernel(UncertainSheet sheet, const uint32_t *bits, const uint32_t *which, uint64_t places,
			 double *lists)
{
	using Scan = cub::BlockScan<uint32_t, THREADS>;
	__shared__ typename Scan::TempStorage temporary;
	const uint32_t *row = bits + (uint64_t) which[blockIdx.x] * WordsOf(sheet);
	double	   *list = lists + (uint64_t) blockIdx.x * places;

	for (uint32_t first = 0; first < WordsOf(sheet); first += THREADS)
	{
		uint32_t	w = first + threadIdx.x;
		uint32_t	word = w < WordsOf(sheet) ? row[w] : 0;
		uint32_t	at;
		uint32_t	n;

		__syncthreads();
		Scan(temporary).ExclusiveSum((uint32_t) __popc(word), at, n);
		ForEachBit<DECODING>(word, [&] (int bit)
		{
			list[at++] = sheet.row_p[(uint64_t) w * 32 + bit];
		});
		list += n;
	}
}

/* ---- the convolution tree ---- */

/*
 * A block for each node of TREE_BASE transactions.  In shared memory, all m + 1 coefficients
 * of a node of m transactions follow one another, and the nodes of a level do, too.
 */
static __global__ void __launch_bounds__(BASE_THREADS)
BaseKernel(const double *lists, double *rows, double *tops)
{
	__shared__ double nodes[2][2 * TREE_BASE];
	const double *list = lists + (uint64_t) blockIdx.x * TREE_BASE;
	double	   *row = rows + (uint64_t) blockIdx.x * 2 * TREE_BASE;
	int			side = 0;

	for (uint32_t i = threadIdx.x; i < TREE_BASE; i += BASE_THREADS)
	{
		nodes[0][2 * i] = 1 - list[i];
		nodes[0][2 * i + 1] = list[i];
	}
	for (uint32_t m = 1; m < TREE_BASE; m *= 2, side = !side)
	{
		uint32_t	width = 2 * m + 1;

		__syncthreads();
		for (uint32_t i = threadIdx.x; i < TREE_BASE / (2 * m) * width; i += BASE_THREADS)
		{
			const double *a = nodes[side] + i / width * 2 * (m + 1);
			const double *b = a + m + 1;
			uint32_t	s = i % width;
			uint32_t	from = s > m ? s - m : 0;
			uint32_t	end = s < m ? s : m;
			double		sum = 0;

			for (uint32_t j = from; j <= end; j++)
				sum = fma(a[j], b[s - j], sum);
			nodes[!side][i] = sum;
		}
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < 2 * TREE_BASE; i += BASE_THREADS)
		row[i] = i < TREE_BASE ? nodes[side][i] : 0;
	if (threadIdx.x == 0)
		tops[blockIdx.x] = nodes[side][TREE_BASE];
}

static __global__ void __launch_bounds__(THREADS)
SpectraKernel(const double2 *spectra, uint64_t n, uint64_t width, double2 *products)
{
	uint64_t	i = (uint64_t) blockIdx.x * THREADS + threadIdx.x;
	double2		a;
	double2		b;

	if (i >= n * width)
		return;
	a = spectra[i / width * 2 * width + i % width];
	b = spectra[i / width * 2 * width + width + i % width];
	products[i] = make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/*
 * Let a and b be the coefficients of m of two nodes, which their rows lack.  Their part of the
 * product is added here: a times the second row and b times the first row, both from coefficient
 * m on, and a * b as the last coefficient.
 */
static __global__ void __launch_bounds__(THREADS)
UnpackKernel(const double *values, const double *nodes, const double *tops, uint64_t n, uint64_t m,
			 double *rows, double *new_tops)
{
	uint64_t	i = (uint64_t) blockIdx.x * THREADS + threadIdx.x;
	uint64_t	node = i / (4 * m);
	uint64_t	s = i % (4 * m);
	double		value = 0;

	if (node >= n)
		return;
	if (s < 2 * m)
		value = values[node * 2 * m + s] / (double) (2 * m);
	if (s >= m && s < 2 * m)
		value += tops[2 * node] * nodes[(2 * node + 1) * 2 * m + s - m] +
			tops[2 * node + 1] * nodes[2 * node * 2 * m + s - m];
	rows[i] = value;
	if (s == 0)
		new_tops[node] = tops[2 * node] * tops[2 * node + 1];
}

/* A block for each root. */
static __global__ void __launch_bounds__(THREADS)
RootsKernel(const double *rows, const double *tops, uint64_t m, uint32_t minsup, double *tails)
{
	using Reduce = cub::BlockReduce<double, THREADS>;
	__shared__ typename Reduce::TempStorage temporary;
	const double *row = rows + blockIdx.x * 2 * m;
	double		sum = threadIdx.x == 0 && minsup <= m ? tops[blockIdx.x] : 0;

	for (uint64_t s = minsup + threadIdx.x; s < m; s += THREADS)
		sum += row[s];
	sum = Reduce(temporary).Sum(sum);
	if (threadIdx.x == 0)
		tails[blockIdx.x] = sum;
}

/* ---- the host's side ---- */

static dim3
Rows(const UncertainSheet *sheet, uint32_t n)
{
	return dim3(n, GpuBlocks((uint64_t) sheet->nslabs * LINE_WORDS, THREADS));
}

cudaError_t
IncludeColumns(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *columns, uint32_t length,
			   uint32_t n, uint32_t *bits)
{
	ColumnsKernel<<<Rows(sheet, n), THREADS, 0, device->streams[GPU_COUNT]>>>(*sheet, columns, length, bits);
	return GpuLaunched(device, "checking inclusion");
}

cudaError_t
IncludeMembers(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *members,
			   const uint32_t *member, const uint32_t *partner, uint32_t n, uint32_t *bits)
{
	MembersKernel<<<Rows(sheet, n), THREADS, 0, device->streams[GPU_COUNT]>>>
		(sheet->nslabs * LINE_WORDS, members, member, partner, bits);
	return GpuLaunched(device, "checking inclusion");
}

cudaError_t
GatherBits(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *bits, const uint32_t *which,
		   uint32_t n, uint32_t *to)
{
	GatherKernel<<<Rows(sheet, n), THREADS, 0, device->streams[GPU_COUNT]>>>
		(sheet->nslabs * LINE_WORDS, bits, which, to);
	return GpuLaunched(device, "keeping bit strings");
}

cudaError_t
ReduceCandidates(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *bits, uint32_t n,
				 Decoding decoding, uint32_t *counts, double *sums)
{
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (decoding == DECODE_POPC)
		ReduceKernel<DECODE_POPC><<<n, THREADS, 0, stream>>>(*sheet, bits, counts, sums);
	else
		ReduceKernel<DECODE_LOOP><<<n, THREADS, 0, stream>>>(*sheet, bits, counts, sums);
	return GpuLaunched(device, "reducing candidates");
}

cudaError_t
DecodeLists(GpuDevice *device, const UncertainSheet *sheet, const uint32_t *bits, const uint32_t *which,
			uint32_t n, Decoding decoding, uint64_t places, double *lists)
{
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (decoding == DECODE_POPC)
		DecodeKernel<DECODE_POPC><<<n, THREADS, 0, stream>>>(*sheet, bits, which, places, lists);
	else
		DecodeKernel<DECODE_LOOP><<<n, THREADS, 0, stream>>>(*sheet, bits, which, places, lists);
	return GpuLaunched(device, "decoding bit strings");
}

cudaError_t
ConvolveBase(GpuDevice *device, const double *lists, uint64_t n, double *rows, double *tops)
{
	BaseKernel<<<(uint32_t) n, BASE_THREADS, 0, device->streams[GPU_COUNT]>>>(lists, rows, tops);
	return GpuLaunched(device, "convolving in shared memory");
}

cudaError_t
MultiplySpectra(GpuDevice *device, const double2 *spectra, uint64_t n, uint64_t m, double2 *products)
{
	SpectraKernel<<<GpuBlocks(n * (m + 1), THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(spectra, n, m + 1, products);
	return GpuLaunched(device, "multiplying spectra");
}

cudaError_t
UnpackNodes(GpuDevice *device, const double *values, const double *nodes, const double *tops, uint64_t n,
			uint64_t m, double *rows, double *new_tops)
{
	UnpackKernel<<<GpuBlocks(n * 4 * m, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(values, nodes, tops, n, m, rows, new_tops);
	return GpuLaunched(device, "unpacking distributions");
}

cudaError_t
SumRoots(GpuDevice *device, const double *rows, const double *tops, uint64_t n, uint64_t m, uint32_t minsup,
		 double *tails)
{
	RootsKernel<<<(uint32_t) n, THREADS, 0, device->streams[GPU_COUNT]>>>(rows, tops, m, minsup, tails);
	return GpuLaunched(device, "summing distributions");
}

/*
 * Pruning candidates before their distributions are computed.
 */

/* Bounds are rounded so that more survive. */
#define ROUNDED_UP	(1 + 1e-9)

struct Survives
{
	const uint32_t *counts;
	const double *sums;
	uint32_t	minsup;
	double		minprob;

	/*
	 * Lemma 3 of the paper: with d = (minsup - mean - 1) / mean, P(S >= minsup) is below
	 * 2^(-d mean) where d is above 2e - 1, and otherwise below exp(-d^2 mean / 4).
	 */
	__device__ __forceinline__ bool
	operator() (uint32_t candidate) const
	{
		double		mean = sums[(uint64_t) candidate * MOMENT_SUMS] * ROUNDED_UP;
		double		beyond = minsup - mean - 1;
		double		exponent;

		if (counts[candidate] < minsup)
			return false;
		if (beyond <= 0)
			return true;
		exponent = beyond > (2 * 2.71828182845904524 - 1) * ROUNDED_UP * mean ?
			-beyond * 0.69314718055994530 : -beyond * beyond / (4 * mean);
		return exp(exponent / ROUNDED_UP) * ROUNDED_UP >= minprob;
	}
};

static cudaError_t
Select(void *scratch, size_t *bytes, const Pruning *pruning, cudaStream_t stream)
{
	Survives	survives = {pruning->counts, pruning->sums, pruning->minsup, pruning->minprob};

	return cub::DeviceSelect::If(scratch, *bytes, thrust::counting_iterator<uint32_t>(0), pruning->survivors,
								 pruning->nsurvivors, (int64_t) pruning->n, survives, stream);
}

cudaError_t
PruningScratch(uint32_t n, size_t *bytes)
{
	Pruning		pruning = {n, nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, 0};

	return Select(nullptr, bytes, &pruning, 0);
}

cudaError_t
PruneCandidates(GpuDevice *device, const Pruning *pruning)
{
	size_t		bytes = pruning->scratch_bytes;

	return GpuCheck(device, Select(pruning->scratch, &bytes, pruning, device->streams[GPU_COUNT]),
					"pruning candidates");
}
