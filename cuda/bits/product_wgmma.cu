/*-------------------------------------------------------------------------
 *
 * product_wgmma.cu
 *	  Products with the 1-bit wgmma of sm_90a, for matrices of more than 32 rows.
 *
 * A thread block stays on its multiprocessor and takes one range after the other.  Its last
 * warpgroup feeds the others: one of its warps fetches ranges, and another has the copy engine
 * bring slab after slab of them into a ring of stages in shared memory.  The other warpgroups
 * multiply.  Each has one or two slats of 64 rows of the tile, and keeps their counts in its
 * registers until the range ends.  So the copies for the next range are under way while the
 * counts of the last one are written.
 *
 * A matrix of up to 256 rows is one tile and passes through shared memory once, because the
 * same lines are left and right operand.  Each slat of 64 rows is multiplied with its own rows
 * and all later ones.  Long and short slats share a warpgroup, so that all warpgroups have the
 * same number of counts.  A larger matrix is cut into tiles, of which those below the diagonal
 * are left out.
 *
 * In shared memory, lines lie as the copy engine's 128-byte swizzle leaves them, which is the
 * layout that wgmma reads without bank conflicts.  The engine copies boxes of 8, 16, ... 256
 * lines, so a tile at a matrix's end costs no more than the lines that are there.  The other
 * lines of its stage are left over from an earlier slab.  They count only towards pairs that do
 * not exist.
 *
 * There are no clusters: their launches fail while another process holds
 * multiprocessors.
 *
 *-------------------------------------------------------------------------
 */
#include <cuda.h>
#include <cudaTypedefs.h>

#include "bits/bits.h"
#include "bits/product_kernel.h"

/*
 * Instructions of sm_90a for 1-bit products: barriers in shared memory, the copy engine, and wgmma.
 *
 * HAS_WGMMA is defined where the architecture that is compiled for has these instructions;
 * without it this header defines nothing else.  Addresses are of shared memory unless they say
 * otherwise.
 */

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HAS_WGMMA
#endif

#ifdef HAS_WGMMA

/* The address as instructions want it. */
static __device__ __forceinline__ uint32_t
Address(const void *shared)
{
	return (uint32_t) __cvta_generic_to_shared(shared);
}

/* Make a barrier, each phase of which ends after "arrivals" arrivals. */
static __device__ __forceinline__ void
InitBarrier(uint64_t *barrier, uint32_t arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
				 :: "r"(Address(barrier)), "r"(arrivals) : "memory");
}

static __device__ __forceinline__ void
Arrive(uint64_t *barrier)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(Address(barrier)) : "memory");
}

/* Arrive, and have the phase also wait until the copy engine has brought "bytes" bytes. */
static __device__ __forceinline__ void
ArriveExpecting(uint64_t *barrier, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
				 :: "r"(Address(barrier)), "r"(bytes) : "memory");
}

/* Wait until the phase of this parity has ended. */
static __device__ __forceinline__ void
Wait(uint64_t *barrier, uint32_t parity)
{
	asm volatile("{\n\t"
				 ".reg .pred done;\n\t"
				 "again:\n\t"
				 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
				 "@!done bra again;\n\t"
				 "}"
				 :: "r"(Address(barrier)), "r"(parity) : "memory");
}

/* Have the copy engine bring the box of lines that begins with "line", and count its bytes at a barrier. */
static __device__ __forceinline__ void
CopyBox(void *to, const CUtensorMap *map, uint32_t line, uint64_t *barrier)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
				 "[%0], [%1, {%2, %3}], [%4];"
				 :: "r"(Address(to)), "l"(map), "r"(0), "r"(line), "r"(Address(barrier))
				 : "memory");
}

/*
 * Multiply the 64 rows at a with the N rows at b over 256 columns, and add the counts to d.  a
 * and b are descriptors of lines in shared memory.
 */
template <int N>
static __device__ __forceinline__ void Mma(uint32_t (&d)[N / 2], uint64_t a, uint64_t b);

#define OUT8(d, i) \
	"+r"((d)[i]), "+r"((d)[i + 1]), "+r"((d)[i + 2]), "+r"((d)[i + 3]), \
	"+r"((d)[i + 4]), "+r"((d)[i + 5]), "+r"((d)[i + 6]), "+r"((d)[i + 7])
