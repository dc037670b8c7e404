/*-------------------------------------------------------------------------
 *
 * search.c
 *	  Searching level by level, see search.h.
 *
 * The next level tells which episodes are not closed or not maximal.  So a level is given out
 * when the next one is known where the kind of episodes depends on that.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/results.h"
#include "episodes/search.h"
#include "episodes/section_sums.h"

typedef struct SearchState
{
	EpisodesJob *job;
	Sections   *sections;
	const SearchStrategy *strategy;
	void	   *of;
	Levels		levels;
	CandidateBatch batch;
	uint32_t   *pair_bounds;	/* NULL, or as in SearchStrategy */
} SearchState;

/* ---- candidates ---- */

static cudaError_t
OpenBatch(SearchState *state)
{
	CandidateBatch *batch = &state->batch;
	uint32_t  **words[] = {&batch->prefix, &batch->suffix, &batch->gap, &batch->type, &batch->support};
	GpuArray	arrays[sizeof(words) / sizeof(words[0])];

	batch->levels = &state->levels;
	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
		arrays[w] = (GpuArray) {(void **) words[w], sizeof(uint32_t) * BATCH_ROOM};
	return GpuHostTakeArrays(&state->job->team, arrays, sizeof(words) / sizeof(words[0]));
}

static uint32_t
MissingWith(const SearchState *state, const Level *level, uint32_t prefix, uint32_t type)
{
	const EpisodesJob *job = state->job;
	uint32_t	missing = level->finding[prefix].missing;

	if (job->required != NULL && job->required[type] && !HasType(&state->levels, level->length, prefix, type))
		missing--;
	return missing;
}

/* The candidates that are frequent are episodes of the next level. */
static cudaError_t
TakeBatch(SearchState *state, Level *level, Level *next)
{
	EpisodesJob *job = state->job;
	const CandidateBatch *batch = &state->batch;

	for (uint32_t c = 0; c < batch->n; c++)
	{
		Finding    *prefix = &level->finding[batch->prefix[c]];
		Finding    *suffix = &level->finding[batch->suffix[c]];
		Finding		finding = {batch->support[c], batch->suffix[c], 0, false};

		if (finding.support < job->asked->minsup)
			continue;
		finding.missing = MissingWith(state, level, batch->prefix[c], batch->type[c]);
		prefix->subsumed |= job->asked->kind == FIM_MAXIMAL || prefix->support == finding.support;
		suffix->subsumed |= job->asked->kind == FIM_MAXIMAL || suffix->support == finding.support;
		GPU_TRY(AddEpisode(job, next, batch->prefix[c], batch->gap[c], batch->type[c], &finding));
	}
	return HostWork(job, 4 * (uint64_t) batch->n);
}

/* Count the candidates at hand. */
static cudaError_t
DoBatch(SearchState *state, Level *level, Level *next)
{
	EpisodesJob *job = state->job;
	CandidateBatch *batch = &state->batch;

	if (batch->n == 0)
		return cudaSuccess;
	job->team.candidates += batch->n;
	GPU_TRY(CountInSections(job, state->sections, state->strategy, state->of, batch));
	GPU_TRY(TakeBatch(state, level, next));
	__atomic_fetch_add(&job->team.shared->nodes, batch->n, __ATOMIC_RELAXED);
	batch->n = 0;
	return cudaSuccess;
}

/* An episode with the ends of all episodes from "begin" to end - 1. */
static cudaError_t
AddCandidates(SearchState *state, Level *level, Level *next, uint32_t prefix, uint32_t begin, uint32_t end)
{
	CandidateBatch *batch = &state->batch;

	while (begin < end)
	{
		uint32_t	n = (uint32_t) GpuLesser(BATCH_ROOM - batch->n, end - begin);

		for (uint32_t i = 0; i < n; i++)
		{
			batch->prefix[batch->n + i] = prefix;
			batch->suffix[batch->n + i] = begin + i;
			batch->gap[batch->n + i] = level->gap[begin + i];
			batch->type[batch->n + i] = level->type[begin + i];
		}
		batch->n += n;
		begin += n;
		if (batch->n == BATCH_ROOM)
			GPU_TRY(DoBatch(state, level, next));
	}
	return cudaSuccess;
}

/* Whether there are candidates without so many required types that they and what they are a part of are of no use. */
static bool
CanBeUseless(const EpisodesJob *job)
{
	return job->required != NULL && job->deepest != FIM_NO_LIMIT;
}

/* One candidate more, unless more required types are missing than events can follow. */
static cudaError_t
AddCandidate(SearchState *state, Level *level, Level *next, uint32_t prefix, uint32_t suffix, uint32_t gap)
{
	const EpisodesJob *job = state->job;
	CandidateBatch *batch = &state->batch;
	uint32_t	type = level->type[suffix];

	if (CanBeUseless(job) && MissingWith(state, level, prefix, type) > job->deepest - next->length)
		return cudaSuccess;
	batch->prefix[batch->n] = prefix;
	batch->suffix[batch->n] = suffix;
	batch->gap[batch->n] = gap;
	batch->type[batch->n++] = type;
	return batch->n == BATCH_ROOM ? DoBatch(state, level, next) : cudaSuccess;
}

