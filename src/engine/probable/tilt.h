/*-------------------------------------------------------------------------
 *
 * tilt.h
 *	  Which side of the distribution of support to sum, and how to make a tail the
 *	  middle of another distribution.
 *
 * For odds that are r times as high, a Poisson-binomial distribution P becomes another
 * one, Q, with P(j) = scale * Q(j) / r^(j - (k - 1)) for all j.  With r chosen so that the
 * mean of Q is near k, the tail of P is the scale times a sum over Q near its mean, in
 * which no term is small.  (Esscher 1932; Peres, Lee, Keich, arXiv 2004.07429.)
 *
 * Included by the modules that compute tails.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TILT_H
#define FIM_TILT_H

#include "convolution.h"
#include "workspace.h"

/*
 * The side that is summed, which is the one beyond the mean: upper P(S >= k), otherwise
 * P(S <= k - 1).  It is the scale times the sum of Q(j) * ratio^i over j of that side, where
 * i is the distance of j from the first one.
 */
typedef struct Tilt
{
	bool		upper;
	double		ratio;			/* up to 1; then nothing is tilted and the scale is 1 */
	TiltWeights weights;
	double		variance;		/* of Q, to one part in 10^8 */
	double		own_variance;	/* of P */
	WideNumber	scale;			/* right to 10^-15 of itself */
} Tilt;

/* No tilt, for the whole distribution.  Returns false if the host wants to stop. */
extern bool TiltNone(FimWorkspace *ws, const double *p, uint32_t n, Tilt *tilt, double *mean);

/*
 * For 1 <= k <= n.  Returns false if the host wants to stop.  The scale is not computed; it takes
 * TiltScale(), or the product of the sums of odds, times TiltPower().
 */
extern bool TiltChoose(FimWorkspace *ws, const double *p, uint32_t n, uint32_t k, Tilt *tilt);
extern bool TiltScale(FimWorkspace *ws, const double *p, uint32_t n, uint32_t k, Tilt *tilt);

/* The power of the ratio in the scale, right to 2^-66 of itself. */
extern WideNumber TiltPower(const Tilt *tilt, uint32_t n, uint32_t k);

#endif							/* FIM_TILT_H */
