/*
 * purchases.c
 *	  Pairs of customers and items to measure with, see purchases.h.
 */
#include "purchases.h"

#include <math.h>
#include <stdlib.h>

/* An item of rank 0 is only so much more wanted than that of rank 10. */
#define FLAT_RANKS		10.0

/* A customer has at most this part of all items, so that items that are drawn are soon other ones. */
#define MOST_OF_ITEMS	0.1

double
Draw(uint64_t *state)
{
	uint64_t	z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double) ((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A normal number, by Box and Muller. */
static double
Normal(uint64_t *state)
{
	double		length = sqrt(-2 * log(1 - Draw(state)));

	return length * cos(2 * 3.14159265358979323846 * Draw(state));
}

uint64_t
MakePurchases(uint32_t customers, uint32_t items, uint64_t n, FimSetsPair *pair)
{
	uint32_t   *last = calloc(items, sizeof(uint32_t));	/* the last customer who has each item, + 1 */
	double		mean = (double) n / customers;
	double		range = log((items + FLAT_RANKS) / FLAT_RANKS);
	uint64_t	state = 1;
	uint64_t	made = 0;

	for (uint32_t c = 0; c < customers && last != NULL; c++)
	{
		double		wanted = fmin(mean * exp(Normal(&state) - 0.5), MOST_OF_ITEMS * items);

		for (uint64_t i = (uint64_t) (wanted + Draw(&state)); i > 0 && made < 2 * n;)
		{
			uint32_t	item = (uint32_t) fmin(FLAT_RANKS * (exp(range * Draw(&state)) - 1), items - 1);

			if (last[item] == c + 1)
				continue;
			last[item] = c + 1;
			pair[made++] = (FimSetsPair) {c, item};
			i--;
		}
	}
	free(last);
	return made;
}