#define OUT32(d, i)		OUT8(d, i), OUT8(d, i + 8), OUT8(d, i + 16), OUT8(d, i + 24)
#define OUT64(d, i)		OUT32(d, i), OUT32(d, i + 32)
#define OUT96(d, i)		OUT64(d, i), OUT32(d, i + 64)
#define OUT128(d, i)	OUT64(d, i), OUT64(d, i + 64)

#define WGMMA(n, registers, left, right, ...) \
	asm volatile("{\n\t" \
				 ".reg .pred add;\n\t" \
				 "setp.eq.u32 add, 0, 0;\n\t" \
				 "wgmma.mma_async.sync.aligned.m64n" #n "k256.s32.b1.b1.and.popc {" registers "}, " \
				 left ", " right ", add;\n\t" \
				 "}" \
				 : __VA_ARGS__ \
				 : "l"(a), "l"(b))

template <>
__device__ __forceinline__ void
Mma<64> (uint32_t (&d)[32], uint64_t a, uint64_t b)
{
	WGMMA(64, "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31",
		  "%32", "%33", OUT32(d, 0));
}

template <>
__device__ __forceinline__ void
Mma<128> (uint32_t (&d)[64], uint64_t a, uint64_t b)
{
	WGMMA(128, "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63",
		  "%64", "%65", OUT64(d, 0));
}

template <>
__device__ __forceinline__ void
Mma<192> (uint32_t (&d)[96], uint64_t a, uint64_t b)
{
	WGMMA(192, "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
		  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
		  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95",
		  "%96", "%97", OUT96(d, 0));
}

template <>
__device__ __forceinline__ void
Mma<256> (uint32_t (&d)[128], uint64_t a, uint64_t b)
{
	WGMMA(256, "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
		  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
		  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
		  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
		  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127",
		  "%128", "%129", OUT128(d, 0));
}

/* The descriptor of lines, which lie in groups of 8 as the 128-byte swizzle leaves them. */
static __device__ __forceinline__ uint64_t
Describe(const uint4 *lines)
{
	return (uint64_t) (Address(lines) >> 4 & 0x3FFF) | (uint64_t) 1 << 16 |
		(uint64_t) (8 * FIM_LINE_BYTES >> 4) << 32 | (uint64_t) 1 << 62;
}

/* Keeps the compiler from looking at counts, or moving them, while products are on their way. */
template <int N>
static __device__ __forceinline__ void
Settle(uint32_t (&counts)[N])
{
#pragma unroll
	for (int i = 0; i < N; i++)
		asm volatile("" : "+r"(counts[i]) :: "memory");
}

/* Wait until at most PENDING groups of products are on their way. */
template <int PENDING>
static __device__ __forceinline__ void
WaitForProducts()
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(PENDING) : "memory");
}

#endif							/* HAS_WGMMA */

#ifdef HAS_WGMMA
static __device__ const int compiled = 1;
#else
static __device__ const int compiled = 0;
#endif

#define GROUP			128		/* threads of a warpgroup */
#define BOXES			6		/* their sizes: 8, 16, 32, 64, 128 and 256 lines */
#define RING			8		/* ranges fetched ahead */
#define ROUNDS			16		/* times that a block fetches, at least, if there are enough ranges */

/* The buffer of lines as the copy engine sees it, with boxes of each size. */
typedef struct Boxes
{
	CUtensorMap map[BOXES];
} Boxes;

/*
 * A range, as the copying warp and the multiplying warpgroups need it.  0 slabs: there are no
 * more ranges.
 */
typedef struct Work
{
	uint64_t	count;			/* the number of the matrix's first count */
	uint32_t	line;			/* the number of its first line in the range's first slab */
	uint32_t	slabs;
	uint32_t	row;
	uint32_t	column;
	uint32_t	rows;
	uint32_t	parts;
	uint32_t	sums;
	uint32_t	skip;
} Work;

/* How a block does matrices of up to 64 * SLATS rows. */
template <int SLATS>
struct MatrixShape
{
	static const int groups = SLATS == 1 ? 1 : 2;
	static const int rows = 64 * SLATS;
	static const int columns = 0; /* they are the same lines as the rows */
	static const int stages = 24 / SLATS;
	static const int counts = SLATS == 4 ? 160 : SLATS == 3 ? 96 : 32 * SLATS;
	static const int registers = 216;
	static const int registers_feeding = 40;
};

