/*-------------------------------------------------------------------------
 *
 * hash.h
 *	  A hash function of 64 bits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_HASH_H
#define FIM_HASH_H

#include <stdint.h>

/* A multiplicative mix of all bits (the finalizer of splitmix64). */
static inline uint64_t
FimHash64(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

#endif							/* FIM_HASH_H */
