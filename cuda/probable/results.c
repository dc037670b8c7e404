/*-------------------------------------------------------------------------
 *
 * results.c
 *	  Giving out itemsets, see results.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "probable/results.h"

/*
 * Itemsets stop waiting when there are this many of them, or when the sum of their
 * numbers of transactions is above the second limit, which keeps an H200 busy for about
 * 25 ms.
 */
#define MOST_WAITING		65536
#define MOST_TRANSACTIONS	(UINT64_C(1) << 28)

void
ResultsInit(const ProbableJob *job, Results *results)
{
	memset(results, 0, sizeof(*results));
	results->records.sink = job->sink;
}

static bool
IsGiven(const ProbableJob *job, const Member *member)
{
	switch (job->asked->kind)
	{
		case FIM_CLOSED:
			return (member->flags & HAS_EQUAL) == 0;
		case FIM_MAXIMAL:
			return member->flags == 0;
		default:
			return true;
	}
}

/* ---- records ---- */

/* Writes the numbers of an itemset's items in ascending order; those of the required items are the lowest. */
static void
NameItems(const ProbableJob *job, const uint32_t *columns, uint32_t ncolumns, uint32_t *to)
{
	uint32_t	nrequired = job->asked->nrequired;

	for (uint32_t i = 0; i < nrequired; i++)
		to[i] = i;
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		uint32_t	name = job->name[columns[i]];
		uint32_t	at = nrequired + i;

		for (; at > nrequired && to[at - 1] > name; at--)
			to[at] = to[at - 1];
		to[at] = name;
	}
}

/*
 * The probability to show.  The itemset is selected, so the float8 nearest to its probability is not
 * below minprob, although the lower bound may be.
 */
static double
ShownProbability(const ProbableJob *job, double low)
{
	return low < job->asked->minprob ? job->asked->minprob : low;
}

/* Gives out an itemset that has ncolumns columns besides the required ones. */
static cudaError_t
GiveItemset(ProbableJob *job, const uint32_t *columns, uint32_t ncolumns, const FimMoments *moments, double low,
			GpuRecords *records)
{
	uint32_t	nitems = job->asked->nrequired + ncolumns;
	double		probability = ShownProbability(job, low);
	uint32_t   *to;

	GPU_TRY(GpuAddRecord(&job->team, records, FIM_PROBABLE_RECORD_WORDS(nitems), &to));
	*to++ = nitems;
	NameItems(job, columns, ncolumns, to);
	to += nitems;
	memcpy(to, &probability, sizeof(double));
	memcpy(to + 2, &moments->mean, sizeof(double));
	to[4] = (uint32_t) moments->n;
	return cudaSuccess;
}

/* ---- waiting ---- */

/* Has a member wait.  Its columns become the required ones, then its own. */
static cudaError_t
Wait(ProbableJob *job, const ProbableLevel *level, uint64_t number, Results *results)
{
	const Member *member = &level->members[number];
	uint32_t	nrequired = job->asked->nrequired;
	uint32_t	length = nrequired + level->k;
	Wanted	   *one;
	uint32_t   *to;

	GPU_TRY(HostGrow(job, (void **) &results->wanted, results->n, (uint64_t) results->n + 1,
					 &results->wanted_room, sizeof(Wanted)));
	GPU_TRY(HostGrow(job, (void **) &results->columns, results->ncolumns, results->ncolumns + length,
					 &results->column_room, sizeof(uint32_t)));
	one = &results->wanted[results->n++];
	memset(one, 0, sizeof(*one));
	one->length = length;
	one->moments = member->moments;
	one->low = member->low;
	to = results->columns + results->ncolumns;
	for (uint32_t i = 0; i < nrequired; i++)
		*to++ = job->nfree + i;
	memcpy(to, level->columns + number * level->k, sizeof(uint32_t) * level->k);
	results->ncolumns += length;
	results->transactions += member->moments.n;
	return HostWork(job, 20 + length);
}

cudaError_t
GiveWaiting(ProbableJob *job, Transactions *t, Judge *judge, Results *results)
{
	const uint32_t *columns = results->columns;
	uint32_t	nrequired = job->asked->nrequired;

	for (uint32_t i = 0; i < results->n; i++)
	{
		results->wanted[i].columns = columns;
		columns += results->wanted[i].length;
	}
	GPU_TRY(JudgeValues(job, t, judge, results->wanted, results->n));
	for (uint32_t i = 0; i < results->n; i++)
	{
		const Wanted *one = &results->wanted[i];

		GPU_TRY(GiveItemset(job, one->columns + nrequired, one->length - nrequired, &one->moments, one->low,
							&results->records));
	}
	results->n = 0;
	results->transactions = results->ncolumns = 0;
	return GpuEndRecords(&job->team, &results->records);
}

/* ---- levels ---- */

/* Gives out a member, or has it wait if its value is wanted and not known. */
static cudaError_t
GiveMember(ProbableJob *job, Transactions *t, Judge *judge, const ProbableLevel *level, uint64_t number,
		   Results *results)
{
	const Member *member = &level->members[number];

	if (job->asked->head.count_only)
	{
		GpuCountResult(&job->team);
		return cudaSuccess;
	}
	if (!job->asked->exact || member->is_value)
		return GiveItemset(job, level->columns + number * level->k, level->k, &member->moments, member->low,
						   &results->records);
	if (results->n == MOST_WAITING || results->transactions > MOST_TRANSACTIONS)
		GPU_TRY(GiveWaiting(job, t, judge, results));
	return Wait(job, level, number, results);
}

cudaError_t
GiveLevel(ProbableJob *job, Transactions *t, Judge *judge, const ProbableLevel *level, Results *results)
{
	uint32_t	nitems = job->asked->nrequired + level->k;

	if (nitems == 0 || nitems < job->asked->min_length || nitems > job->asked->max_length)
		return cudaSuccess;
	for (uint64_t m = 0; m < level->n; m++)
		if (IsGiven(job, &level->members[m]))
			GPU_TRY(GiveMember(job, t, judge, level, m, results));
	return GpuEndRecords(&job->team, &results->records);
}
