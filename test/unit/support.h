/*-------------------------------------------------------------------------
 *
 * support.h
 *	  The distribution of support by definition, for the unit tests: probabilities of
 *	  many kinds, and the classical dynamic programme in long double.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdint.h>

#include "harness.h"

/* Kinds of probabilities, all in (0, 1]. */
typedef enum Chances
{
	CHANCES_UNIFORM,
	CHANCES_NORMAL,				/* mean 0.5, variance 0.02 */
	CHANCES_HIGH,				/* mean 0.8, variance 0.01 */
	CHANCES_SMALL,				/* below 0.02 */
	CHANCES_RARE,				/* about 3 / n */
	CHANCES_HALF,				/* all 1/2 */
	CHANCES_EQUAL,				/* all the same */
	CHANCES_DECIMAL,			/* 0.1, 0.2, ... 1 */
	CHANCES_FEW,				/* of a few values, some of them often */
	CHANCES_CERTAIN,			/* many are 1 or next to it */
	CHANCES_TINY,				/* down to the least subnormal number */
	CHANCES_MIXED,				/* each of another kind */
	CHANCES_KINDS
} Chances;

extern const char *ChancesName(Chances kind);
extern void MakeChances(Rng *rng, Chances kind, double *p, uint32_t n);

/* P(S = k), P(S >= k) and P(S < k) for k from 0 to n + 1. */
typedef struct Support
{
	uint32_t	n;
	long double *exactly;
	long double *reaches;
	long double *misses;
} Support;

/* Right to a relative error of about n * 2^-62 where no number is below 10^-4900. */
extern void SupportInit(Support *support, const double *p, uint32_t n);
extern void SupportFree(Support *support);

#endif							/* SUPPORT_H */
