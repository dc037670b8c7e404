/*-------------------------------------------------------------------------
 *
 * exact.c
 *	  P(S >= k) and E[S] between two fixed-point numbers, as close as it takes.
 *
 * All numbers are rounded down.  So each probability of the classical dynamic programme
 * is at most its true value, and the difference between 1 and the sum of all of them is
 * the most that any sum of some of them can lack.  No further analysis is needed.  If that
 * leaves the question open, the numbers are made twice as wide, until in the end nothing
 * is rounded.  The arithmetic comes first, then the programme.
 *
 *-------------------------------------------------------------------------
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tree.h"

/* ---- fixed-point numbers, see tree.h ---- */

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

static bool
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

static void
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

/* ---- the programme ---- */

#define FIRST_WORDS		3		/* of the fraction at first, beside those that the threshold takes */

typedef struct ExactWork
{
	FimWorkspace *ws;
	const FimChances *chances;
	uint32_t	limbs;
	double	   *factors;		/* [nfactors] */

	/* numbers, each of limbs words */
	uint64_t   *scratch;		/* two */
	uint64_t   *yes;
	uint64_t   *no;
	uint64_t   *part;
	uint64_t   *low;			/* lower bound of the result */
	uint64_t   *high;			/* upper bound */
	uint64_t   *middle;			/* what the result must reach to reach the threshold */
	uint64_t   *states;			/* of the dynamic programme, as many as BeginWork() was asked for */
} ExactWork;

#define FIXED_NUMBERS	9

/* Make room for numbers of this many limbs, nstates of them for states. */
static FimResult
BeginWork(ExactWork *work, uint32_t limbs, uint32_t nstates)
{
	size_t		words = (size_t) limbs * (FIXED_NUMBERS + (size_t) nstates);
	uint64_t   *at = WorkspaceReserve(work->ws, sizeof(uint64_t) * (words + work->chances->nfactors + 1));

	if (at == NULL)
		return FIM_OUT_OF_MEMORY;
	work->limbs = limbs;
	work->scratch = at;
	work->yes = at + 2 * limbs;
	work->no = at + 3 * limbs;
	work->part = at + 4 * limbs;
	work->low = at + 5 * limbs;
	work->high = at + 6 * limbs;
	work->middle = at + 7 * limbs;
	work->states = at + 8 * limbs;
	work->factors = (double *) (at + words);
	return FIM_DONE;
}

static void
SetOne(uint64_t *a, uint32_t limbs)
{
	memset(a, 0, sizeof(uint64_t) * limbs);
	a[limbs - 1] = 1;
}

/*
 * yes = the probability of transaction i, rounded down.  Returns by how many ulps it may be
 * too low: one for each factor and each product that is not exact, since no factor is above 1.
 */
static uint32_t
SetYes(ExactWork *work, uint32_t i)
{
	const FimChances *chances = work->chances;
	uint32_t	limbs = work->limbs;
	uint32_t	ulps = 0;

	if (chances->nfactors <= 1)
		return !FixedFrom(chances->p[i], work->yes, limbs);
	chances->factors(chances, i, work->factors);
	SetOne(work->yes, limbs);
	for (uint32_t j = 0; j < chances->nfactors; j++)
	{
		ulps += !FixedFrom(work->factors[j], work->part, limbs);
		ulps += !FixedMultiply(work->yes, work->yes, work->part, limbs, work->scratch);
	}
	return ulps;
}

/* no = 1 - the probability, rounded down, where yes may be too low by "ulps". */
static void
SetNo(ExactWork *work, uint32_t ulps)
{
	uint32_t	limbs = work->limbs;

	SetOne(work->no, limbs);
	memcpy(work->part, work->yes, sizeof(uint64_t) * limbs);
	memset(work->scratch, 0, sizeof(uint64_t) * limbs);
	work->scratch[0] = ulps;
	FixedAdd(work->part, work->scratch, limbs);
	if (FixedCompare(work->part, work->no, limbs) < 0)
		FixedSubtract(work->no, work->part, limbs);
	else
		memset(work->no, 0, sizeof(uint64_t) * limbs);
}

/* The middle between the threshold and the double below it. */
static void
SetMiddle(ExactWork *work, double threshold)
{
	FixedFrom(threshold, work->middle, work->limbs);
	FixedFrom(nextafter(threshold, 0), work->part, work->limbs);
	FixedAdd(work->middle, work->part, work->limbs);
	FixedHalve(work->middle, work->limbs);
}

/* Answer the question from low and high.  Returns false if they leave it open. */
static bool
Answer(ExactWork *work, const ExactQuestion *question)
{
	uint32_t	limbs = work->limbs;

	if (!isnan(question->threshold))
	{
		SetMiddle(work, question->threshold);
		*question->reaches = FixedCompare(work->low, work->middle, limbs) >= 0;
		if (!*question->reaches && FixedCompare(work->high, work->middle, limbs) >= 0)
			return false;
	}
	if (question->value == NULL)
		return true;
	*question->value = FixedNearest(work->low, limbs);
	return *question->value == FixedNearest(work->high, limbs);
}

