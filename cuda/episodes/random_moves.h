/*-------------------------------------------------------------------------
 *
 * random_moves.h
 *	  How far surrogates' events move, the same as in src/engine/episodes/surrogate.c.
 *
 * Included by surrogates_kernels.cu and moments_kernels.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_RANDOM_MOVES_H
#define FIM_RANDOM_MOVES_H

#include "episodes/surrogates_device.h"

#define PHILOX_ROUNDS	10

/* 64 random bits for an attempt to move the event with this rank among those of its type. */
static __device__ __forceinline__ uint64_t
RandomBits(uint64_t seed, uint32_t rank, uint32_t type, uint32_t surrogate, uint32_t attempt)
{
	uint32_t	k0 = (uint32_t) seed;
	uint32_t	k1 = (uint32_t) (seed >> 32);
	uint4		word = make_uint4(rank, type, surrogate, attempt);

	for (int round = 0; round < PHILOX_ROUNDS; round++)
	{
		uint64_t	p0 = UINT64_C(0xD2511F53) * word.x;
		uint64_t	p1 = UINT64_C(0xCD9E8D57) * word.z;

		word = make_uint4((uint32_t) (p1 >> 32) ^ word.y ^ k0, (uint32_t) p1,
						  (uint32_t) (p0 >> 32) ^ word.w ^ k1, (uint32_t) p0);
		k0 += 0x9E3779B9;
		k1 += 0xBB67AE85;
	}
	return (uint64_t) word.y << 32 | word.x;
}

/* A whole number from -d to d, where d is the dither.  It is drawn again whenever the CPU engine draws again. */
static __device__ __forceinline__ int64_t
WholeMove(const Moving &moving, uint32_t rank, uint32_t type, uint32_t surrogate)
{
	uint64_t	d = (uint64_t) moving.dither.integer;
	uint64_t	range = 2 * d + 1;
	uint32_t	attempt = 0;
	uint64_t	bits;

	do
		bits = RandomBits(moving.seed, rank, type, surrogate, attempt++);
	while (bits * range < moving.excess);
	return (int64_t) (__umul64hi(bits, range) - d);
}

#endif							/* FIM_RANDOM_MOVES_H */
