/*-------------------------------------------------------------------------
 *
 * fft.h
 *	  Products of polynomials by fast Fourier transforms, in double precision.
 *
 * The transforms are those of KissFFT, a header of templates in C++; so fft.cc is C++
 * behind this interface in C.  It is there only if FIM_KISSFFT is defined.
 *
 * Included by fft_tail.c and by fft.cc.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_FFT_H
#define FIM_FFT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The product of two polynomials of so many coefficients each that it has at most
 * "length" ones, a power of two; those that are given fill up with zeros.  to[length] may
 * be either of them.  work has room for 4 * length doubles.  Returns false if there is no
 * memory.
 *
 * What a length takes to prepare, 16 bytes for each coefficient, is kept by the thread
 * for the next time, until FimFftRelease().
 */
extern bool FimFftMultiply(size_t length, const double *a, size_t na, const double *b, size_t nb,
						   double *to, double *work);
extern void FimFftRelease(void);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_FFT_H */
