/*-------------------------------------------------------------------------
 *
 * exact.c
 *	  P(S >= k) and E[S] between two fixed-point numbers, as close as it takes.
 *
 * All numbers are rounded down.  So each probability of the classical dynamic programme
 * is at most its true value, and the difference between 1 and the sum of all of them is
 * the most that any sum of some of them can lack.  No further analysis is needed.  If that
 * leaves the question open, the numbers are made twice as wide, until in the end nothing
 * is rounded.
 *
 *-------------------------------------------------------------------------
 */
#include "exact.h"

#include <math.h>
#include <string.h>

#include "fixed.h"

#define BITS			64
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
 * yes = the probability of transaction i, rounded down.  Returns by how many units it may be
 * too low: one for each factor and each product that is not exact, since no factor is above 1.
 */
static uint32_t
SetYes(ExactWork *work, uint32_t i)
{
	const FimChances *chances = work->chances;
	uint32_t	limbs = work->limbs;
	uint32_t	units = 0;

	if (chances->nfactors <= 1)
		return !FixedFrom(chances->p[i], work->yes, limbs);
	chances->factors(chances, i, work->factors);
	SetOne(work->yes, limbs);
	for (uint32_t j = 0; j < chances->nfactors; j++)
	{
		units += !FixedFrom(work->factors[j], work->part, limbs);
		units += !FixedMultiply(work->yes, work->yes, work->part, limbs, work->scratch);
	}
	return units;
}

/* no = 1 - the probability, rounded down, where yes may be too low by "units". */
static void
SetNo(ExactWork *work, uint32_t units)
{
	uint32_t	limbs = work->limbs;

	SetOne(work->no, limbs);
	memcpy(work->part, work->yes, sizeof(uint64_t) * limbs);
	memset(work->scratch, 0, sizeof(uint64_t) * limbs);
	work->scratch[0] = units;
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
	uint64_t	units = 0;

	if (result != FIM_DONE)
		return result;
	memset(work->low, 0, sizeof(uint64_t) * limbs);
	for (uint32_t i = 0; i < work->chances->n; i++)
	{
		units += SetYes(work, i);
		FixedAdd(work->low, work->yes, limbs);
		if (WorkspaceStops(work->ws, (uint64_t) limbs * 32))
			return FIM_STOPPED;
	}
	memcpy(work->high, work->low, sizeof(uint64_t) * limbs);
	memset(work->part, 0, sizeof(uint64_t) * limbs);
	work->part[0] = units;
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