/* The pairs of a type with all others under a gap, but those that are known not to be frequent. */
static cudaError_t
JoinTypes(SearchState *state, Level *level, Level *next, uint32_t prefix, uint32_t gap)
{
	const FimEpisodesData *data = state->job->data;
	const uint32_t *bounds = state->pair_bounds;

	if (bounds != NULL)
		bounds += ((size_t) level->type[prefix] * data->ngaps + gap) * data->ntypes;
	for (uint32_t s = 0; s < level->n; s++)
		if (bounds == NULL || bounds[level->type[s]] >= state->job->asked->minsup)
			GPU_TRY(AddCandidate(state, level, next, prefix, s, gap));
	return HostWork(state->job, 4 * (uint64_t) level->n);
}

/* All candidates that begin with an episode of the level. */
static cudaError_t
Join(SearchState *state, Level *level, Level *next, uint32_t prefix)
{
	EpisodesJob *job = state->job;
	uint32_t	middle = level->finding[prefix].suffix;
	uint32_t	begin = level->child[middle];
	uint32_t	end = level->child[middle + 1];

	if (level->length == 1)
		for (uint32_t gap = 0; gap < job->data->ngaps; gap++)
			GPU_TRY(JoinTypes(state, level, next, prefix, gap));
	else if (CanBeUseless(job))
		for (uint32_t s = begin; s < end; s++)
			GPU_TRY(AddCandidate(state, level, next, prefix, s, level->gap[s]));
	else
		GPU_TRY(AddCandidates(state, level, next, prefix, begin, end));
	return HostWork(job, 4 * ((uint64_t) end - begin) + 8);
}

/* ---- levels ---- */

/* Level 0 has the empty episode, and level 1 the types that are frequent. */
static cudaError_t
FirstLevels(SearchState *state)
{
	EpisodesJob *job = state->job;
	Level	   *level;

	GPU_TRY(AddLevel(job, &state->levels));
	GPU_TRY(AddLevel(job, &state->levels));
	level = &state->levels.level[1];
	for (uint32_t type = 0; type < job->data->ntypes; type++)
	{
		Finding		finding = {FIM_EPISODES_COUNTS(job->data)[type], 0, job->asked->nrequired, false};

		if (finding.support < job->asked->minsup)
			continue;
		finding.missing -= job->required != NULL && job->required[type];
		GPU_TRY(AddEpisode(job, level, 0, 0, type, &finding));
	}
	return FinishLevel(job, level, 1);
}

/* Find the episodes of the next level.  Progress is told in episodes of this one. */
static cudaError_t
NextLevel(SearchState *state, uint32_t length)
{
	EpisodesJob *job = state->job;
	Level	   *level;
	Level	   *next;

	GPU_TRY(AddLevel(job, &state->levels));
	level = &state->levels.level[length];
	next = level + 1;
	state->batch.extended = next->length < job->deepest;
	GPU_TRY(SectionsLengthen(job, state->sections, next->length));
	if (length == 1 && state->strategy->bound_pairs != NULL)
		GPU_TRY(BoundPairsInSections(job, state->sections, state->strategy, state->of, level->n, &state->pair_bounds));
	for (uint32_t prefix = 0; prefix < level->n; prefix++)
	{
		GPU_TRY(Join(state, level, next, prefix));
		FimUnitDone(job->team.shared);
	}
	GPU_TRY(DoBatch(state, level, next));
	GpuHostFree(&job->team, state->pair_bounds);
	state->pair_bounds = NULL;
	if (state->strategy->end_level != NULL)
		GPU_TRY(state->strategy->end_level(job, state->of));
	return FinishLevel(job, next, level->n);
}

static cudaError_t
DoLevels(SearchState *state)
{
	EpisodesJob *job = state->job;
	uint32_t	length = 1;

	GPU_TRY(OpenBatch(state));
	GPU_TRY(FirstLevels(state));
	while (state->levels.level[length].n > 0)
	{
		bool		last = length >= job->deepest;

		__atomic_fetch_add(&job->team.shared->units, last ? 0 : state->levels.level[length].n, __ATOMIC_RELAXED);
		if (job->asked->kind == FIM_ALL)
			GPU_TRY(GiveEpisodes(job, &state->levels, length));
		if (!last)
			GPU_TRY(NextLevel(state, length));
		if (job->asked->kind != FIM_ALL)
			GPU_TRY(GiveEpisodes(job, &state->levels, length));
		ForgetFindings(job, &state->levels.level[length]);
		if (last)
			break;
		length++;
	}
	return cudaSuccess;
}

cudaError_t
SearchEpisodes(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy, void *of)
{
	SearchState state = {.job = job, .sections = sections, .strategy = strategy, .of = of};

	job->team.shared->units = job->team.shared->units_done = 0;
	return DoLevels(&state);
}
