/*-------------------------------------------------------------------------
 *
 * sums.c
 *	  Which set of loops goes with the instruction set in use.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/kernels.h"
#include "sums.h"

#include <string.h>

const ProbableSums *
CurrentSums(void)
{
#ifdef FIM_X86_SUMS
	if (strcmp(FimIsa(), "avx512") == 0)
		return &SumsAvx512;
	if (strcmp(FimIsa(), "avx2") == 0)
		return &SumsAvx2;
#endif
	return &SumsPortable;
}
