/*-------------------------------------------------------------------------
 *
 * settle.c
 *	  Settling itemsets on the host, see settle.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "probable/settle.h"

/* ---- the transactions of a column ---- */

/* Fills in where each column begins. */
static cudaError_t
CountColumns(ProbableJob *job, uint64_t *column_at)
{
	memset(column_at, 0, sizeof(uint64_t) * ((size_t) job->ncolumns + 1));
	for (uint64_t e = 0; e < job->data->entries; e++)
	{
		uint32_t	column = job->column_of[job->items[e]];

		if (column != GPU_NONE)
			column_at[column + 1]++;
		GPU_TRY(HostWork(job, 1));
	}
	for (uint32_t c = 0; c < job->ncolumns; c++)
		column_at[c + 1] += column_at[c];
	return cudaSuccess;
}

static cudaError_t
FillColumns(ProbableJob *job, Settler *settler)
{
	uint64_t   *to = settler->column_at;

	for (uint32_t row = 0; row < job->data->nrows; row++)
	{
		for (uint64_t e = job->starts[row]; e < job->starts[row + 1]; e++)
		{
			uint32_t	column = job->column_of[job->items[e]];

			if (column == GPU_NONE)
				continue;
			settler->rows[to[column]] = row;
			if (job->data->by_entry)
				settler->factors[to[column]] = job->probabilities[e];
			to[column]++;
		}
		GPU_TRY(HostWork(job, 1 + job->starts[row + 1] - job->starts[row]));
	}
	/* filling has moved each column's start to that of the next column */
	memmove(to + 1, to, sizeof(uint64_t) * job->ncolumns);
	to[0] = 0;
	return cudaSuccess;
}

static cudaError_t
MakeColumns(ProbableJob *job, Settler *settler)
{
	uint64_t   *column_at;
	uint64_t	entries;

	if (settler->column_at != NULL)
		return cudaSuccess;
	FimWorkspaceInit(&settler->workspace, job->team.host);
	settler->open = true;
	GPU_TRY(HostTake(job, sizeof(uint64_t) * ((size_t) job->ncolumns + 1), (void **) &column_at));
	GPU_TRY(CountColumns(job, column_at));
	entries = column_at[job->ncolumns];
	GPU_TRY(HostTake(job, sizeof(uint32_t) * entries, (void **) &settler->rows));
	if (job->data->by_entry)
		GPU_TRY(HostTake(job, sizeof(double) * entries, (void **) &settler->factors));
	settler->column_at = column_at;
	return FillColumns(job, settler);
}

/* ---- an itemset ---- */

/*
 * Keeps those of the first nrows rows of "common" that have "column", too, and returns their number.
 * The itemset has "columns" columns, of which this is number "place": under attribute uncertainty,
 * the place of each row among the column's rows is stored at that number of the row's places.
 */
static uint32_t
Intersect(const Settler *settler, uint32_t nrows, uint32_t column, uint32_t columns, uint32_t place)
{
	uint64_t	at = settler->column_at[column];
	uint64_t	end = settler->column_at[column + 1];
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < nrows; i++)
	{
		while (at < end && settler->rows[at] < settler->common[i])
			at++;
		if (at == end)
			break;
		if (settler->rows[at] != settler->common[i])
			continue;
		settler->common[kept] = settler->common[i];
		if (settler->places != NULL)
		{
			memmove(settler->places + (size_t) kept * columns, settler->places + (size_t) i * columns,
					sizeof(uint32_t) * place);
			settler->places[(size_t) kept * columns + place] = (uint32_t) (at - settler->column_at[column]);
		}
		kept++;
	}
	return kept;
}

static uint64_t
RowsOf(const Settler *settler, uint32_t column)
{
	return settler->column_at[column + 1] - settler->column_at[column];
}

/*
 * Finds the rows of an itemset, and sets *nrows to their number: those of its first column, cut down
 * by the others.
 */
static cudaError_t
FindRows(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, uint32_t *nrows)
{
	uint64_t	most;

	GPU_TRY(MakeColumns(job, settler));
	most = RowsOf(settler, columns[0]);
	GPU_TRY(HostGrow(job, (void **) &settler->common, 0, most, &settler->common_room, sizeof(uint32_t)));
	GPU_TRY(HostGrow(job, (void **) &settler->p, 0, most, &settler->p_room, sizeof(double)));
	if (job->data->by_entry)
		GPU_TRY(HostGrow(job, (void **) &settler->places, 0, most * n, &settler->place_room,
						 sizeof(uint32_t)));
	memcpy(settler->common, settler->rows + settler->column_at[columns[0]], sizeof(uint32_t) * most);
	for (uint64_t i = 0; job->data->by_entry && i < most; i++)
		settler->places[i * n] = (uint32_t) i;
	*nrows = (uint32_t) most;
	for (uint32_t c = 1; c < n; c++)
	{
		GPU_TRY(HostWork(job, *nrows + RowsOf(settler, columns[c])));
		*nrows = Intersect(settler, *nrows, columns[c], n, c);
	}
	return cudaSuccess;
}

