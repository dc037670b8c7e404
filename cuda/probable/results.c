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
#include "records.h"

#define VALUES_AT_ONCE	65536	/* itemsets whose values are computed together */

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

/* ---- values ---- */

/* The required columns, then the member's own. */
static void
CopyColumns(const ProbableJob *job, const Level *level, uint64_t member, uint32_t *to)
{
	for (uint32_t i = 0; i < job->asked->nrequired; i++)
		*to++ = job->nfree + i;
	memcpy(to, level->columns + member * level->k, sizeof(uint32_t) * level->k);
}

/* Compute the values that are lacking among the members from .. to - 1. */
static cudaError_t
ComputeValues(ProbableJob *job, Transactions *t, Judge *judge, Level *level, uint64_t from, uint64_t to,
			  Wanted *wanted, uint32_t *columns)
{
	uint32_t	length = job->asked->nrequired + level->k;
	uint32_t	n = 0;

	for (uint64_t m = from; m < to; m++)
	{
		const Member *member = &level->members[m];

		if (member->is_value || !IsGiven(job, member))
			continue;
		memset(&wanted[n], 0, sizeof(Wanted));
		wanted[n].columns = columns + (size_t) n * length;
		wanted[n].moments = member->moments;
		wanted[n].low = member->low;
		CopyColumns(job, level, m, columns + (size_t) n * length);
		n++;
	}
	GPU_TRY(JudgeValues(job, t, judge, wanted, n, length));
	n = 0;
	for (uint64_t m = from; m < to; m++)
	{
		Member	   *member = &level->members[m];

		if (member->is_value || !IsGiven(job, member))
			continue;
		member->low = wanted[n++].low;
		member->is_value = true;
	}
	return HostWork(job, to - from);
}

static cudaError_t
ComputeLevel(ProbableJob *job, Transactions *t, Judge *judge, Level *level)
{
	uint64_t	room = GpuLesser(level->n, VALUES_AT_ONCE);
	Wanted	   *wanted;
	uint32_t   *columns;

	GPU_TRY(HostTake(job, sizeof(Wanted) * room, (void **) &wanted));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * room * (job->asked->nrequired + level->k), (void **) &columns));
	for (uint64_t m = 0; m < level->n; m += room)
		GPU_TRY(ComputeValues(job, t, judge, level, m, GpuLesser(m + room, level->n), wanted, columns));
	GpuHostFree(&job->team, columns);
	GpuHostFree(&job->team, wanted);
	return cudaSuccess;
}

/* ---- records ---- */

/* The numbers of a member's items, ascending; the required ones are the least. */
static void
NameItems(const ProbableJob *job, const Level *level, uint64_t member, uint32_t *to)
{
	uint32_t	nrequired = job->asked->nrequired;

	for (uint32_t i = 0; i < nrequired; i++)
		to[i] = i;
	for (uint32_t i = 0; i < level->k; i++)
	{
		uint32_t	name = job->name[level->columns[member * level->k + i]];
		uint32_t	at = nrequired + i;

		for (; at > nrequired && to[at - 1] > name; at--)
			to[at] = to[at - 1];
		to[at] = name;
	}
}

/* It was decided that the float8 nearest to the probability is not below minprob. */
static double
ShownProbability(const ProbableJob *job, const Member *member)
{
	return member->low < job->asked->minprob ? job->asked->minprob : member->low;
}

static cudaError_t
GiveMember(ProbableJob *job, const Level *level, uint64_t number, GpuRecords *records)
{
	const Member *member = &level->members[number];
	uint32_t	nitems = job->asked->nrequired + level->k;
	double		probability = ShownProbability(job, member);
	uint32_t   *to;

	if (job->asked->head.count_only)
	{
		GpuCountResult(&job->team);
		return cudaSuccess;
	}
	GPU_TRY(GpuAddRecord(&job->team, records, FIM_PROBABLE_RECORD_WORDS(nitems), &to));
	*to++ = nitems;
	NameItems(job, level, number, to);
	to += nitems;
	memcpy(to, &probability, sizeof(double));
	memcpy(to + 2, &member->moments.mean, sizeof(double));
	to[4] = (uint32_t) member->moments.n;
	return cudaSuccess;
}

cudaError_t
GiveLevel(ProbableJob *job, Transactions *t, Judge *judge, Level *level)
{
	uint32_t	nitems = job->asked->nrequired + level->k;
	GpuRecords	records = {job->sink};

	if (nitems == 0 || nitems < job->asked->min_length || nitems > job->asked->max_length || level->n == 0)
		return cudaSuccess;
	if (job->asked->exact && !job->asked->head.count_only)
		GPU_TRY(ComputeLevel(job, t, judge, level));
	for (uint64_t m = 0; m < level->n; m++)
		if (IsGiven(job, &level->members[m]))
			GPU_TRY(GiveMember(job, level, m, &records));
	return GpuEndRecords(&job->team, &records);
}
