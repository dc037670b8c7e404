/*-------------------------------------------------------------------------
 *
 * sums_plain.h
 *	  The loops in plain C, in lanes that a compiler makes vectors of.
 *
 *-------------------------------------------------------------------------
 */
#include "sums.h"

#include <string.h>

#define LANES	8

static double
AddLanes(const double lane[LANES])
{
	return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

/* The weight of a row whose bit is set, otherwise 0, without a branch. */
static inline double
Masked(double weight, uint64_t bit)
{
	uint64_t	image;

	memcpy(&image, &weight, sizeof(image));
	image &= -(bit & 1);
	memcpy(&weight, &image, sizeof(image));
	return weight;
}

static double
Bits(const uint64_t *a, const uint64_t *b, const double *weight, uint32_t nwords, uint32_t *n)
{
	double		lane[LANES] = {0};
	uint32_t	count = 0;

	for (uint32_t w = 0; w < nwords; w++)
	{
		uint64_t	both = a[w] & b[w];
		const double *of_word = weight + (size_t) w * 64;

		count += (uint32_t) __builtin_popcountll(both);
		for (; both != 0; both >>= LANES, of_word += LANES)
			for (int k = 0; k < LANES; k++)
				lane[k] += Masked(of_word[k], both >> k);
	}
	*n += count;
	return AddLanes(lane);
}

static double
List(const uint32_t *row, const double *factor, uint32_t n, const double *weight, uint32_t *held)
{
	double		lane[LANES] = {0};
	uint32_t	count[LANES] = {0};
	uint32_t	e = 0;

	for (; e + LANES <= n; e += LANES)
		for (int k = 0; k < LANES; k++)
		{
			double		w = weight[row[e + k]];

			count[k] += w > 0;
			lane[k] += factor != NULL ? w * factor[e + k] : w;
		}
	for (; e < n; e++)
	{
		double		w = weight[row[e]];

		count[e % LANES] += w > 0;
		lane[e % LANES] += factor != NULL ? w * factor[e] : w;
	}
	for (int k = 0; k < LANES; k++)
		*held += count[k];
	return AddLanes(lane);
}

static double
Dense(const double *factor, uint32_t n, const double *weight, uint32_t *held)
{
	double		lane[LANES] = {0};
	uint64_t	count[LANES] = {0};

	for (uint32_t r = 0; r < n; r += LANES)
		for (int k = 0; k < LANES; k++)
		{
			count[k] += (weight[r + k] > 0) & (factor[r + k] > 0);
			lane[k] += weight[r + k] * factor[r + k];
		}
	for (int k = 0; k < LANES; k++)
		*held += (uint32_t) count[k];
	return AddLanes(lane);
}

/* Add the square of a probability and that of its variance. */
static inline void
AddSquares(double q, double *squares, double *variances)
{
	double		square = q * q;
	double		variance = q - square;

	*squares += square;
	*variances += variance * variance;
}

static void
BitsSquares(const uint64_t *a, const uint64_t *b, const double *weight, uint32_t nwords,
			double sum[2])
{
	double		squares[LANES] = {0};
	double		variances[LANES] = {0};

	for (uint32_t w = 0; w < nwords; w++)
	{
		uint64_t	both = a[w] & b[w];
		const double *of_word = weight + (size_t) w * 64;

		for (; both != 0; both >>= LANES, of_word += LANES)
			for (int k = 0; k < LANES; k++)
				AddSquares(Masked(of_word[k], both >> k), &squares[k], &variances[k]);
	}
	sum[0] += AddLanes(squares);
	sum[1] += AddLanes(variances);
}

static void
ListSquares(const uint32_t *row, const double *factor, uint32_t n, const double *weight,
			double sum[2])
{
	double		squares[LANES] = {0};
	double		variances[LANES] = {0};

	for (uint32_t e = 0; e < n; e++)
	{
		double		w = weight[row[e]];

		AddSquares(factor != NULL ? w * factor[e] : w, &squares[e % LANES], &variances[e % LANES]);
	}
	sum[0] += AddLanes(squares);
	sum[1] += AddLanes(variances);
}

static void
DenseSquares(const double *factor, uint32_t n, const double *weight, double sum[2])
{
	double		squares[LANES] = {0};
	double		variances[LANES] = {0};

	for (uint32_t r = 0; r < n; r += LANES)
		for (int k = 0; k < LANES; k++)
			AddSquares(weight[r + k] * factor[r + k], &squares[k], &variances[k]);
	sum[0] += AddLanes(squares);
	sum[1] += AddLanes(variances);
}

static double *
Pick(uint64_t word, const double *weight, double *to)
{
	for (; word != 0; word &= word - 1)
		*to++ = weight[__builtin_ctzll(word)];
	return to;
}

/* Multiply a characteristic function by the factor of a probability. */
static inline void
TurnBy(double p, double less, double sine, double *re, double *im)
{
	double		a = 1 - p * less;
	double		b = p * sine;
	double		x = *re * a - *im * b;

	*im = *im * a + *re * b;
	*re = x;
}

static void
Turn(const double *p, uint32_t n, const double *less, const double *sine, double *re, double *im)
{
	for (int i = 0; i < SUMS_ANGLES; i++)
	{
		double		x[LANES];
		double		y[LANES];
		uint32_t	t = 0;

		for (int k = 0; k < LANES; k++)
		{
			x[k] = 1;
			y[k] = 0;
		}
		for (; t + LANES <= n; t += LANES)
			for (int k = 0; k < LANES; k++)
				TurnBy(p[t + k], less[i], sine[i], &x[k], &y[k]);
		for (; t < n; t++)
			TurnBy(p[t], less[i], sine[i], &x[0], &y[0]);
		re[i] = 1;
		im[i] = 0;
		for (int k = 0; k < LANES; k++)
		{
			double		before = re[i];

			re[i] = before * x[k] - im[i] * y[k];
			im[i] = before * y[k] + im[i] * x[k];
		}
	}
}
