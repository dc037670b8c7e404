/*-------------------------------------------------------------------------
 *
 * uncertain_rows.c
 *	  Uncertain transactions, see uncertain_rows.h.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "gpu_library.h"
#include "uncertain_rows.h"

void *
Take(size_t bytes)
{
	void	   *address = calloc(bytes + 1, 1);

	if (address == NULL)
		Die("out of memory");
	return address;
}

void
FreeRows(UncertainRows *of)
{
	free(of->starts);
	free(of->items);
	free(of->p);
}

FimProbableData *
BuildData(const UncertainRows *of)
{
	uint64_t	entries = of->starts[of->nrows];
	size_t		size = FimProbableBound(of->nrows, entries, of->nitems, of->by_entry);
	FimProbableData *data = Take(size);
	TestHost	host;

	FimProbableBegin(data, size, of->nrows, entries, of->nitems, of->by_entry);
	for (uint32_t r = 0; r < of->nrows; r++)
		FimProbableAdd(data, of->items + of->starts[r], of->by_entry ? of->p + of->starts[r] : NULL,
					   (uint32_t) (of->starts[r + 1] - of->starts[r]), of->by_entry ? 0 : of->p[r]);
	HostInit(&host);
	if (!FimProbableFinish(data, &host.base))
		Die("the data cannot be completed");
	return data;
}

/* "equal" is what all are in a database of equal ones. */
static double
RandomProbability(Rng *rng, Shape shape, double equal)
{
	switch (shape)
	{
		case UNIFORM:
			return RngUnit(rng);
		case HALVES:
			return 0.5;
		case TENTHS:
			return RngBelow(rng, 11) / 10.0;
		case TINY:
			return pow(RngUnit(rng), 20);
		case NEARLY_ONE:
			return 1 - pow(RngUnit(rng), 10) * 0.1;
		case ONES:
			return RngChance(rng, 0.6) ? 1 : RngUnit(rng);
		case EQUAL:
			return equal;
		case EQUAL_SMALL:
			return equal / 4;
		default:
			return RandomProbability(rng, (Shape) RngBelow(rng, MIXED), equal);
	}
}

void
RandomRows(UncertainRows *of, Rng *rng, uint32_t nrequired, Shape shape)
{
	double		density = 0.2 + 0.8 * RngUnit(rng);
	double		equal = 0.05 + 0.9 * RngUnit(rng);

	of->starts = Take(sizeof(uint64_t) * (of->nrows + 1));
	of->items = Take(sizeof(uint32_t) * (size_t) of->nrows * of->nitems);
	of->p = Take(sizeof(double) * (size_t) of->nrows * (of->nitems + 1));
	for (uint32_t r = 0; r < of->nrows; r++)
	{
		uint64_t	n = of->starts[r];

		for (uint32_t i = 0; i < of->nitems; i++)
			if (i < nrequired || RngChance(rng, density))
				of->items[n++] = i;
		of->starts[r + 1] = n;
		if (!of->by_entry)
			of->p[r] = RandomProbability(rng, shape, equal);
		for (uint64_t e = of->starts[r]; of->by_entry && e < n; e++)
		{
			of->p[e] = RandomProbability(rng, shape, equal);
			/* the caller leaves out rows that lack a required item */
			if (of->items[e] < nrequired && of->p[e] == 0)
				of->p[e] = 0.25;
		}
	}
}

FimProbableData *
PrepareForCpu(FimProbableData *data)
{
	size_t		size = FimProbableFamily.cpu_size != NULL ? FimProbableFamily.cpu_size(&data->head) :
		data->head.size;
	TestHost	host;

	HostInit(&host);
	data = realloc(data, size);
	assert(data != NULL);
	if (FimProbableFamily.cpu_prepare != NULL)
		FimProbableFamily.cpu_prepare(&data->head, &host.base);
	return data;
}