/* How a block does tiles of larger matrices. */
struct TileShape
{
	static const int groups = 2;
	static const int rows = 256;
	static const int columns = 192;
	static const int stages = 4;
	static const int counts = 192;
	static const int registers = 240;
	static const int registers_feeding = 24;
};

template <typename Shape>
struct Shared
{
	uint4		lines[Shape::stages][(Shape::rows + Shape::columns) * 8];
	uint64_t	full[Shape::stages];
	uint64_t	empty[Shape::stages];
	uint64_t	work_full[RING];
	uint64_t	work_empty[RING];
	Work		work[RING];
	uint32_t	last[Shape::groups];
};

template <typename Shape>
static constexpr int
Threads()
{
	return (Shape::groups + 1) * GROUP;
}

/* A place in a ring, and how often the ring has been passed through, modulo 2. */
template <int LENGTH>
struct RingPlace
{
	uint32_t	at = 0;
	uint32_t	round = 0;

	__device__ __forceinline__ void Next()
	{
		if (++at == LENGTH)
		{
			at = 0;
			round ^= 1;
		}
	}
};

#ifdef HAS_WGMMA

static __device__ __forceinline__ Work
WorkOf(const FimLaunch &launch, uint32_t index)
{
	FimRange	range = launch.ranges[index];
	FimMatrix	of = launch.matrices[range.of];

	return Work {of.count, (uint32_t) (of.line + (uint64_t) range.slab * of.rows), range.slabs,
		range.row, range.column, of.rows, range.parts, range.sums, of.skip};
}

/* Called by a warp: the lane with "mine" puts its range into the ring. */
template <typename Shape>
static __device__ __forceinline__ void
PutWork(Shared<Shape> *shared, RingPlace<RING> &place, const Work &work, bool mine)
{
	if (mine)
	{
		Wait(&shared->work_empty[place.at], place.round ^ 1);
		shared->work[place.at] = work;
		Arrive(&shared->work_full[place.at]);
	}
	__syncwarp();
	place.Next();
}

/*
 * The fetching warp takes ranges, the next ones that no thread block has taken, and puts them
 * into the ring.  Reading what a range is takes longer than doing a small range, so if there
 * are many ranges, many lanes read one each at the same time.
 */
template <typename Shape>
static __device__ __forceinline__ void
FetchRanges(Shared<Shape> *shared, const FimLaunch &launch)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	wanted = min(max(launch.nranges / (gridDim.x * ROUNDS), 1u), 32u);
	uint32_t	n;
	RingPlace<RING>	place;

	do
	{
		Work		work = {};
		uint32_t	index = 0;

		if (lane == 0)
			index = atomicAdd(launch.next, wanted);
		index = __shfl_sync(~0u, index, 0);
		n = index < launch.nranges ? min(launch.nranges - index, wanted) : 0;
		if (lane < n)
			work = WorkOf(launch, index + lane);
		for (uint32_t i = 0; i < n; i++)
			PutWork<Shape> (shared, place, work, lane == i);
	} while (n == wanted);
	PutWork<Shape> (shared, place, Work {}, lane == 0);
}

/* Copy 8 * "eights" lines, in boxes from the largest down. */
static __device__ __forceinline__ void
CopyLines(uint4 *to, const Boxes &boxes, uint32_t line, uint32_t eights, uint64_t *barrier)
{
	for (int box = BOXES - 1; box >= 0; box--)
		if (eights >> box & 1)
		{
			CopyBox(to, &boxes.map[box], line, barrier);
			to += 64 << box;
			line += 8 << box;
		}
}

static __device__ __forceinline__ uint32_t
Eights(uint32_t rows, uint32_t from, uint32_t most)
{
	return (min(rows - from, most) + 7) / 8;
}

