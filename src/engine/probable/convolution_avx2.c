/*
 * convolution_avx2.c
 *	  The convolution kernels with AVX2 and FMA.
 */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

#define LANES	4
#define DIAGONALS	2
#define MULTIPLY_SUBTRACT(a, b, c)	((Vec) _mm256_fmsub_pd((__m256d) (a), (__m256d) (b), (__m256d) (c)))
#include "convolution_kernels.h"

const ConvolutionKernels ConvolutionAvx2 = CONVOLUTION_KERNELS("avx2");

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
