/*-------------------------------------------------------------------------
 *
 * side.c
 *	  One side of the distribution of support, in double precision.
 *
 *-------------------------------------------------------------------------
 */
#include "side.h"

#include "tree.h"

/* The relative error of the tilt's scale and of a few operations with it. */
#define SCALE_ERROR		1e-14

/* More than what is lost to underflow in all operations together. */
#define UNDERFLOW		0x1p-960

/* A sum in two parts, of positive numbers. */
typedef struct Accumulator
{
	double		sum;
	double		rest;
} Accumulator;

static inline void
Accumulate(Accumulator *a, double x)
{
	double		sum = a->sum + x;
	double		from_x = sum - a->sum;

	a->rest += (a->sum - (sum - from_x)) + (x - from_x);
	a->sum = sum;
}

/*
 * weight[i] is the part of E[H] (tree.h) that coefficient i of the left window is multiplied by:
 * the sum of right->f[j] * ratio^distance over all j for which the sum i + j is on the side wanted.
 * "beyond" is how far the side's first place is beyond the first places of both windows.  If
 * the side is the lower one, both windows are counted from their far ends.
 */
static void
WeighLeft(const Window *left, const Window *right, int64_t beyond, const Tilt *tilt, double *weight)
{
	int64_t		first = (int64_t) right->n - 1 > beyond ? (int64_t) right->n - 1 : beyond;
	Accumulator sum = {0, 0};

	for (int64_t at = first; at > beyond - (int64_t) left->n; at--)
	{
		double		f = 0;

		if (at >= 0 && at < right->n)
			f = right->f[tilt->upper ? at : (int64_t) right->n - 1 - at];
		if (tilt->ratio < 1)
			sum.sum = sum.sum * tilt->ratio + f;
		else
			Accumulate(&sum, f);
		if (at <= beyond)
			weight[tilt->upper ? beyond - at : (int64_t) left->n - 1 - (beyond - at)] = sum.sum + sum.rest;
	}
}

/* The roundings of WeighLeft(), of the sum over the left window, and of dividing by both masses. */
static double
SideRoundings(const Window *left, const Window *right, const Tilt *tilt)
{
	double		n = (double) left->n + right->n;

	return 3 * (SUM_ROUNDINGS(n) + 4) + 8 + (tilt->ratio < 1 ? 2 * n : 0);
}

/* E[H], see tree.h, and its error. */
static double
SideSum(const Halves *halves, const Tilt *tilt, uint32_t k, double *room, double *error)
{
	const Window *left = &halves->left;
	const Window *right = &halves->right;
	double		mass = left->mass * right->mass;
	int64_t		beyond = (int64_t) k - (int64_t) (left->offset + right->offset);
	double		sum;
	double		as_it_is;

	if (!tilt->upper)
		beyond = (int64_t) left->n + right->n - 1 - beyond;
	WeighLeft(left, right, beyond, tilt, room);
	sum = CurrentConvolution()->dot(left->f, room, left->n) / mass;

	/* one part in 10^3 allows for products of rounding errors */
	as_it_is = sum * (halves->roundings * UNIT_ROUNDOFF * 1.001 + fabs(mass - 1)) + 2 * halves->dropped;
	*error = Smaller(as_it_is, halves->error) +
		sum * 1.001 * UNIT_ROUNDOFF * SideRoundings(left, right, tilt) + UNDERFLOW;
	return sum;
}

static FimInterval
Scaled(double sum, double error, const WideNumber *scale)
{
	int			exponent = (int) (scale->exponent > INT32_MAX ? INT32_MAX :
								  scale->exponent < INT32_MIN ? INT32_MIN : scale->exponent);
	double		low = Larger(0, sum - error) * scale->high * (1 - SCALE_ERROR);
	double		high = (sum + error) * scale->high * (1 + SCALE_ERROR);

	return ProbabilityWithin(ldexp(low, exponent), ldexp(high, exponent));
}

FimResult
FimSideBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k, FimSide *side)
{
	Tilt		tilt;
	Halves		halves;
	double	   *room;
	double		sum;
	double		error;
	FimResult	result;

	if (!TiltChoose(ws, chances->p, chances->n, k, &tilt) ||
		!TiltScale(ws, chances->p, chances->n, k, &tilt))
		return FIM_STOPPED;
	result = TreeHalves(ws, chances->p, chances->n, &tilt, &halves, &room);
	if (result != FIM_DONE)
		return result;
	sum = SideSum(&halves, &tilt, k, room, &error);
	side->upper = tilt.upper;
	side->probability = Scaled(sum, error, &tilt.scale);
	if (chances->error > 0)
	{
		error = PerturbationError(&tilt, chances->error, chances->n, k, side->probability.high);
		side->probability = ProbabilityWithin(side->probability.low - error, side->probability.high + error);
	}
	return FIM_DONE;
}
