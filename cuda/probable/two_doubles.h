/*-------------------------------------------------------------------------
 *
 * two_doubles.h
 *	  Numbers as unevaluated sums of two doubles, on the devices.
 *
 * Part x is the greater one, and y is what x lacks.  AddTo() and Product() do not bound y.
 * The functions from Ordered() on keep y below half a unit in the last place of x, so that
 * their results can be used in any number of further steps.  Errors are given in units of
 * 2^-106 of the result.
 *
 * T. Dekker, A floating-point technique for extending the available precision, Numer.
 * Math. 18 (1971), 224-242; D. Knuth, The Art of Computer Programming 2, section 4.2.2.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TWO_DOUBLES_H
#define FIM_TWO_DOUBLES_H

/* Adds a number to a sum (Knuth's two-sum). */
static __device__ __forceinline__ void
AddTo(double2 &sum, double x)
{
	double		total = sum.x + x;
	double		part = total - sum.x;

	sum.y += (sum.x - (total - part)) + (x - part);
	sum.x = total;
}

static __device__ __forceinline__ void
AddTo(double2 &sum, double2 x)
{
	AddTo(sum, x.x);
	sum.y += x.y;
}

static __device__ __forceinline__ void
AddProductTo(double2 &sum, double x, double y)
{
	double		product = x * y;

	AddTo(sum, product);
	sum.y += fma(x, y, -product);
}

/* The product of two numbers. */
static __device__ __forceinline__ double2
Product(double2 x, double2 y)
{
	double		product = x.x * y.x;

	return make_double2(product, fma(x.x, y.x, -product) + (x.x * y.y + x.y * y.x));
}

/* x + y, exactly; |x| must be at least |y|. */
static __device__ __forceinline__ double2
Ordered(double x, double y)
{
	double		sum = x + y;

	return make_double2(sum, y - (sum - x));
}

/* The sum of two numbers that are not negative; its error is at most 4 units. */
static __device__ __forceinline__ double2
OrderedSum(double2 x, double2 y)
{
	AddTo(x, y);
	return Ordered(x.x, x.y);
}

/* The product of two numbers; its error is at most 8 units. */
static __device__ __forceinline__ double2
OrderedProduct(double2 x, double2 y)
{
	double2		product = Product(x, y);

	return Ordered(product.x, product.y);
}

/* 1 - x for x from 0 to 1; its error is at most 4 units. */
static __device__ __forceinline__ double2
RestOf(double2 x)
{
	double2		rest = make_double2(1, 0);

	AddTo(rest, -x.x);
	return Ordered(rest.x, rest.y - x.y);
}

#endif							/* FIM_TWO_DOUBLES_H */
