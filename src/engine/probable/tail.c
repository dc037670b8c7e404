/*-------------------------------------------------------------------------
 *
 * tail.c
 *	  The probability that support reaches a threshold, P(S >= k).
 *
 *-------------------------------------------------------------------------
 */
#include "tail.h"

#include "side.h"

FimResult
FimTailBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k, FimInterval *tail)
{
	FimSide		side;
	FimResult	result;

	if (k == 0 || k > chances->n)
	{
		*tail = k == 0 ? (FimInterval) {1, 1} : (FimInterval) {0, 0};
		return FIM_DONE;
	}
	result = FimSideBracket(ws, chances, k, &side);
	if (result == FIM_DONE)
		*tail = side.upper ? side.probability : Complement(side.probability);
	return result;
}
