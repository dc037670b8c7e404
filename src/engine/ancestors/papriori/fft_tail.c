/*-------------------------------------------------------------------------
 *
 * fft_tail.c
 *	  The tail of a support's distribution by a tree of FFT convolutions.
 *
 *-------------------------------------------------------------------------
 */
#include "fft.h"
#include "papriori.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef FIM_KISSFFT

/* Leaves of the tree: 2^8 transactions, whose functions are multiplied one after the other. */
#define LEAF_BITS	8
#define LEAF		(1 << LEAF_BITS)

/*
 * By how much the tail may be off: several times what was measured, see doc/ancestors/papriori.md.
 * That is no proof; but tails that are within this of a threshold are decided in another way.
 */
static double
ErrorOf(uint32_t n)
{
	return 1e-14 + 4e-16 * sqrt(n);
}

/*
 * Make the coefficients of a node add up to 1.  Rounding makes all nodes of equal transactions
 * miss 1 by the same amount, so without this the error would grow with their number.
 */
static void
Normalize(double *f, size_t n)
{
	double		sum = 0;
	double		lost = 0;		/* by rounding the sum */
	double		scale;

	for (size_t i = 0; i < n; i++)
	{
		double		addend = f[i] - lost;
		double		next = sum + addend;

		lost = (next - sum) - addend;
		sum = next;
	}
	scale = 1 / sum;
	for (size_t i = 0; i < n; i++)
		f[i] *= scale;
}

/*
 * Write the generating function of n transactions, with n + 1 coefficients.  1 - p is not
 * computed: once rounded, it and p would not add up to 1 exactly, and where many p are equal
 * that error would grow with n.
 */
static void
MultiplyLeaf(const double *p, uint32_t n, double *f)
{
	f[0] = 1;
	for (uint32_t t = 0; t < n; t++)
	{
		f[t + 1] = f[t] * p[t];
		for (uint32_t s = t; s > 0; s--)
			f[s] += p[t] * (f[s - 1] - f[s]);
		f[0] -= p[t] * f[0];
	}
	Normalize(f, (size_t) n + 1);
}

/* The sum of squares of n coefficients. */
static double
Squares(const double *f, size_t n)
{
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += f[i] * f[i];
	return sum;
}

/*
 * Rounding leaves a noise of about the same size in all coefficients of a product, most of
 * which are almost 0.  Coefficients that are no larger than the noise are set to 0, so that it
 * does not add up from one level to the next.
 */
static void
CutNoise(double *f, size_t n, double noise)
{
	for (size_t i = 0; i < n; i++)
		f[i] = f[i] > noise ? f[i] : 0;
}

/*
 * Multiply two nodes of 2^bits transactions; the second one may have fewer.  Where it has not,
 * the product has one coefficient more than the transform is long.  This last one, which the
 * transform adds to the first, is the product of the two nodes' last ones.
 */
static bool
MultiplyNodes(int bits, const double *a, const double *b, uint32_t nb, double *to, double *work)
{
	size_t		half = (size_t) 1 << bits;
	double		last = nb == half ? a[half] * b[half] : 0;
	double		noise = 4 * DBL_EPSILON * sqrt(Squares(a, half + 1) * Squares(b, (size_t) nb + 1));

	if (!FimFftMultiply(2 * half, a, half + 1, b, (size_t) nb + 1, to, work))
		return false;
	if (nb == half)
	{
		to[0] -= last;
		to[2 * half] = last;
	}
	CutNoise(to, half + nb + 1, noise);
	Normalize(to, half + nb + 1);
	return true;
}

/* Make room for all nodes of two levels, and for a transform of the last one; NULL if there is no memory. */
static double *
Room(FftTail *tree, size_t doubles)
{
	if (tree->room < doubles)
	{
		if (tree->block != NULL)
			tree->host->free(tree->host, tree->block);
		tree->room = 0;
		tree->block = tree->host->alloc(tree->host, doubles * sizeof(double));
		if (tree->block != NULL)
			tree->room = doubles;
	}
	return tree->block;
}

/* The doubles of a node's slot, on a level of nodes of 2^bits transactions; the last node may need fewer. */
static inline size_t
Slot(int bits)
{
	return ((size_t) 1 << bits) + 1;
}

/* Multiply the nodes of a level, which have 2^bits transactions each, in pairs, to those of the next one. */
static FimResult
MultiplyLevel(FftTail *tree, int bits, uint32_t n, double *nodes, double *next, double *work)
{
	size_t		size = (size_t) 1 << bits;
	uint64_t	count = (n + size - 1) / size;

	for (uint64_t i = 0; i < count; i += 2)
	{
		const double *a = nodes + i * Slot(bits);
		double	   *to = next + i / 2 * Slot(bits + 1);
		uint64_t	begin = (i + 1) * size;
		uint32_t	nb = i + 1 == count ? 0 : (uint32_t) (n - begin < size ? n - begin : size);

		if (tree->host->poll(tree->host))
			return FIM_STOPPED;
		if (nb == 0)
			memcpy(to, a, sizeof(double) * (n - i * size + 1));
		else if (!MultiplyNodes(bits, a, a + Slot(bits), nb, to, work))
			return FIM_OUT_OF_MEMORY;
	}
	return FIM_DONE;
}

FimResult
FftTailOf(void *state, const double *p, uint32_t n, uint32_t k, double *tail, double *error)
{
	FftTail    *tree = state;
	int			bits = LEAF_BITS;
	size_t		room;
	double	   *nodes;
	double	   *next;
	double	   *work;

	while (((size_t) 1 << bits) < n)
		bits++;
	room = ((size_t) 1 << bits) + ((size_t) 1 << (bits - LEAF_BITS)) + 2;
	nodes = Room(tree, 2 * room + 4 * ((size_t) 1 << bits));
	if (nodes == NULL)
		return FIM_OUT_OF_MEMORY;
	next = nodes + room;
	work = next + room;
	for (uint32_t t = 0; t < n; t += LEAF)
		MultiplyLeaf(p + t, n - t < LEAF ? n - t : LEAF, nodes + t / LEAF * Slot(LEAF_BITS));
	for (int level = LEAF_BITS; level < bits; level++)
	{
		FimResult	result = MultiplyLevel(tree, level, n, nodes, next, work);
		double	   *swap = nodes;

		if (result != FIM_DONE)
			return result;
		nodes = next;
		next = swap;
	}
	*tail = 0;
	for (uint32_t s = n; s >= k; s--)
		*tail += nodes[s];
	*error = ErrorOf(n);
	return FIM_DONE;
}

#endif							/* FIM_KISSFFT */

void
FftTailFree(FftTail *tree)
{
#ifdef FIM_KISSFFT
	FimFftRelease();
#endif
	if (tree->block != NULL)
		tree->host->free(tree->host, tree->block);
	memset(tree, 0, sizeof(*tree));
}
