/*
 * convolution_avx512.c
 *	  The convolution kernels with AVX-512 F and DQ.
 */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq")
#endif

#define LANES	8
#define DIAGONALS	4
#define MULTIPLY_SUBTRACT(a, b, c)	((Vec) _mm512_fmsub_pd((__m512d) (a), (__m512d) (b), (__m512d) (c)))
#include "convolution_kernels.h"

const ConvolutionKernels ConvolutionAvx512 = CONVOLUTION_KERNELS("avx512");

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
