/*-------------------------------------------------------------------------
 *
 * tree.h
 *	  The distribution of support as a tree of convolutions of windows, with a
 *	  certified error.
 *
 * Included by side.c, precise.c and distribution.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TREE_H
#define FIM_TREE_H

#include "tilt.h"

/* The distribution of a sum of some of the variables, where it is not almost 0. */
typedef struct Window
{
	double	   *f;				/* [n], with CONVOLUTION_PAD zeros before and behind */
	uint32_t	n;
	uint64_t	offset;			/* f[i] is for the sum offset + i */
	double		mass;			/* the sum of f, which belongs to 1 */

	/* the mean of f / mass is base + rest, right to mean_error; base is a whole number */
	double		base;
	double		rest;
	double		mean_error;
	double		variance;		/* of the variables themselves, to one part in 10^8 */
} Window;

/*
 * The two halves of the variables.  Let H be a function of the whole sum that is 0 on one
 * side of a place and the tilt's ratio to the power of the distance on the other.  Its
 * expectation, by the windows divided by their masses, is right to "error".  By the
 * windows as they are it is right to so many roundings, each one part in 2^53 of it, and to
 * "dropped".
 */
typedef struct Halves
{
	Window		left;
	Window		right;
	double		roundings;
	double		dropped;
	double		error;			/* infinite if nothing was measured; then all masses are 1 */
} Halves;

/*
 * How H changes from one place to the next when it is averaged over variables: at most by
 * "first", and these differences by "second".
 */
typedef struct Smoothness
{
	double		first;
	double		second;
} Smoothness;

/* Of n variables of the given variance, less some that have the second one. */
extern Smoothness SmoothnessOf(double variance, double without, double ratio, uint32_t n);

/* Bounds are good for errors of probabilities that are small in sum. */
#define MOST_PERTURBED	0.01

/* More than what factors that underflow make of any probability. */
#define UNDERFLOW_OF_FACTORS	0x1p-960

/*
 * What errors of this part of each of n probabilities make of P(S >= k), which was computed with
 * this tilt and is at most "tail".
 */
extern double PerturbationError(const Tilt *tilt, double error, uint32_t n, uint32_t k, double tail);

/*
 * Make the windows of both halves of p[n], n > 0.  They live in the workspace until it is
 * used again, and so does room[n of left + n of right], padded on both sides.
 */
extern FimResult TreeHalves(FimWorkspace *ws, const double *p, uint32_t n, const Tilt *tilt,
							Halves *halves, double **room);

#endif							/* FIM_TREE_H */
