/*-------------------------------------------------------------------------
 *
 * binomial.h
 *	  Tails of the binomial, the Poisson and the normal distribution, as intervals.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BINOMIAL_H
#define FIM_BINOMIAL_H

#include "interval.h"

/*
 * P(X >= k) for the binomial distribution of n trials with the given mean, which is from
 * 0 to n; n and k are whole numbers below 2^32.  The interval's width is at most about
 * 10^-6 of the smaller of P(X >= k) and P(X < k).
 */
extern FimInterval FimBinomialTail(double n, double mean, double k);

/* The same for the Poisson distribution; the mean is above 0. */
extern FimInterval FimPoissonTail(double mean, double k);

/*
 * A lower bound of n times the Kullback-Leibler divergence of Bernoulli variables with
 * means k / n and mean / n, for k and mean from 0 to n.
 */
extern double FimBinomialDivergence(double n, double mean, double k);

/* P(Z >= x) of the standard normal distribution. */
extern FimInterval FimNormalTail(double x);

#endif							/* FIM_BINOMIAL_H */
