/*-------------------------------------------------------------------------
 *
 * convolution.h
 *	  The inner loops of convolving distributions of support, one set per instruction
 *	  set.
 *
 * All numbers are from 0 to 1 and nothing is subtracted from them, so that every result is
 * right to a number of roundings, each of one part in 2^53 of itself, which the comments
 * give.  Results that are subnormal are off by up to 2^-1074 more.
 *
 * Included by the modules that convolve, by convolution.c, which chooses a set, and by
 * the sets themselves.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CONVOLUTION_H
#define FIM_CONVOLUTION_H

#include <stdint.h>

#include "double_double.h"

/* Leaves of the tree are computed so many at a time. */
#define LEAVES			8

/*
 * So many zeros before and after an array let the kernels read, and so many places
 * after it let them write, beyond its ends.
 */
#define CONVOLUTION_PAD	64

/* Terms that are added up before the sum goes to the total. */
#define CONVOLUTION_CHUNK	64

/* The roundings of a sum over so many terms, their products included. */
#define CONVOLUTION_ROUNDINGS(n) \
	(((n) < CONVOLUTION_CHUNK ? (n) : CONVOLUTION_CHUNK) + (n) / CONVOLUTION_CHUNK + 2)

/* Of sums that are not convolutions, the terms that are added up before the sum goes to the total. */
#define SUM_CHUNK		1024

/* The roundings of such a sum over n terms, their products included. */
#define SUM_ROUNDINGS(n) \
	(((n) < SUM_CHUNK ? (n) : SUM_CHUNK) / 32 + (n) / SUM_CHUNK + 24)

/* Numbers in two parts, the low one at most half a unit of the high one. */
typedef struct Pairs
{
	double	   *high;
	double	   *low;
} Pairs;

/* Terms in two parts that are added up before the sum goes to the total. */
#define PAIRS_CHUNK		16

/* The error of a sum over n products of such numbers, in units of 2^-106 of it. */
#define PAIRS_UNITS(n)	((n) + 512.0)

/* The terms of a binomial distribution on one side of its largest one. */
typedef struct BinomialSide
{
	uint32_t	n;
	DoubleDouble sum;
	double		rest;			/* at least the sum of those that were left out */
} BinomialSide;

/*
 * Tilting: p becomes p * yes / s and 1 - p becomes (1 - p) * no / s, where s is the sum of
 * the numerators.  One of yes and no is 1, the other one from 2^-500 to 1.
 */
typedef struct TiltWeights
{
	double		yes;
	double		no;
} TiltWeights;

/* Roundings in tilted probabilities. */
#define TILT_ROUNDINGS	6

typedef struct ConvolutionKernels
{
	const char *name;

	/*
	 * The distributions of LEAVES sums of m variables each, m a multiple of 4: f[k *
	 * LEAVES + j] for k = 0 .. m is that of leaf j, whose variables are 1 with probability
	 * yes[i * LEAVES + j] and 0 with no[...].  Each comes with m / 4 * 12 roundings beside
	 * those of m factors yes or no.  4 * LEAVES places before f are used, too.
	 */
	void		(*leaves) (const double *yes, const double *no, uint32_t m, double *f);

	/*
	 * to[k] = sum of a[i] * b[k - i], with CONVOLUTION_ROUNDINGS(na), for k from first, a
	 * multiple of CONVOLUTION_PAD, to last - 1, which is at most na + nb - 2, where na is at
	 * most nb.  a and b are padded, and so is to, behind.
	 */
	void		(*convolve) (const double *a, uint32_t na, const double *b, uint32_t nb,
							 uint32_t first, uint32_t last, double *to);

	/* The same of numbers in two parts, with PAIRS_UNITS(na); all arrays are padded. */
	void		(*convolve_pairs) (const Pairs *a, uint32_t na, const Pairs *b, uint32_t nb,
								   uint32_t first, uint32_t last, const Pairs *to);

	/*
	 * Write terms of a binomial distribution beside the one at to[0], which is 1, forward or backward by the
	 * step: quotients of neighbours are top / bottom * odds, with top down to 0 and bottom up in
	 * steps of 1.  It ends before what follows is less than trim in sum, or after "most" terms
	 * if they fall by then.  A step adds 32 units to those of the odds, and 4 to the sum's.
	 */
	BinomialSide (*binomial_side) (double top, double bottom, DoubleDouble odds, double trim, uint32_t most,
								   const Pairs *to, int step);

	/* The sum of a[i] * b[i], with SUM_ROUNDINGS(n). */
	double		(*dot) (const double *a, const double *b, uint32_t n);

	/*
	 * The sum of f[i], with SUM_ROUNDINGS(n), and that of (i - center) * f[i] for a whole
	 * center, right to four roundings of it and (n + 64) * 2^-77 of the sum of its absolute values.
	 */
	void		(*moments) (const double *f, uint32_t n, double center, double *mass, double *first);

	/* Tilted probabilities, each with TILT_ROUNDINGS; those of 1 - p alone if both weights are 1. */
	void		(*tilt) (const double *p, uint32_t n, TiltWeights weights, double *yes, double *no);

	/* Their sum and the variance of theirs, right to one part in 10^9. */
	void		(*tilted_moments) (const double *p, uint32_t n, TiltWeights weights,
								   double *mean, double *variance);

	/* The product of s over p[n], right to n * 2^-98 of itself. */
	void		(*tilt_product) (const double *p, uint32_t n, TiltWeights weights, WideNumber *product);

	/*
	 * The sum of p[n] in two parts, right to n^2 * 2^-106 of itself.
	 */
	void		(*sum) (const double *p, uint32_t n, double *high, double *low);
} ConvolutionKernels;

/* The set for the instruction set that isa.h says is in use. */
extern const ConvolutionKernels *CurrentConvolution(void);

extern const ConvolutionKernels ConvolutionPortable;
extern const ConvolutionKernels ConvolutionAvx2;
extern const ConvolutionKernels ConvolutionAvx512;

#endif							/* FIM_CONVOLUTION_H */
