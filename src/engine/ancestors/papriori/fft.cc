/*-------------------------------------------------------------------------
 *
 * fft.cc
 *	  Products of polynomials by KissFFT.
 *
 * Both factors go through one complex transform, as real and imaginary part: with Z the
 * transform of a + i b, the transform of the product is (Z(k)^2 - conj(Z(-k))^2) / 4i.
 *
 *-------------------------------------------------------------------------
 */
#include "fft.h"

#include <kissfft/kissfft.hh>

typedef std::complex<double> Complex;
typedef kissfft<double> Transform;

/* The transforms that have been prepared, by the binary logarithm of their length. */
static thread_local Transform *transforms[64];

/* The transform of a length, prepared if need be; NULL if there is no memory.  No exception may reach C. */
static const Transform *
TransformOf(size_t length)
{
	Transform **transform = &transforms[__builtin_ctzll(length)];

	try
	{
		if (*transform == NULL)
			*transform = new Transform(length, false);
	}
	catch (const std::exception &)
	{
		return NULL;
	}
	return *transform;
}

void
FimFftRelease(void)
{
	for (Transform *&transform : transforms)
	{
		delete transform;
		transform = NULL;
	}
}

/*
 * Write the conjugate of the product's transform.  Transforming it again, and conjugating, is
 * the inverse transform but for a factor, the length.
 */
static void
ConjugateProduct(const Complex *z, size_t n, Complex *to)
{
	for (size_t k = 0; k < n; k++)
	{
		Complex		here = z[k];
		Complex		there = std::conj(z[(n - k) & (n - 1)]);

		to[k] = std::conj((here * here - there * there) * Complex(0, -0.25));
	}
}

bool
FimFftMultiply(size_t length, const double *a, size_t na, const double *b, size_t nb, double *to,
			   double *work)
{
	const Transform *transform = TransformOf(length);
	Complex    *x = reinterpret_cast<Complex *>(work);
	Complex    *y = x + length;

	if (transform == NULL)
		return false;
	for (size_t i = 0; i < length; i++)
		x[i] = Complex(i < na ? a[i] : 0, i < nb ? b[i] : 0);
	transform->transform(x, y);
	ConjugateProduct(y, length, x);
	transform->transform(x, y);
	for (size_t i = 0; i < length; i++)
		to[i] = y[i].real() / static_cast<double>(length);
	return true;
}
