/*-------------------------------------------------------------------------
 *
 * precise.h
 *	  P(S >= k) in double-double arithmetic, for what double precision leaves open.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRECISE_H
#define FIM_PRECISE_H

#include "chances.h"
#include "double_double.h"
#include "workspace.h"

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

#endif							/* FIM_PRECISE_H */
