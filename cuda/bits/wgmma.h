/*-------------------------------------------------------------------------
 *
 * wgmma.h
 *	  Instructions of sm_90a for 1-bit products: barriers in shared memory, the copy
 *	  engine, and wgmma.
 *
 * HAS_WGMMA is defined where the architecture that is compiled for has these instructions;
 * without it this header defines nothing else.  Addresses are of shared memory unless they say
 * otherwise.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_WGMMA_H
#define FIM_WGMMA_H

#include <cuda.h>

#include "bits/bit_matrix.h"

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

#endif							/* FIM_WGMMA_H */
