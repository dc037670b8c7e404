/*-------------------------------------------------------------------------
 *
 * job_state.c
 *	  The state of a job in the backend that has it done.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "work/job_state.h"

void
JobMarkCrowded(Job *job)
{
	job->crowded = true;
	job->task.shared->cancel = 1;
}

void
JobRaiseCrowded(Job *job)
{
	JobMarkCrowded(job);
	ereport(ERROR,
			(errcode(ERRCODE_JOB_CROWDED),
			 errmsg_internal("there is no memory for results beside gpufim workers")));
	pg_unreachable();
}

void
JobShowStrategies(const Job *job, uint32 used)
{
	const FimFamily *family = job->task.family;
	const char *const *names = job->on_gpu ? family->gpu_strategies : family->strategies;
	char	   *to = CurrentRun->strategy;

	if (used == 0)
		return;
	to[0] = '\0';
	for (int i = 0; names[i] != NULL; i++)
	{
		if ((used >> i & 1) == 0)
			continue;
		if (to[0] != '\0')
			strlcat(to, ", ", NAMEDATALEN);
		strlcat(to, names[i], NAMEDATALEN);
	}
}

void
JobShowProgress(const Job *job)
{
	const FimShared *shared = job->task.shared;

	if (!job->on_gpu)
		JobShowStrategies(job, shared->strategies);
	CurrentRun->done = shared->units_done;
	CurrentRun->total = shared->units;
	CurrentRun->nodes = shared->nodes;
	if (job->own_job->count_only)
		CurrentRun->results = shared->results;
}
