/*-------------------------------------------------------------------------
 *
 * fixed.c
 *	  Fixed-point numbers of any width, rounded down.
 *
 *-------------------------------------------------------------------------
 */
#include "fixed.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BITS			64

/* Bit 0 of a subnormal number is this power of two. */
#define LEAST_EXPONENT	(DBL_MIN_EXP - DBL_MANT_DIG)

/* x as mantissa * 2^exponent.  Returns the mantissa, which is an odd number, or 0. */
static uint64_t
OddMantissa(double x, int *exponent)
{
	uint64_t	mantissa = (uint64_t) ldexp(frexp(x, exponent), DBL_MANT_DIG);
	int			zeros = mantissa > 0 ? __builtin_ctzll(mantissa) : 0;

	*exponent += zeros - DBL_MANT_DIG;
	return mantissa >> zeros;
}

uint32_t
FixedBits(double x)
{
	int			exponent;

	OddMantissa(x, &exponent);
	return exponent < 0 ? (uint32_t) -exponent : 0;
}

bool
FixedFrom(double x, uint64_t *to, uint32_t limbs)
{
	int			exponent;
	uint64_t	mantissa = OddMantissa(x, &exponent);
	int64_t		bit = (int64_t) BITS * (limbs - 1) + exponent;
	bool		exact = bit >= 0;

	memset(to, 0, sizeof(uint64_t) * limbs);
	if (bit < 0)
	{
		mantissa = bit > -BITS ? mantissa >> -bit : 0;
		bit = 0;
	}
	to[bit / BITS] = mantissa << bit % BITS;
	if (bit % BITS > 0 && bit / BITS + 1 < limbs)
		to[bit / BITS + 1] = mantissa >> (BITS - bit % BITS);
	return exact || x == 0;
}

bool
FixedIsZero(const uint64_t *a, uint32_t limbs)
{
	for (uint32_t i = 0; i < limbs; i++)
		if (a[i] != 0)
			return false;
	return true;
}

int
FixedCompare(const uint64_t *a, const uint64_t *b, uint32_t limbs)
{
	for (uint32_t i = limbs; i-- > 0;)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

void
FixedAdd(uint64_t *a, const uint64_t *b, uint32_t limbs)
{
	unsigned __int128 carry = 0;

	for (uint32_t i = 0; i < limbs; i++)
	{
		carry += (unsigned __int128) a[i] + b[i];
		a[i] = (uint64_t) carry;
		carry >>= BITS;
	}
}

void
FixedSubtract(uint64_t *a, const uint64_t *b, uint32_t limbs)
{
	uint64_t	borrow = 0;

	for (uint32_t i = 0; i < limbs; i++)
	{
		unsigned __int128 rest = (unsigned __int128) a[i] - b[i] - borrow;

		a[i] = (uint64_t) rest;
		borrow = (uint64_t) (rest >> BITS) & 1;
	}
}

void
FixedHalve(uint64_t *a, uint32_t limbs)
{
	for (uint32_t i = 0; i < limbs; i++)
		a[i] = a[i] >> 1 | (i + 1 < limbs ? a[i + 1] << (BITS - 1) : 0);
}

bool
FixedMultiply(uint64_t *to, const uint64_t *a, const uint64_t *b, uint32_t limbs, uint64_t *scratch)
{
	bool		exact;

	memset(scratch, 0, sizeof(uint64_t) * 2 * limbs);
	for (uint32_t j = 0; j < limbs; j++)
	{
		unsigned __int128 carry = 0;

		if (b[j] == 0)
			continue;
		for (uint32_t i = 0; i < limbs; i++)
		{
			carry += (unsigned __int128) a[i] * b[j] + scratch[i + j];
			scratch[i + j] = (uint64_t) carry;
			carry >>= BITS;
		}
		scratch[j + limbs] = (uint64_t) carry;
	}
	exact = FixedIsZero(scratch, limbs - 1);
	memcpy(to, scratch + limbs - 1, sizeof(uint64_t) * limbs);
	return exact;
}

/* 64 bits from number "bit" on, which may be negative; bits below the first one are 0. */
static uint64_t
BitsFrom(const uint64_t *a, uint32_t limbs, int64_t bit)
{
	uint64_t	word;

	if (bit < 0)
		return bit > -BITS ? a[0] << -bit : 0;
	word = a[bit / BITS] >> bit % BITS;
	if (bit % BITS > 0 && bit / BITS + 1 < limbs)
		word |= a[bit / BITS + 1] << (BITS - bit % BITS);
	return word;
}

double
FixedNearest(const uint64_t *a, uint32_t limbs)
{
	int64_t		point = (int64_t) BITS * (limbs - 1);
	uint32_t	top = limbs;
	int64_t		highest;
	int64_t		lowest;
	uint64_t	mantissa;

	while (top > 0 && a[top - 1] == 0)
		top--;
	if (top == 0)
		return 0;
	highest = (int64_t) BITS * top - 1 - __builtin_clzll(a[top - 1]);
	lowest = highest - (DBL_MANT_DIG - 1);
	if (lowest < point + LEAST_EXPONENT)
		lowest = point + LEAST_EXPONENT;
	if (lowest > highest)		/* below the least double: rounds to it from half of it on, otherwise to 0 */
		return ldexp(lowest == highest + 1, LEAST_EXPONENT);
	mantissa = BitsFrom(a, limbs, lowest) & ((UINT64_C(1) << DBL_MANT_DIG) - 1);
	mantissa += lowest > 0 ? BitsFrom(a, limbs, lowest - 1) & 1 : 0;
	return ldexp((double) mantissa, (int) (lowest - point));
}
