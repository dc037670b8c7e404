/*-------------------------------------------------------------------------
 *
 * binomial_window.h
 *	  The distribution of a sum of variables of one probability, as far as it is not
 *	  almost 0.
 *
 * Included by tree.c and precise.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BINOMIAL_WINDOW_H
#define FIM_BINOMIAL_WINDOW_H

#include "convolution.h"
#include "tilt.h"

/* n variables that are 1 with probability "yes" and 0 with "no", right to 44 units each. */
typedef struct Binomial
{
	uint32_t	n;
	DoubleDouble yes;
	DoubleDouble no;
} Binomial;

/* n variables of probability p, tilted; "sum" is that of their tilted odds, see TiltWeights. */
extern Binomial TiltedBinomial(double p, uint32_t n, const TiltWeights *weights, DoubleDouble *sum);

/* The most coefficients that there can be beside a mass of "trim" at each end. */
extern size_t BinomialRoom(uint32_t n, double trim);

/*
 * Write the coefficients, the first of which is for the sum "offset", and return how many
 * there are.  Each is right to so many units, see double_double.h, besides
 * what the mass dropped at both ends, by which all have been divided, adds to them.
 */
extern uint32_t BinomialWindow(const Binomial *of, double trim, const Pairs *to, uint64_t *offset,
							   double *units, double *dropped);

#endif							/* FIM_BINOMIAL_WINDOW_H */
