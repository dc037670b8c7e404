/*
 * convolution_portable.c
 *	  The convolution kernels for any processor.
 */
#define LANES	2
#define DIAGONALS	2
#include "convolution_kernels.h"

const ConvolutionKernels ConvolutionPortable = CONVOLUTION_KERNELS("portable");
