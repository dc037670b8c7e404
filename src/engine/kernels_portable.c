/*
 * kernels_portable.c
 *	  The kernels for any processor.
 */
#include "kernels_plain.h"

const FimKernels FimKernelsPortable = PLAIN_KERNELS("portable");
