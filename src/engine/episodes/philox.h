/*-------------------------------------------------------------------------
 *
 * philox.h
 *	  Random numbers that are a function of a key and a counter: Philox 4x32-10.
 *
 * The source is J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel Random Numbers: As
 * Easy as 1, 2, 3", SC 2011, section 3.3.
 *
 * Included by surrogate.h.
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

static inline Philox
PhiloxOf(uint64_t key, Philox counter)
{
	uint32_t	k0 = (uint32_t) key;
	uint32_t	k1 = (uint32_t) (key >> 32);

	for (int round = 0; round < PHILOX_ROUNDS; round++)
	{
		uint64_t	p0 = (uint64_t) UINT32_C(0xD2511F53) * counter.word[0];
		uint64_t	p1 = (uint64_t) UINT32_C(0xCD9E8D57) * counter.word[2];

		counter = (Philox) {{(uint32_t) (p1 >> 32) ^ counter.word[1] ^ k0, (uint32_t) p1,
				(uint32_t) (p0 >> 32) ^ counter.word[3] ^ k1, (uint32_t) p0}};
		k0 += UINT32_C(0x9E3779B9);
		k1 += UINT32_C(0xBB67AE85);
	}
	return counter;
}

#define PHILOX_LANES	16

/*
 * bits[k] is the first 64 random bits of the counter {first[k], second[k], third, 0}, for k
 * below n.  The arrays have room for a multiple of PHILOX_LANES numbers; those after the
 * first n do not matter.
 */
static inline void
PhiloxDraw(uint64_t key, uint32_t third, const uint32_t *second, const uint32_t *first, uint32_t n, uint64_t *bits)
{
	for (uint32_t done = 0; done < n; done += PHILOX_LANES)
	{
		uint32_t	word[4][PHILOX_LANES];
		uint32_t	k0 = (uint32_t) key;
		uint32_t	k1 = (uint32_t) (key >> 32);

		for (int lane = 0; lane < PHILOX_LANES; lane++)
		{
			word[0][lane] = first[done + lane];
			word[1][lane] = second[done + lane];
			word[2][lane] = third;
			word[3][lane] = 0;
		}
		for (int round = 0; round < PHILOX_ROUNDS; round++)
		{
			for (int lane = 0; lane < PHILOX_LANES; lane++)
			{
				uint64_t	p0 = (uint64_t) UINT32_C(0xD2511F53) * word[0][lane];
				uint64_t	p1 = (uint64_t) UINT32_C(0xCD9E8D57) * word[2][lane];

				word[0][lane] = (uint32_t) (p1 >> 32) ^ word[1][lane] ^ k0;
				word[1][lane] = (uint32_t) p1;
				word[2][lane] = (uint32_t) (p0 >> 32) ^ word[3][lane] ^ k1;
				word[3][lane] = (uint32_t) p0;
			}
			k0 += UINT32_C(0x9E3779B9);
			k1 += UINT32_C(0xBB67AE85);
		}
		for (int lane = 0; lane < PHILOX_LANES; lane++)
			bits[done + lane] = (uint64_t) word[1][lane] << 32 | word[0][lane];
	}
}

#endif							/* FIM_PHILOX_H */