/* The copying warp has the ranges' slabs brought into the ring of stages. */
template <typename Shape>
static __device__ __forceinline__ void
CopySlabs(Shared<Shape> *shared, const Boxes &boxes)
{
	RingPlace<Shape::stages> place;
	RingPlace<RING>	next;

	for (;; next.Next())
	{
		Wait(&shared->work_full[next.at], next.round);

		Work		work = shared->work[next.at];
		uint32_t	left = Eights(work.rows, work.row, Shape::rows);
		uint32_t	right = Shape::columns ? Eights(work.rows, work.column, Shape::columns) : 0;

		Arrive(&shared->work_empty[next.at]);
		if (work.slabs == 0)
			break;
		for (uint32_t s = 0; s < work.slabs; s++)
		{
			uint4	   *to = shared->lines[place.at];
			uint64_t   *full = &shared->full[place.at];

			Wait(&shared->empty[place.at], place.round ^ 1);
			ArriveExpecting(full, (left + right) * 8 * FIM_LINE_BYTES);
			CopyLines(to, boxes, work.line + work.row, left, full);
			if (Shape::columns)
				CopyLines(to + Shape::rows * 8, boxes, work.line + work.column, right, full);
			work.line += work.rows;
			place.Next();
		}
	}
}

/* One of up to two products that a warpgroup does of each stage. */
struct Slat
{
	uint32_t	row;			/* the first row, counted from the tile's */
	uint32_t	column;
	uint32_t	right;			/* the right operand's first line in the stage */
};

template <int N>
static __device__ __forceinline__ void
MultiplySlat(uint32_t (&counts)[N / 2], const uint4 *lines, const Slat &slat, int k)
{
	Mma<N> (counts, Describe(lines + slat.row * 8) + 2 * k, Describe(lines + slat.right * 8) + 2 * k);
}

/* Arrive at a barrier, once for each warp. */
static __device__ __forceinline__ void
ReleaseBarrier(uint64_t *barrier)
{
	__syncwarp();
	if (threadIdx.x % 32 == 0)
		Arrive(barrier);
}

/* Multiply all slabs of a range.  A stage is given back when the products of the next one are under way. */
template <typename Shape, int N0, int N1>
static __device__ __forceinline__ void
MultiplySlabs(uint32_t (&counts0)[N0 / 2], uint32_t (&counts1)[N1 / 2 + !N1],
			  Shared<Shape> *shared, RingPlace<Shape::stages> &place, uint32_t slabs,
			  const Slat &slat0, const Slat &slat1)
{
	uint32_t	before = 0;

	for (uint32_t s = 0; s < slabs; s++)
	{
		const uint4 *lines = shared->lines[place.at];

		Wait(&shared->full[place.at], place.round);
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
		for (int k = 0; k < 4; k++)
		{
			MultiplySlat<N0> (counts0, lines, slat0, k);
			if constexpr (N1 > 0)
				MultiplySlat<N1> (counts1, lines, slat1, k);
		}
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		WaitForProducts<1> ();
		if (s > 0)
			ReleaseBarrier(&shared->empty[before]);
		before = place.at;
		place.Next();
	}
	WaitForProducts<0> ();
	Settle(counts0);
	if constexpr (N1 > 0)
		Settle(counts1);
	ReleaseBarrier(&shared->empty[before]);
}

/*
 * Pass a range of which the warpgroup has nothing to count, because its slats are below the
 * diagonal.  Its stages must be given back nevertheless.
 */
template <typename Shape>
static __device__ __forceinline__ void
PassSlabs(Shared<Shape> *shared, RingPlace<Shape::stages> &place, uint32_t slabs)
{
	for (uint32_t s = 0; s < slabs; s++)
	{
		Wait(&shared->full[place.at], place.round);
		ReleaseBarrier(&shared->empty[place.at]);
		place.Next();
	}
}

/*
 * Add up what the warpgroups that share the slats counted.  Returns true in the last of these
 * warpgroups.
 */
template <typename Shape, int N0, int N1>
static __device__ __forceinline__ bool
MergeGroups(uint32_t (&counts0)[N0 / 2], uint32_t (&counts1)[N1 / 2 + !N1],
			Shared<Shape> *shared, const FimLaunch &launch, const Work &work, uint32_t group)
{
	uint32_t   *sums = launch.sums +
		((size_t) work.sums * Shape::groups + group) * Shape::counts * GROUP;
	uint32_t	thread = threadIdx.x % GROUP;

	AddSums<N0 / 2, GROUP> (counts0, sums, thread);
	if constexpr (N1 > 0)
		AddSums<N1 / 2, GROUP> (counts1, sums + N0 / 2 * GROUP, thread);
	asm volatile("bar.sync %0, %1;" :: "r"(group + 1), "n"(GROUP) : "memory");
	if (thread == 0)
		shared->last[group] = DrawTicket(&launch.tickets[work.sums * FIM_TICKETS + group],
										 work.parts);
	asm volatile("bar.sync %0, %1;" :: "r"(group + 1), "n"(GROUP) : "memory");
	if (!shared->last[group])
		return false;
	TakeSums<N0 / 2, GROUP> (counts0, sums, thread);
	if constexpr (N1 > 0)
		TakeSums<N1 / 2, GROUP> (counts1, sums + N0 / 2 * GROUP, thread);
	return true;
}

