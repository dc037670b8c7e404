/*-------------------------------------------------------------------------
 *
 * probable_device.h
 *	  What kernels for uncertain transactions share: reading an itemset's transactions, sums of two
 *	  doubles, and the nodes of trees.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_PROBABLE_PROBABLE_DEVICE_H
#define GPU_PROBABLE_PROBABLE_DEVICE_H

#include "lanes.h"
#include "probable/probable.h"

/*
 * Numbers as unevaluated sums of two doubles, on the devices.
 *
 * Part x is the greater one, and y is what x lacks.  AddTo() and Product() do not bound y.
 * The functions from Ordered() on keep y below half a unit in the last place of x, so that
 * their results can be used in any number of further steps.  Errors are given in ulps, which
 * are 2^-106 of the result.
 *
 * T. Dekker, A floating-point technique for extending the available precision, Numer.
 * Math. 18 (1971), 224-242; D. Knuth, The Art of Computer Programming 2, section 4.2.2.
 */

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

/* The sum of two numbers that are not negative; its error is at most 4 ulps. */
static __device__ __forceinline__ double2
OrderedSum(double2 x, double2 y)
{
	AddTo(x, y);
	return Ordered(x.x, x.y);
}

/* The product of two numbers; its error is at most 8 ulps. */
static __device__ __forceinline__ double2
OrderedProduct(double2 x, double2 y)
{
	double2		product = Product(x, y);

	return Ordered(product.x, product.y);
}

/* 1 - x for x from 0 to 1; its error is at most 4 ulps. */
static __device__ __forceinline__ double2
RestOf(double2 x)
{
	double2		rest = make_double2(1, 0);

	AddTo(rest, -x.x);
	return Ordered(rest.x, rest.y - x.y);
}

/*
 * Reading an itemset's transactions and probabilities in a slab, by a warp.
 *
 * Lane l of the warp has word l of a line in a register.  Of each word, it works on
 * transaction l.
 */

static __device__ __forceinline__ uint32_t
LaneNumber(void)
{
	return threadIdx.x % 32;
}

/* The lane's word of a column's line in a slab. */
static __device__ __forceinline__ uint32_t
LineWord(const UncertainSheet &sheet, uint32_t slab, uint32_t column)
{
	return sheet.lines[((uint64_t) slab * sheet.ncolumns + column) * LINE_WORDS + LaneNumber()];
}

/* The lane's word of the intersection of n columns' lines: the transactions that have all of the columns. */
static __device__ __forceinline__ uint32_t
CommonWord(const UncertainSheet &sheet, uint32_t slab, const uint32_t *columns, uint32_t n)
{
	uint32_t	word = 0xffffffffu;

	for (uint32_t i = 0; i < n; i++)
		word &= LineWord(sheet, slab, columns[i]);
	return word;
}

/* The sum of the values that lower lanes have. */
static __device__ __forceinline__ uint32_t
SumBelow(uint32_t value)
{
	return SumUpTo(value) - value;
}

/* A column's line, with its values: that of a bit is values[number of bits set before it]. */
struct ValuedLine
{
	uint32_t	word;			/* the lane's word */
	uint32_t	rank;			/* number of bits set in the words of lower lanes */
	const double *values;		/* of the whole line */
};

static __device__ __forceinline__ ValuedLine
ReadValuedLine(const UncertainSheet &sheet, uint32_t slab, uint32_t column)
{
	ValuedLine	line;

	line.word = LineWord(sheet, slab, column);
	line.rank = SumBelow(__popc(line.word));
	line.values = sheet.values + sheet.value_at[(uint64_t) slab * sheet.ncolumns + column];
	return line;
}

/* The value of the lane's transaction in word i; 0 unless "has", which says that its bit is set. */
static __device__ __forceinline__ double
ValueIn(const ValuedLine &line, int i, bool has)
{
	uint32_t	word = __shfl_sync(ALL_LANES, line.word, i);
	uint32_t	rank = __shfl_sync(ALL_LANES, line.rank, i);

	return has ? line.values[rank + __popc(word & ((1u << LaneNumber()) - 1))] : 0;
}

/* Whether the lane's transaction in word i is set. */
static __device__ __forceinline__ bool
HasBit(uint32_t word, int i)
{
	return __shfl_sync(ALL_LANES, word, i) >> LaneNumber() & 1;
}

/*
 * Reads the probabilities of an itemset of n columns in a slab: p[i] becomes that of the
 * lane's transaction in word i, or 0 if the transaction lacks one of the columns.  "word"
 * is the lane's CommonWord() of the columns.
 */
template <bool BY_ENTRY>
static __device__ __forceinline__ void
ReadProbabilities(const UncertainSheet &sheet, uint32_t slab, const uint32_t *columns, uint32_t n,
				  uint32_t word, double (&p)[LINE_WORDS])
{
	uint32_t	filled = __ballot_sync(ALL_LANES, word != 0);
	const double *row_p = sheet.row_p + (uint64_t) slab * FIM_SLAB_BITS + LaneNumber();

#pragma unroll
	for (int i = 0; i < LINE_WORDS; i++)
	{
		p[i] = 0;
		if (filled >> i & 1)
		{
			bool		has = HasBit(word, i);

			if (has)
				p[i] = BY_ENTRY ? 1 : row_p[i * 32];
		}
	}
	if constexpr (BY_ENTRY)
		for (uint32_t c = 0; c < n; c++)
		{
			ValuedLine	line = ReadValuedLine(sheet, slab, columns[c]);

#pragma unroll
			for (int i = 0; i < LINE_WORDS; i++)
				if (filled >> i & 1)
					p[i] *= ValueIn(line, i, p[i] > 0);
		}
}

/*
 * The nodes of a level on a device.
 */

#define OCTET			TAIL_OCTET

/* A node's bulk in its slot, in the memory of the device or of a block. */
struct NodeBulk
{
	const double *octets;		/* the bulk's first coefficient */
	uint32_t	n;				/* octets */
	uint32_t	offset;			/* the support whose probability the first coefficient is */
};

static __device__ __forceinline__ NodeBulk
NodeIn(const TailNodes &nodes, uint32_t number)
{
	uint32_t	first = nodes.first[number];
	NodeBulk	node;

	node.octets = nodes.slots + ((uint64_t) number * nodes.slot_octets + first) * OCTET;
	node.n = nodes.end[number] - first;
	node.offset = nodes.offset[number] + first * OCTET;
	return node;
}

#endif							/* GPU_PROBABLE_PROBABLE_DEVICE_H */
