/*-------------------------------------------------------------------------
 *
 * tree.h
 *	  The distribution of support as a tree of convolutions of windows, with a
 *	  certified error.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TREE_H
#define FIM_TREE_H

#include "tilt.h"

/* The distribution of the sum of some of the variables, where it is not almost 0. */
typedef struct Window
{
	double	   *f;				/* [n], with CONVOLUTION_PAD zeros before and behind */
	uint32_t	n;
	uint64_t	offset;			/* f[i] is for the sum offset + i */
	double		mass;			/* the sum of f, which would be 1 without errors */

	/* the mean of f / mass is base + rest, right to mean_error; base is a whole number */
	double		base;
	double		rest;
	double		mean_error;
	double		variance;		/* of the exact sum, right to one part in 10^8 */
} Window;

/*
 * The windows of both halves of the variables, and two bounds of their errors.  Let H be a
 * function of the whole sum that is 0 on one side of a place and the tilt's ratio to the
 * power of the distance from it on the other side.  E[H] computed from the windows divided
 * by their masses is off by at most "error".  Computed from the windows as they are, it is
 * off by at most "roundings" parts in 2^53 of itself and "dropped".
 */
typedef struct Halves
{
	Window		left;
	Window		right;
	double		roundings;
	double		dropped;
	double		error;			/* infinite if no mass was measured; then both masses are set to 1 */
} Halves;

/*
 * Bounds of the first and the second differences of H, from one place to the next, when it
 * is averaged over some variables.
 */
typedef struct Smoothness
{
	double		first;
	double		second;
} Smoothness;

/* Averaged over n variables of the given variance, except for some of variance "without". */
extern Smoothness SmoothnessOf(double variance, double without, double ratio, uint32_t n);

/* PerturbationError() bounds errors of probabilities whose sum, n * error, is at most this. */
#define MOST_PERTURBED	0.01

/* More than factors that underflow can change any probability by. */
#define UNDERFLOW_OF_FACTORS	0x1p-960

/*
 * A bound of the error of the tilt's side if each of n probabilities has a relative error of at
 * most "error".  "tail" is an upper bound of that side.
 */
extern double PerturbationError(const Tilt *tilt, double error, uint32_t n, uint32_t k, double tail);

/*
 * Make the windows of both halves of p[n], n > 0, and room for left.n + right.n numbers,
 * padded on both sides.  All of this lives in the workspace until that is used again.
 */
extern FimResult TreeHalves(FimWorkspace *ws, const double *p, uint32_t n, const Tilt *tilt,
							Halves *halves, double **room);

#endif							/* FIM_TREE_H */
