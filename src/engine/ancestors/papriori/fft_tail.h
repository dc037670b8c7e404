/*-------------------------------------------------------------------------
 *
 * fft_tail.h
 *	  The tail of a support's distribution by a tree of FFT convolutions.
 *
 * FftTailOf() is there only if FIM_KISSFFT is defined.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_FFT_TAIL_H
#define FIM_FFT_TAIL_H

#include "papriori.h"

/* Memory for distributions.  To be set to zeros before the first use, except for the host. */
typedef struct FftTail
{
	FimHost    *host;
	double	   *block;
	size_t		room;			/* doubles in it */
} FftTail;

/*
 * A PaprioriTail whose state is a FftTail.  The paper's third section: the transactions'
 * generating functions 1 - p + p x are multiplied in pairs, then the products in pairs, and
 * so on.
 */
extern FimResult FftTailOf(void *state, const double *p, uint32_t n, uint32_t k, double *tail,
						   double *error);
extern void FftTailFree(FftTail *tree);

#endif							/* FIM_FFT_TAIL_H */
