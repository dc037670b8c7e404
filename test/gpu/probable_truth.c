/*-------------------------------------------------------------------------
 *
 * probable_truth.c
 *	  What is probable in uncertain data, by the definitions, see probable_truth.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdlib.h>

#include "probable_truth.h"
#include "uncertain_rows.h"

#define WIDE_ROUNDOFF	0x1p-112

/* P(S >= k). */
static Wide
Tail(const Wide *p, uint32_t n, uint32_t k)
{
	Wide	   *f = Take(sizeof(Wide) * (n + 2));
	Wide		sum = 0;

	f[0] = 1;
	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t s = i + 1; s > 0; s--)
			f[s] = f[s] * (1 - p[i]) + f[s - 1] * p[i];
		f[0] *= 1 - p[i];
	}
	for (uint32_t s = n + 1; s-- > k;)
		sum += f[s];
	free(f);
	return sum;
}

static long double
LongTail(const Wide *p, uint32_t n, uint32_t k)
{
	long double *f = Take(sizeof(long double) * (n + 2));
	uint32_t	low = 0;
	uint32_t	high = 0;
	long double sum = 0;

	f[0] = 1;
	for (uint32_t i = 0; i < n; i++)
	{
		long double yes = (long double) p[i];
		long double no = (long double) (1 - p[i]);

		f[++high] = 0;
		for (uint32_t s = high; s > low; s--)
			f[s] = f[s] * no + f[s - 1] * yes;
		f[low] *= no;
		while (low < high && f[low] < NEGLIGIBLE)
			low++;
		while (low < high && f[high] < NEGLIGIBLE)
			high--;
	}
	for (uint32_t s = high + 1; s-- > low;)
		if (s >= k)
			sum += f[s];
	free(f);
	return sum;
}

/* The probabilities of an itemset, a set of bits. */
static uint32_t
Probabilities(const FimProbableData *data, uint32_t itemset, Wide *p)
{
	const uint64_t *starts = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	const double *values = FIM_PROBABLE_PROBABILITIES(data);
	uint32_t	n = 0;

	for (uint32_t r = 0; r < data->nrows; r++)
	{
		uint32_t	has = 0;
		Wide		product = data->by_entry ? 1 : values[r];

		for (uint64_t e = starts[r]; e < starts[r + 1]; e++)
			if (itemset >> items[e] & 1)
			{
				has |= 1u << items[e];
				if (data->by_entry)
					product *= values[e];
			}
		if (has == itemset)
			p[n++] = product;
	}
	return n;
}

static Wide
Magnitude(Wide x)
{
	return x < 0 ? -x : x;
}

/* Whether a number with an error reaches a threshold, and whether that is clear. */
static bool
Reaches(Wide x, double threshold, Wide error, bool *unclear)
{
	Wide		middle = ((Wide) threshold + nextafter(threshold, -INFINITY)) / 2;

	/* what is exactly there was computed without rounding, or would not be */
	*unclear = x != middle && Magnitude(x - middle) < x * error;
	return x >= middle;
}

Truth *
FindTruth(const FimProbableSpec *spec, const FimProbableData *data)
{
	uint32_t	nsets = 1u << data->nitems;
	Truth	   *truth = Take(sizeof(Truth) * nsets);
	Wide	   *p = Take(sizeof(Wide) * (data->nrows + 1));

	for (uint32_t x = 0; x < nsets; x++)
	{
		Truth	   *of = &truth[x];
		uint32_t	n = Probabilities(data, x, p);
		Wide		roundings = 4 * n + 100;
		bool		is_long = n >= LONG_LIST;

		of->count = n;
		for (uint32_t i = 0; i < n; i++)
			of->expected += p[i];
		of->tail = is_long ? LongTail(p, n, spec->minsup) : Tail(p, n, spec->minsup);
		of->error = roundings * (is_long ? 0x1p-63 : WIDE_ROUNDOFF);
		of->selected = isnan(spec->minprob) ?
			Reaches(of->expected, spec->min_expected, roundings * WIDE_ROUNDOFF, &of->unclear) :
			Reaches(of->tail, spec->minprob, of->error, &of->unclear);
	}
	free(p);
	return truth;
}

/* Whether item has probability 1 wherever the itemset is. */
static bool
SameDistribution(const FimProbableData *data, uint32_t itemset, uint32_t item, const Truth *truth)
{
	const uint64_t *starts = FIM_PROBABLE_STARTS(data);
	const uint32_t *items = FIM_PROBABLE_ITEMS(data);
	const double *values = FIM_PROBABLE_PROBABILITIES(data);

	if (truth[itemset].count != truth[itemset | 1u << item].count)
		return false;
	for (uint32_t r = 0; data->by_entry && r < data->nrows; r++)
	{
		uint32_t	has = 0;
		double		of_item = 0;

		for (uint64_t e = starts[r]; e < starts[r + 1]; e++)
		{
			has |= itemset & 1u << items[e];
			if (items[e] == item)
				of_item = values[e];
		}
		if (has == itemset && of_item != 1)
			return false;
	}
	return true;
}

bool
MarkGiven(const FimProbableSpec *spec, const FimProbableData *data, Truth *truth)
{
	uint32_t	nsets = 1u << data->nitems;
	uint32_t	required = (1u << spec->nrequired) - 1;

	for (uint32_t x = 1; x < nsets; x++)
	{
		uint32_t	length = (uint32_t) __builtin_popcount(x);

		if ((x & required) != required)
			continue;
		if (truth[x].unclear)
			return false;
		truth[x].given = truth[x].selected;
		for (uint32_t i = 0; truth[x].given && spec->kind != FIM_ALL && i < data->nitems; i++)
		{
			if (x >> i & 1)
				continue;
			if (spec->kind == FIM_MAXIMAL ? truth[x | 1u << i].selected : SameDistribution(data, x, i, truth))
				truth[x].given = false;
		}
		truth[x].given &= length >= spec->min_length && length <= spec->max_length;
	}
	return true;
}
