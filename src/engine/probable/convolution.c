/*-------------------------------------------------------------------------
 *
 * convolution.c
 *	  Which convolution kernels are in use.
 *
 *-------------------------------------------------------------------------
 */
#include "convolution.h"

#include <string.h>

#include "engine/kernels.h"

const ConvolutionKernels *
CurrentConvolution(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
	const char *isa = FimIsa();

	if (strcmp(isa, ConvolutionAvx512.name) == 0)
		return &ConvolutionAvx512;
	if (strcmp(isa, ConvolutionAvx2.name) == 0)
		return &ConvolutionAvx2;
#endif
	return &ConvolutionPortable;
}