/* An itemset's probabilities as the engine takes them, with access to the factors of each. */
typedef struct ItemsetChances
{
	FimChances	head;
	const Settler *settler;
	const uint32_t *columns;
} ItemsetChances;

/* The probability of the itemset's column number c in its row number i. */
static double
FactorOf(const ItemsetChances *of, uint32_t i, uint32_t c)
{
	const Settler *settler = of->settler;

	return settler->factors[settler->column_at[of->columns[c]] +
							settler->places[(size_t) i * of->head.nfactors + c]];
}

static void
Factors(const FimChances *chances, uint32_t i, double *factor)
{
	const ItemsetChances *of = (const ItemsetChances *) chances;

	for (uint32_t c = 0; c < chances->nfactors; c++)
		factor[c] = FactorOf(of, i, c);
}

static cudaError_t
FindChances(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, ItemsetChances *of)
{
	uint32_t	nrows;

	GPU_TRY(FindRows(job, settler, columns, n, &nrows));
	memset(of, 0, sizeof(*of));
	of->settler = settler;
	of->columns = columns;
	of->head.n = nrows;
	of->head.p = settler->p;
	of->head.nfactors = job->data->by_entry ? n : 1;
	of->head.error = FimProductError(of->head.nfactors);
	of->head.factors = job->data->by_entry ? Factors : NULL;
	for (uint32_t i = 0; i < nrows; i++)
	{
		settler->p[i] = job->data->by_entry ? 1 : job->probabilities[settler->common[i]];
		for (uint32_t c = 0; job->data->by_entry && c < n; c++)
			settler->p[i] *= FactorOf(of, i, c);
	}
	return HostWork(job, (uint64_t) nrows * n);
}

/* Turns the result of a function of the engine into the error that the device floor has for it. */
static cudaError_t
ErrorOf(ProbableJob *job, FimResult result)
{
	if (result == FIM_OUT_OF_MEMORY)
		return NoMemory(job);
	return result == FIM_DONE ? cudaSuccess : GPU_STOPPED;
}

cudaError_t
SettleItemset(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, bool *reaches,
			  double *value, FimProbableRule *rule)
{
	ItemsetChances of;
	FimSettled	settled;

	GPU_TRY(FindChances(job, settler, columns, n, &of));
	GPU_TRY(ErrorOf(job, FimTailSettle(&settler->workspace, &of.head, job->asked->minsup,
									   job->asked->minprob, job->asked->exact, &settled)));
	*reaches = settled.reaches;
	*value = settled.value;
	*rule = settled.rule;
	return cudaSuccess;
}

cudaError_t
SettleExpectation(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, bool *reaches,
				  double *expected)
{
	ItemsetChances of;
	FimSettled	settled;

	GPU_TRY(FindChances(job, settler, columns, n, &of));
	GPU_TRY(ErrorOf(job, FimExpectationSettle(&settler->workspace, &of.head, job->asked->min_expected,
											  &settled)));
	*reaches = settled.reaches;
	*expected = settled.value;
	return cudaSuccess;
}

cudaError_t
SettleValue(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, double *value)
{
	ItemsetChances of;
	FimSettled	settled;

	GPU_TRY(FindChances(job, settler, columns, n, &of));
	GPU_TRY(ErrorOf(job, FimTailSettle(&settler->workspace, &of.head, job->asked->minsup, NAN, true,
									   &settled)));
	*value = settled.value;
	return cudaSuccess;
}

cudaError_t
SettleCertain(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n, uint32_t column,
			  bool *certain)
{
	uint32_t	nrows;
	uint32_t	place = 0;

	GPU_TRY(FindRows(job, settler, columns, n, &nrows));
	while (columns[place] != column)
		place++;
	*certain = true;
	for (uint32_t i = 0; i < nrows && *certain; i++)
		*certain = settler->factors[settler->column_at[column] + settler->places[(size_t) i * n + place]] == 1;
	return cudaSuccess;
}

void
SettleEnd(Settler *settler)
{
	if (settler->open)
		FimWorkspaceFree(&settler->workspace);
	settler->open = false;
}
