/*-------------------------------------------------------------------------
 *
 * tree.h
 *	  The arithmetic under tails: distributions as trees of convolutions of their bulks, with a
 *	  certified error, and what goes on where that leaves a question open, exactly or with more digits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_TREE_H
#define FIM_PROBABLE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "convolution.h"
#include "tail.h"

/*
 * tilt.c: What bulks are made with.
 */

/*
 * Lists of probabilities that have few different values.
 *
 * A sensor that is right nine times of ten, or a classifier that rounds, gives such lists.
 */

/* The most different values that are counted as few. */
#define MOST_VALUES		64

/* The different values, and how often each occurs. */
typedef struct Repeats
{
	uint32_t	n;				/* 0 if they are too many */
	double		value[MOST_VALUES];
	uint32_t	times[MOST_VALUES];
} Repeats;

/*
 * Count the different values of p[n].  They are too many if they occur less than "least"
 * times on the average.  Returns false if the host wants to stop.
 */
extern bool CountRepeats(FimWorkspace *ws, const double *p, uint32_t n, uint32_t least, Repeats *repeats);

/*
 * Which side of the distribution of support to sum, and how to make a tail the middle of another distribution.
 *
 * If all odds are multiplied by r, a Poisson-binomial distribution P becomes another one,
 * Q, with P(j) = scale * Q(j) / r^(j - first) for all j; the scale depends on the choice
 * of "first".  With r chosen so that the mean of Q is near k, the tail of P is the scale
 * times a sum over Q near its mean, in which no term is small.  (Esscher 1932; Peres, Lee,
 * Keich, arXiv 2004.07429.)
 */

/*
 * The side that is summed, which is the one beyond the mean: P(S >= k) if it is the upper
 * one, otherwise P(S <= k - 1).  It is the scale times the sum of Q(j) * ratio^i over all j of
 * that side, where i is the distance of j from the side's first place, k or k - 1.
 */
typedef struct Tilt
{
	bool		upper;
	double		ratio;			/* at most 1; if it is 1, nothing is tilted and the scale is 1 */
	TiltWeights weights;
	double		variance;		/* of Q, right to one part in 10^8 */
	double		own_variance;	/* of P */
	WideNumber	scale;			/* right to 10^-15 of itself */
} Tilt;

/* No tilt, for the whole distribution.  Sets its mean, too.  Returns false if the host wants to stop. */
extern bool TiltNone(FimWorkspace *ws, const double *p, uint32_t n, Tilt *tilt, double *mean);

/*
 * Choose the side and the tilt, for 1 <= k <= n.  The scale is left to the caller: it is what
 * TiltScale() sets, or the product of the sums of tilted odds (TiltWeights) and TiltPower().
 * Both functions return false if the host wants to stop.
 */
extern bool TiltChoose(FimWorkspace *ws, const double *p, uint32_t n, uint32_t k, Tilt *tilt);
extern bool TiltScale(FimWorkspace *ws, const double *p, uint32_t n, uint32_t k, Tilt *tilt);

/* The power of the ratio that is a factor of the scale, with a relative error of at most 2^-66. */
extern WideNumber TiltPower(const Tilt *tilt, uint32_t n, uint32_t k);

/*
 * The bulk of the distribution of a sum of variables that have the same probability.
 *
 * The bulk of a distribution is what is left of it without both ends, where its coefficients,
 * the probabilities of sums, add up to almost nothing.
 */

/* n variables that are 1 with probability "yes" and 0 with "no", both right to 44 ulps. */
typedef struct Binomial
{
	uint32_t	n;
	DoubleDouble yes;
	DoubleDouble no;
} Binomial;

/* n variables of probability p, tilted.  *sum is set to the sum of their tilted odds, see TiltWeights. */
extern Binomial TiltedBinomial(double p, uint32_t n, const TiltWeights *weights, DoubleDouble *sum);

/* The most coefficients of a bulk that may lack a mass of "trim" at each end. */
extern size_t BinomialRoom(uint32_t n, double trim);

/*
 * Write the coefficients, and return their number; the first one is that of the sum
 * *offset.  Each is right to *ulps, see convolution.h.  Beyond that all are too
 * large, since they have been divided by their sum, which lacks the mass *dropped that was
 * cut off at both ends.
 */
