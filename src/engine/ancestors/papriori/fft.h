/*-------------------------------------------------------------------------
 *
 * fft.h
 *	  Products of polynomials by fast Fourier transforms, in double precision.
 *
 * The transforms are those of KissFFT, a header of templates in C++; so fft.cc is C++
 * behind this interface in C.  It is there only if FIM_KISSFFT is defined.
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
 * Write the product of two polynomials, of na and nb coefficients, to to[length].  "length"
 * is a power of two, at least na and nb.  If the product has more than "length" coefficients,
 * those beyond are added to the first ones.  "to" may be a or b.  work has room for
 * 4 * length doubles.  Returns false if there is no memory.
 *
 * What was prepared for a length, 16 bytes for each coefficient, is kept by the thread until
 * it calls FimFftRelease().
 */
extern bool FimFftMultiply(size_t length, const double *a, size_t na, const double *b, size_t nb,
						   double *to, double *work);
extern void FimFftRelease(void);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_FFT_H */
