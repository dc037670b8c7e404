/*-------------------------------------------------------------------------
 *
 * inversion.c
 *	  P(S >= k) to a few digits, from the characteristic function of support.
 *
 * With f(t) = E exp(i t S), the product of all 1 - p + p exp(i t), and the angles
 * t_j = 2 pi j / M, the inverse of the discrete Fourier transform is exact:
 *
 *		P(S mod M is one of k, ..., k + L - 1, mod M) =
 *			(L + 2 sum of Re(f(t_j) exp(-i t_j (k + (L - 1) / 2))) * sin(t_j L / 2) / sin(t_j / 2)) / M
 *
 * the sum being over j from 1 to M / 2 (the last one halved if M is even).  Taking it for
 * P(S >= k) makes three errors, each of which is bounded:
 *
 *	- S may lie outside of the window, the M numbers of which k + L - 1 is the last.  The
 *	  window reaches so far to both sides of the mean that Bernstein's inequality allows at
 *	  most exp(-FAR) beyond each end.
 *	- Only few angles are taken: |f(t)|^2 is the product of all 1 - 4 p (1 - p) sin(t / 2)^2,
 *	  so |f(t)| <= exp(-2 variance sin(t / 2)^2).
 *	- Rounding: the parts of a factor, and its product, have a relative error of less than 8
 *	  units in the last place, since the factor's modulus is near 1 where t is small.
 *
 * About eight angles are enough, each of which takes a complex product for each p.
 *
 *-------------------------------------------------------------------------
 */
#include "inversion.h"

/* exp(-12) is 6e-6. */
#define FAR				12.0

/* Below this variance, the angles that matter are not small. */
#define LEAST_VARIANCE	100.0

#define PI				3.14159265358979323846

/* Angles after the last one taken that are bounded one by one. */
#define NEXT_ANGLES		32

typedef struct Inversion
{
	FimInterval mean;
	FimInterval variance;
	int64_t		first;			/* the first number of the window */
	uint64_t	modulus;		/* M: the window's length */
	uint64_t	length;			/* L: the length of the window's part from k on */
	double		n;
	double		error;			/* relative error of each p */
} Inversion;

/* The sine of half of angle number j. */
static double
HalfSine(const Inversion *of, uint64_t j)
{
	return sin(PI * (double) j / (double) of->modulus);
}

/* The largest absolute value that the summand of an angle can have. */
static double
Greatest(const Inversion *of, uint64_t j)
{
	double		sine = HalfSine(of, j);

	return 2 / (double) of->modulus * exp(-2 * of->variance.low * sine * sine * (1 - 1e-12)) / sine *
		(1 + 1e-12);
}

/* Choose the window.  Returns false if the method does not apply. */
static bool
Begin(Inversion *of, const FimMoments *moments, double error, uint32_t k)
{
	double		slack = moments->error * moments->mean * 1.0001;
	double		reach;
	double		last;

	of->mean = (FimInterval) {moments->mean - slack, moments->mean + slack};
	of->variance = (FimInterval) {moments->variance - slack, moments->variance + slack};
	if (!(of->variance.low >= LEAST_VARIANCE))
		return false;
	reach = FAR / 3 + sqrt(FAR * FAR / 9 + 2 * FAR * of->variance.high) + 1;
	of->first = (int64_t) floor(of->mean.low - reach);
	last = ceil(of->mean.high + reach);
	if (k <= of->first || k > last)
		return false;
	of->modulus = (uint64_t) ((int64_t) last - of->first + 1);
	of->length = (uint64_t) ((int64_t) last - k + 1);
	of->n = (double) moments->n;
	of->error = error;
	return true;
}

/* Angles after the first one whose summand is at most this are left out. */
#define SMALL			1e-6

/* The number of angles to take: all those after it are too small to matter. */
static uint64_t
Angles(const Inversion *of)
{
	uint64_t	j = 1;

	while (j < of->modulus / 2 && Greatest(of, j) > SMALL)
		j++;
	return j;
}

/* A bound of the sum over all angles that are left out. */
static double
Truncated(const Inversion *of, uint64_t angles)
{
	double		sum = 0;
	uint64_t	j = angles + 1;

	for (; j <= of->modulus / 2 && j <= angles + NEXT_ANGLES; j++)
		sum += Greatest(of, j);
	/* the others are at most as large as the first of them */
	if (j <= of->modulus / 2)
		sum += (double) (of->modulus / 2) * Greatest(of, j);
	return sum;
}

/* pi * a * b / modulus, with full turns taken away. */
static double
Angle(const Inversion *of, uint64_t a, uint64_t b)
{
	uint64_t	turn = 2 * of->modulus;

	return PI * (double) (a * (b % turn) % turn) / (double) of->modulus;
}

/* The summand of an angle, given the characteristic function there. */
static double
Summand(const Inversion *of, uint64_t j, uint32_t k, double re, double im)
{
	double		turn = Angle(of, j, 2 * (uint64_t) k + of->length - 1);
	double		sine = sin(Angle(of, j, of->length));

	return 2 / (double) of->modulus * (re * cos(turn) + im * sin(turn)) * sine / HalfSine(of, j);
}

FimInterval
FimInversionBracket(const ProbableSums *sums, const double *p, double error,
					const FimMoments *moments, uint32_t k)
{
	Inversion	of;
	uint64_t	angles;
	double		sum;
	double		off;

	if (!Begin(&of, moments, error, k))
		return (FimInterval) {0, 1};
	angles = Angles(&of);
	sum = (double) of.length / (double) of.modulus;
	off = 2 * exp(-FAR) + Truncated(&of, angles) + 1e-12;
	for (uint64_t j = 1; j <= angles; j += SUMS_ANGLES)
	{
		double		cosine[SUMS_ANGLES];
		double		sine[SUMS_ANGLES];
		double		re[SUMS_ANGLES];
		double		im[SUMS_ANGLES];

		for (int i = 0; i < SUMS_ANGLES; i++)
		{
			double		half = HalfSine(&of, j + i);

			cosine[i] = 2 * half * half;
			sine[i] = sin(Angle(&of, 2, j + i));
		}
		sums->turn(p, (uint32_t) moments->n, cosine, sine, re, im);
		for (int i = 0; i < SUMS_ANGLES && j + i <= angles; i++)
		{
			sum += Summand(&of, j + i, k, re[i], im[i]);
			off += Greatest(&of, j + i) *
				(8 * UNIT_ROUNDOFF * of.n + of.error * of.mean.high * 2 * HalfSine(&of, j + i));
		}
	}
	return ProbabilityWithin(sum - off, sum + off);
}