template <int N, bool TALLY>
static __device__ __forceinline__ void
EmitSlat(const uint32_t (&counts)[N / 2], const Slat &slat, const Work &work,
		  const CountTarget &target)
{
	uint32_t	lane = threadIdx.x % 32;
	Fragment	fragment = {work.row + slat.row + threadIdx.x % GROUP / 32 * 16 + lane / 4,
	work.column + slat.column + lane % 4 * 2};

	Emit<N / 2, TALLY> (counts, fragment, target);
}

/*
 * What a multiplying warpgroup does.  It has a slat of N0 columns and, unless N1 is 0, one of
 * N1 columns.
 */
template <typename Shape, int N0, int N1, bool TALLY>
static __device__ __forceinline__ void
Multiply(Shared<Shape> *shared, const FimLaunch &launch, uint32_t group,
		 const Slat &slat0, const Slat &slat1)
{
	RingPlace<Shape::stages> place;
	RingPlace<RING>	next;

	for (;; next.Next())
	{
		Work	   *work = &shared->work[next.at];
		uint32_t	counts0[N0 / 2] = {};
		uint32_t	counts1[N1 / 2 + !N1] = {};

		Wait(&shared->work_full[next.at], next.round);
		if (work->slabs == 0)
			break;
		if (work->column + slat0.column + N0 <= work->row + slat0.row)
			PassSlabs<Shape> (shared, place, work->slabs);
		else
		{
			MultiplySlabs<Shape, N0, N1> (counts0, counts1, shared, place, work->slabs,
										  slat0, slat1);
			if (work->parts == 1 ||
				MergeGroups<Shape, N0, N1> (counts0, counts1, shared, launch, *work, group))
			{
				CountTarget	target = TargetOf(launch, work->count, work->rows, work->skip);

				EmitSlat<N0, TALLY> (counts0, slat0, *work, target);
				if constexpr (N1 > 0)
					EmitSlat<N1, TALLY> (counts1, slat1, *work, target);
			}
		}
		ReleaseBarrier(&shared->work_empty[next.at]);
	}
}

template <bool TALLY>
static __device__ __forceinline__ void
MultiplyAs(TileShape, Shared<TileShape> *shared, const FimLaunch &launch, uint32_t group)
{
	const uint32_t height = TileShape::rows / TileShape::groups;
	Slat		upper = {height * group, 0, TileShape::rows};
	Slat		lower = {height * group + 64, 0, TileShape::rows};

	Multiply<TileShape, TileShape::columns, TileShape::columns, TALLY>
		(shared, launch, group, upper, lower);
}

template <bool TALLY, int SLATS>
static __device__ __forceinline__ void
MultiplyAs(MatrixShape<SLATS>, Shared<MatrixShape<SLATS>> *shared, const FimLaunch &launch,
		   uint32_t group)
{
	typedef MatrixShape<SLATS> Shape;

	if (group == 0)
		Multiply<Shape, 64 * SLATS, (SLATS == 4 ? 64 : 0), TALLY>
			(shared, launch, group, Slat {0, 0, 0}, Slat {192, 192, 192});
	else if constexpr (SLATS > 1)
		Multiply<Shape, 64 * (SLATS - 1), (SLATS > 2 ? 64 * (SLATS - 2) : 0), TALLY>
			(shared, launch, group, Slat {64, 64, 64}, Slat {128, 128, 128});
}