extern uint32_t BinomialBulk(const Binomial *of, double trim, const Pairs *to, uint64_t *offset,
							 double *ulps, double *dropped);

/*
 * tree.c: The distribution of support as the bulks of its halves.
 */

/* The bulk of the distribution of the sum of some of the variables. */
typedef struct Bulk
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
} Bulk;

/* Convolve two bulks, the shorter one first, into "to".  Returns false if the host wants to stop. */
extern bool BulksConvolve(FimWorkspace *ws, const Bulk *a, const Bulk *b, double *to);

/*
 * The bulks of both halves of the variables, and two bounds of their errors.  Let H be a
 * function of the whole sum that is 0 on one side of a place and the tilt's ratio to the
 * power of the distance from it on the other side.  E[H] computed from the bulks divided
 * by their masses is off by at most "error".  Computed from the bulks as they are, it is
 * off by at most "roundings" parts in 2^53 of itself and "dropped".
 */
typedef struct Halves
{
	Bulk		left;
	Bulk		right;
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

/*
 * A bound of the error of the tilt's side if each of n probabilities has a relative error of at
 * most "error".  "tail" is an upper bound of that side.
 */
extern double PerturbationError(const Tilt *tilt, double error, uint32_t n, uint32_t k, double tail);

/*
 * Make the bulks of both halves of p[n], n > 0, and room for left.n + right.n numbers,
 * padded on both sides.  All of this lives in the workspace until that is used again.
 */
extern FimResult TreeHalves(FimWorkspace *ws, const double *p, uint32_t n, const Tilt *tilt,
							Halves *halves, double **room);

/*
 * exact.c: P(S >= k) and E[S] between two fixed-point numbers, as close as it takes.
 */

/*
 * Fixed-point numbers of any width, rounded down.
 *
 * A number has "limbs" words of 64 bits, the least significant first.  The last one is its whole part,
 * the others are the fraction.
 */

/* Convert x, which is at least 0 and below 2^63, rounded down.  Returns whether that is exact. */
extern bool FixedFrom(double x, uint64_t *to, uint32_t limbs);

/* The number of fraction bits that it takes to hold x. */
extern uint32_t FixedBits(double x);
extern int	FixedCompare(const uint64_t *a, const uint64_t *b, uint32_t limbs);

/* a += b; a -= b for a >= b; a /= 2, rounded down. */
extern void FixedAdd(uint64_t *a, const uint64_t *b, uint32_t limbs);
extern void FixedSubtract(uint64_t *a, const uint64_t *b, uint32_t limbs);

/*
 * to = a * b, for a and b up to 1, rounded down; scratch[2 * limbs].  Returns whether that
 * is exact.  Takes less time the fewer words of b are not 0.  to may be a or b.
 */
extern bool FixedMultiply(uint64_t *to, const uint64_t *a, const uint64_t *b, uint32_t limbs,
						  uint64_t *scratch);

/* The nearest double; upward if it is the middle of two. */
extern double FixedNearest(const uint64_t *a, uint32_t limbs);

/*
 * What is asked: whether a threshold is reached, unless it is NaN, and the nearest double, unless
 * value is NULL.  In both, the middle of two doubles is rounded upward.
 */
typedef struct ExactQuestion
{
	double		threshold;
	bool	   *reaches;
	double	   *value;
} ExactQuestion;

/* Answer a question about P(S >= k), for 1 <= k <= n, or about E[S]. */
extern FimResult ExactTail(FimWorkspace *ws, const FimChances *chances, uint32_t k,
						   const ExactQuestion *question);
extern FimResult ExactMean(FimWorkspace *ws, const FimChances *chances, const ExactQuestion *question);

/*
 * precise.c: P(S >= k) in double-double arithmetic, for what double precision leaves open.
 */

/* A number and its largest absolute error. */
typedef struct Precise
{
	DoubleDouble value;
	double		error;
} Precise;

/* For 1 <= k <= n. */
extern FimResult PreciseTail(FimWorkspace *ws, const FimChances *chances, uint32_t k, Precise *tail);

/* The expected support; for any n. */
extern FimResult PreciseMean(FimWorkspace *ws, const FimChances *chances, Precise *mean);

#endif							/* FIM_PROBABLE_TREE_H */
