/*-------------------------------------------------------------------------
 *
 * tail.h
 *	  The probability that support reaches a threshold, P(S >= k).
 *
 * doc/probable_numbers.md describes the method and proves its error bounds.
 *
 * Included by the engines of this family.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TAIL_H
#define FIM_TAIL_H

#include "chances.h"
#include "interval.h"
#include "workspace.h"

/*
 * An interval that holds P(S >= k), for any k, in double precision.  With error 0 it is
 * narrower than 10^-12, and than 10^-9 of itself if it is not below 10^-100.
 */
extern FimResult FimTailBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k,
								FimInterval *tail);

#endif							/* FIM_TAIL_H */