template <typename Shape>
static __device__ __forceinline__ void
InitBarriers(Shared<Shape> *shared)
{
	for (int i = 0; i < Shape::stages; i++)
	{
		InitBarrier(&shared->full[i], 1);
		InitBarrier(&shared->empty[i], Shape::groups * GROUP / 32);
	}
	for (int i = 0; i < RING; i++)
	{
		InitBarrier(&shared->work_full[i], 1);
		InitBarrier(&shared->work_empty[i], Shape::groups * GROUP / 32 + 1);
	}
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif							/* HAS_WGMMA */

/* The swizzle's pattern repeats every 1024 bytes, so shared memory is aligned to that. */
template <typename Shape, bool TALLY>
static __global__ void __launch_bounds__(Threads<Shape> (), 1)
WgmmaKernel(const __grid_constant__ Boxes boxes, const __grid_constant__ FimLaunch launch)
{
#ifdef HAS_WGMMA
	extern __shared__ __align__(1024) unsigned char memory[];
	Shared<Shape> *shared = (Shared<Shape> *) memory;
	uint32_t	group = threadIdx.x / GROUP;

	if (threadIdx.x == 0)
		InitBarriers<Shape> (shared);
	__syncthreads();
	if (group == Shape::groups)
	{
		asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(Shape::registers_feeding));
		if (threadIdx.x % GROUP == 0)
			CopySlabs<Shape> (shared, boxes);
		else if (threadIdx.x % GROUP / 32 == 1)
			FetchRanges<Shape> (shared, launch);
	}
	else
	{
		asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(Shape::registers));
		MultiplyAs<TALLY> (Shape {}, shared, launch, group);
	}
#endif
}

/* The driver's function, found at run time: the library is not linked to it. */
static cudaError_t
FindEncoder(PFN_cuTensorMapEncodeTiled_v12000 *encode)
{
	cudaDriverEntryPointQueryResult found;
	void	   *function = NULL;
	cudaError_t error;

	error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
											 cudaEnableDefault, &found);
	if (error != cudaSuccess)
		return error;
	if (found != cudaDriverEntryPointSuccess)
		return cudaErrorSymbolNotFound;
	*encode = (PFN_cuTensorMapEncodeTiled_v12000) function;
	return cudaSuccess;
}

static cudaError_t
EncodeBoxes(Boxes *boxes, const FimLaunch *launch)
{
	PFN_cuTensorMapEncodeTiled_v12000 encode;
	cudaError_t error = FindEncoder(&encode);

	for (cuuint32_t box = 0; box < BOXES && error == cudaSuccess; box++)
	{
		cuuint64_t	size[2] = {FIM_LINE_BYTES / 4, launch->nlines};
		cuuint64_t	stride = FIM_LINE_BYTES;
		cuuint32_t	part[2] = {FIM_LINE_BYTES / 4, 8u << box};
		cuuint32_t	step[2] = {1, 1};

		if (encode(&boxes->map[box], CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (void *) launch->lines,
				   size, &stride, part, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
				   CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
				   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
			error = cudaErrorInvalidValue;
	}
	return error;
}

template <typename Shape, bool TALLY = false>
static cudaError_t
LaunchWgmma(const FimLaunch *launch, int processors, cudaStream_t stream)
{
	const int	shared = sizeof(Shared<Shape>);
	Boxes		boxes;
	cudaError_t error;

	error = EncodeBoxes(&boxes, launch);
	if (error == cudaSuccess)
		error = cudaFuncSetAttribute(WgmmaKernel<Shape, TALLY>,
									 cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
	if (error != cudaSuccess)
		return error;
	WgmmaKernel<Shape, TALLY> <<<min((uint32_t) processors, launch->nranges), Threads<Shape> (), shared,
		stream>>> (boxes, *launch);
	return cudaGetLastError();
}

template <typename Shape>
static constexpr uint32_t
SumsOf()
{
	return Shape::groups * Shape::counts * GROUP;
}

const FimProductKernel FimWgmmaKernels[] = {
	{64, 64, 64, SumsOf<MatrixShape<1>> (), 16, 1, LaunchWgmma<MatrixShape<1>>, NULL},
	{128, 128, 128, SumsOf<MatrixShape<2>> (), 8, 1, LaunchWgmma<MatrixShape<2>>, NULL},
	{192, 192, 192, SumsOf<MatrixShape<3>> (), 6, 1, LaunchWgmma<MatrixShape<3>>, NULL},
	{256, 256, 256, SumsOf<MatrixShape<4>> (), 6, 1, LaunchWgmma<MatrixShape<4>>, NULL},
	{UINT32_MAX, TileShape::rows, TileShape::columns, SumsOf<TileShape> (), 6, 1,
	LaunchWgmma<TileShape>, LaunchWgmma<TileShape, true>}
};

cudaError_t
FimWgmmaCompiled(int *result)
{
	return cudaMemcpyFromSymbol(result, compiled, sizeof(compiled));
}
