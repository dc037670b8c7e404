/*
 * kernels_avx2.c
 *	  The plain kernels with AVX2, BMI2 and POPCNT.  On these processors one
 *	  POPCNT a cycle keeps pace with counting bits by table look-ups in vectors.
 */
#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#include "kernels_plain.h"

const FimKernels FimKernelsAvx2 = PLAIN_KERNELS("avx2");

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
