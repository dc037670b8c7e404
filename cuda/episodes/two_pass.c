/*-------------------------------------------------------------------------
 *
 * two_pass.c
 *	  PreElim and the hybrid algorithm of Feng, Cao, Patnaik and Ramakrishnan, "Temporal
 *	  Data Mining for Neuroscience" (GPU Computing Gems, Emerald Edition, 2011, chapter
 *	  15), see two_pass.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/occurrence.h"
#include "episodes/two_pass.h"
#include "episodes/walkers.h"

/* Up to so many candidates for each multiprocessor are few: a thread for each would leave most of it idle. */
#define FEW_CANDIDATES	8

static uint32_t
FewCandidates(const EpisodesJob *job)
{
	uint32_t	few = 0;

	for (int d = 0; d < job->team.ndevices; d++)
		few += (uint32_t) job->team.devices[d]->processors * FEW_CANDIDATES;
	return few;
}

static cudaError_t
CountBatch(EpisodesJob *job, void *of, CandidateBatch *batch)
{
	const EventStream *stream = (const EventStream *) of;
	Chosen		all = {.batch = batch, .n = batch->n};
	Chosen		left = {.batch = batch, .number = batch->found};

	GPU_TRY(FindUpperBounds(job, stream, &all));
	ChooseFound(batch, job->least);
	GPU_TRY(HostWork(job, batch->n));
	left.n = batch->nfound;
	if (left.n <= FewCandidates(job))
		GPU_TRY(CountByChains(job, stream, &left, BY_SCAN));
	else
		GPU_TRY(CountByAutomata(job, stream, &left));
	ChooseFound(batch, job->least);
	return HostWork(job, batch->n);
}

cudaError_t
TwoPassMine(EpisodesJob *job, Sections *sections)
{
	static const SearchStrategy strategy = {.count = CountBatch};

	return SearchEpisodes(job, sections, &strategy, &sections->stream);
}
