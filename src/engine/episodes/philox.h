/*-------------------------------------------------------------------------
 *
 * philox.h
 *	  Random numbers that are a function of a key and a counter: Philox 4x32-10.
 *
 * The source is J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel Random Numbers: As
 * Easy as 1, 2, 3", SC 2011, section 3.3.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PHILOX_H
#define FIM_PHILOX_H

#include <stdint.h>

#define PHILOX_ROUNDS	10

typedef struct Philox
{
	uint32_t	word[4];
} Philox;

/* For functions that GPUs execute, too. */
#ifdef __CUDACC__
#define FIM_DEVICE_TOO	static __host__ __device__ __forceinline__
#else
#define FIM_DEVICE_TOO	static inline
#endif

FIM_DEVICE_TOO Philox
PhiloxOf(uint64_t key, Philox counter)
{
	uint32_t	k0 = (uint32_t) key;
	uint32_t	k1 = (uint32_t) (key >> 32);

	for (int round = 0; round < PHILOX_ROUNDS; round++)
	{
		uint64_t	p0 = (uint64_t) UINT32_C(0xD2511F53) * counter.word[0];
		uint64_t	p1 = (uint64_t) UINT32_C(0xCD9E8D57) * counter.word[2];

		counter.word[0] = (uint32_t) (p1 >> 32) ^ counter.word[1] ^ k0;
		counter.word[1] = (uint32_t) p1;
		counter.word[2] = (uint32_t) (p0 >> 32) ^ counter.word[3] ^ k1;
		counter.word[3] = (uint32_t) p0;
		k0 += UINT32_C(0x9E3779B9);
		k1 += UINT32_C(0xBB67AE85);
	}
	return counter;
}

#endif							/* FIM_PHILOX_H */
