/*-------------------------------------------------------------------------
 *
 * state_machine.c
 *	  The strategy "state_machine", see automata.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/state_machine.h"
#include "episodes/walkers.h"

static cudaError_t
CountBatch(EpisodesJob *job, void *of, CandidateBatch *batch)
{
	Chosen		all = {.batch = batch, .n = batch->n};

	GPU_TRY(CountByAutomata(job, (const EventStream *) of, &all));
	ChooseFound(batch, job->least);
	return HostWork(job, batch->n);
}

cudaError_t
StateMachineMine(EpisodesJob *job, Sections *sections)
{
	static const SearchStrategy strategy = {.count = CountBatch};

	return SearchEpisodes(job, sections, &strategy, &sections->stream);
}
