/*-------------------------------------------------------------------------
 *
 * binomial_window.h
 *	  The distribution of a sum of variables that have the same probability, where it is
 *	  not almost 0.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BINOMIAL_WINDOW_H
#define FIM_BINOMIAL_WINDOW_H

#include "convolution.h"
#include "tilt.h"

/* n variables that are 1 with probability "yes" and 0 with "no", both right to 44 units. */
typedef struct Binomial
{
	uint32_t	n;
	DoubleDouble yes;
	DoubleDouble no;
} Binomial;

/* n variables of probability p, tilted.  *sum is set to the sum of their tilted odds, see TiltWeights. */
extern Binomial TiltedBinomial(double p, uint32_t n, const TiltWeights *weights, DoubleDouble *sum);

/* The most coefficients of a window if a mass of "trim" may be cut off at each end. */
extern size_t BinomialRoom(uint32_t n, double trim);

/*
 * Write the coefficients, and return their number; the first one is that of the sum
 * *offset.  Each is right to *units units, see double_double.h.  Beyond that all are too
 * large, since they have been divided by their sum, which lacks the mass *dropped that was
 * cut off at both ends.
 */
extern uint32_t BinomialWindow(const Binomial *of, double trim, const Pairs *to, uint64_t *offset,
							   double *units, double *dropped);

#endif							/* FIM_BINOMIAL_WINDOW_H */