/* The limbs to begin with: those that hold the middle, and FIRST_WORDS more. */
static uint32_t
FirstLimbs(const ExactQuestion *question)
{
	uint32_t	bits = 0;

	if (!isnan(question->threshold))
	{
		uint32_t	below = FixedBits(nextafter(question->threshold, 0));

		bits = FixedBits(question->threshold);
		bits = (bits > below ? bits : below) + 1;
	}
	return 1 + (bits + BITS - 1) / BITS + FIRST_WORDS;
}

/*
 * One step of the programme, which adds a variable to the sum.  state[j] is P(sum = j), for j below
 * nstates; only the first "filled" ones can be above 0.  "beyond" is P(sum >= nstates).  Returns
 * false if the host wants to stop.
 */
static bool
Step(ExactWork *work, const uint64_t *yes, const uint64_t *no, uint32_t nstates, uint32_t filled,
	 uint64_t *beyond)
{
	uint32_t	limbs = work->limbs;

	for (uint32_t j = filled; j-- > 0;)
	{
		uint64_t   *state = work->states + (size_t) j * limbs;

		if (WorkspaceStops(work->ws, (uint64_t) limbs * 16))
			return false;
		if (FixedIsZero(state, limbs))
			continue;
		FixedMultiply(work->part, state, yes, limbs, work->scratch);
		FixedAdd(j + 1 == nstates ? beyond : state + limbs, work->part, limbs);
		FixedMultiply(state, state, no, limbs, work->scratch);
	}
	return true;
}

/*
 * Set low and high for P(S >= k), by counting the transactions that hold the itemset up to k, or
 * those that do not up to n - k + 1, whichever takes fewer states.
 */
static FimResult
RunProgramme(ExactWork *work, uint32_t k, uint32_t limbs)
{
	uint32_t	n = work->chances->n;
	bool		hold = k <= n - k + 1;
	uint32_t	nstates = hold ? k : n - k + 1;
	FimResult	result = BeginWork(work, limbs, nstates);
	uint64_t   *beyond = work->high;
	uint64_t   *sum = work->low;

	if (result != FIM_DONE)
		return result;
	memset(work->states, 0, sizeof(uint64_t) * limbs * nstates);
	memset(beyond, 0, sizeof(uint64_t) * limbs);
	SetOne(work->states, limbs);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	filled = i < nstates ? i + 1 : nstates;

		SetNo(work, SetYes(work, i));
		if (!Step(work, hold ? work->yes : work->no, hold ? work->no : work->yes, nstates, filled, beyond))
			return FIM_STOPPED;
	}

	memset(sum, 0, sizeof(uint64_t) * limbs);
	for (uint32_t j = 0; j < nstates; j++)
		FixedAdd(sum, work->states + (size_t) j * limbs, limbs);
	/* the difference between 1 and the sum of all probabilities */
	SetOne(work->part, limbs);
	FixedSubtract(work->part, sum, limbs);
	FixedSubtract(work->part, beyond, limbs);
	if (hold)
		memcpy(work->low, beyond, sizeof(uint64_t) * limbs);
	memcpy(work->high, work->low, sizeof(uint64_t) * limbs);
	FixedAdd(work->high, work->part, limbs);
	return FIM_DONE;
}

FimResult
ExactTail(FimWorkspace *ws, const FimChances *chances, uint32_t k, const ExactQuestion *question)
{
	ExactWork	work = {.ws = ws, .chances = chances};

	for (uint32_t limbs = FirstLimbs(question);; limbs = 2 * limbs)
	{
		FimResult	result = RunProgramme(&work, k, limbs);

		if (result != FIM_DONE || Answer(&work, question))
			return result;
	}
}

static FimResult
AddProbabilities(ExactWork *work, uint32_t limbs)
{
	FimResult	result = BeginWork(work, limbs, 0);
	uint64_t	ulps = 0;

	if (result != FIM_DONE)
		return result;
	memset(work->low, 0, sizeof(uint64_t) * limbs);
	for (uint32_t i = 0; i < work->chances->n; i++)
	{
		ulps += SetYes(work, i);
		FixedAdd(work->low, work->yes, limbs);
		if (WorkspaceStops(work->ws, (uint64_t) limbs * 32))
			return FIM_STOPPED;
	}
	memcpy(work->high, work->low, sizeof(uint64_t) * limbs);
	memset(work->part, 0, sizeof(uint64_t) * limbs);
	work->part[0] = ulps;
	FixedAdd(work->high, work->part, limbs);
	return FIM_DONE;
}

FimResult
ExactMean(FimWorkspace *ws, const FimChances *chances, const ExactQuestion *question)
{
	ExactWork	work = {.ws = ws, .chances = chances};

	for (uint32_t limbs = FirstLimbs(question);; limbs = 2 * limbs)
	{
		FimResult	result = AddProbabilities(&work, limbs);

		if (result != FIM_DONE || Answer(&work, question))
			return result;
	}
}
