/*-------------------------------------------------------------------------
 *
 * distribution.c
 *	  The distribution of support, for all numbers of transactions that matter.
 *
 * It is the convolution of the windows of both halves of the transactions (tree.h).
 *
 *-------------------------------------------------------------------------
 */
#include "distribution.h"

#include "interval.h"
#include "tree.h"

/* The most that is cut off at each end. */
#define TRIM			1e-20

/* One part in 10^3 allows for products of rounding errors. */
#define SLACK			1.001

/* Convolve the halves into room.  Returns false if the host wants to stop. */
static bool
MergeHalves(FimWorkspace *ws, const Window *a, const Window *b, double *room)
{
	uint32_t	n = a->n + b->n - 1;
	uint32_t	part = CONVOLUTION_PAD * (uint32_t) (1 + WORK_PER_POLL / CONVOLUTION_PAD / a->n);

	for (uint32_t first = 0; first < n; first += part)
	{
		uint32_t	last = n - first < part ? n : first + part;

		if (WorkspaceStops(ws, (uint64_t) (last - first) * a->n))
			return false;
		CurrentConvolution()->convolve(a->f, a->n, b->f, b->n, first, last, room);
	}
	return true;
}

/* Divides by the mass, which would be 1 without errors, and returns the largest value. */
static double
Normalize(double *p, uint32_t n, double mass)
{
	double		largest = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		p[i] /= mass;
		largest = Larger(largest, p[i]);
	}
	return largest;
}

static void
CutEnds(FimDistribution *distribution)
{
	double		low = 0;
	double		high = 0;

	while (distribution->count > 1 && low + distribution->p[0] <= TRIM)
	{
		low += *distribution->p++;
		distribution->first++;
		distribution->count--;
	}
	while (distribution->count > 1 && high + distribution->p[distribution->count - 1] <= TRIM)
		high += distribution->p[--distribution->count];
	distribution->error += low + high;
}

/*
 * The error of any P(S = s) that errors of the chances cause.  Its derivative by log p[i] is
 * p[i] times the difference of two values of the distribution of the other variables, whose
 * variance is at most 1/4 less than that of all.  So the derivatives add up to at most the mean
 * times the largest value of such a distribution.  Errors of 1 % in sum change these bounds by
 * less than 3 %.  The errors of factors that underflow are negligible beside the roundings of
 * the largest value, which is one of n + 1 that add up to 1.
 */
static double
ErrorOfChances(const FimChances *chances, double mean, double variance)
{
	if (chances->error == 0)
		return 0;
	if (chances->n * chances->error > MOST_PERTURBED)
		return 1;
	return 1.05 * chances->error * mean * SmoothnessOf(variance, 0.25, 1, chances->n).first;
}

/*
 * The error of any value that computing it causes: that of all roundings so far, or, as a value
 * is the difference of two tails, twice halves->error, whichever is smaller.  The roundings of
 * convolving the halves and of their masses come on top.
 */
static double
ErrorOf(const Halves *halves, double mass, double largest, uint32_t n, uint32_t count)
{
	double		unit = largest * UNIT_ROUNDOFF * SLACK;
	double		own = unit * (2 * CONVOLUTION_ROUNDINGS(n) + 3 * (count / 32.0 + 28));

	return own + Smaller(unit * halves->roundings + largest * fabs(mass - 1) + 2 * halves->dropped,
						 2 * halves->error);
}

FimResult
FimDistributionOf(FimWorkspace *ws, const FimChances *chances, FimDistribution *distribution)
{
	Tilt		tilt;
	Halves		halves;
	const Window *a;
	const Window *b;
	double	   *room;
	double		mean;
	double		mass;
	double		largest;
	FimResult	result;

	if (!TiltNone(ws, chances->p, chances->n, &tilt, &mean))
		return FIM_STOPPED;
	result = TreeHalves(ws, chances->p, chances->n, &tilt, &halves, &room);
	if (result != FIM_DONE)
		return result;
	a = halves.left.n < halves.right.n ? &halves.left : &halves.right;
	b = a == &halves.left ? &halves.right : &halves.left;
	if (!MergeHalves(ws, a, b, room))
		return FIM_STOPPED;
	distribution->first = a->offset + b->offset;
	distribution->count = a->n + b->n - 1;
	distribution->p = room;
	mass = a->mass * b->mass;
	largest = Normalize(room, distribution->count, mass);
	distribution->error = ErrorOf(&halves, mass, largest, a->n, distribution->count) +
		ErrorOfChances(chances, mean, tilt.variance);
	CutEnds(distribution);
	return FIM_DONE;
}
