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

/* As many candidates for each multiprocessor are few: their automata would leave most of it idle. */
#define FEW_CANDIDATES	8

typedef struct TwoPass
{
	EventStream *stream;
	uint32_t   *left;			/* [BATCH_ROOM] the candidates whose bound is high enough */
} TwoPass;

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
	TwoPass    *t = (TwoPass *) of;
	Chosen		all = {.batch = batch, .n = batch->n};
	Chosen		left = {.batch = batch, .number = t->left};

	GPU_TRY(FindUpperBounds(job, t->stream, &all));
	for (uint32_t c = 0; c < batch->n; c++)
		if (batch->support[c] >= job->least)
			t->left[left.n++] = c;
	GPU_TRY(HostWork(job, batch->n));
	if (left.n <= FewCandidates(job))
		return CountByOccurrence(job, t->stream, &left, BY_SCAN);
	return CountByAutomata(job, t->stream, &left);
}

cudaError_t
TwoPassMine(EpisodesJob *job, Sections *sections)
{
	static const SearchStrategy strategy = {.count = CountBatch};
	TwoPass		t = {.stream = &sections->stream};

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * BATCH_ROOM, (void **) &t.left));
	return SearchEpisodes(job, sections, &strategy, &t);
}
