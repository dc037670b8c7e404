/*-------------------------------------------------------------------------
 *
 * tilt.h
 *	  Which side of the distribution of support to sum, and how to make a tail the
 *	  middle of another distribution.
 *
 * If all odds are multiplied by r, a Poisson-binomial distribution P becomes another one,
 * Q, with P(j) = scale * Q(j) / r^(j - first) for all j; the scale depends on the choice
 * of "first".  With r chosen so that the mean of Q is near k, the tail of P is the scale
 * times a sum over Q near its mean, in which no term is small.  (Esscher 1932; Peres, Lee,
 * Keich, arXiv 2004.07429.)
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TILT_H
#define FIM_TILT_H

#include "convolution.h"
#include "workspace.h"

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

#endif							/* FIM_TILT_H */
