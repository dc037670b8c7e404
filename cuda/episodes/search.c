/*-------------------------------------------------------------------------
 *
 * search.c
 *	  Searching level by level, see episodes.h.
 *
 * The next level shows which episodes are not closed or not maximal.  So if only closed or maximal
 * episodes are wanted, a level is given out when the next one is known.
 *
 * First come the levels of episodes, then counting in all sections, then giving out, and then the
 * search with all of this.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/episodes.h"
#include "team.h"

/* ---- levels of episodes ---- */

/* Adds a level without episodes. */
static cudaError_t
AddLevel(EpisodesJob *job, EpisodeLevels *levels)
{
	GPU_TRY(GpuHostRoom(&job->team, (void **) &levels->level, levels->n, levels->n + 1, &levels->room,
						sizeof(EpisodeLevel)));
	memset(&levels->level[levels->n], 0, sizeof(EpisodeLevel));
	levels->level[levels->n].length = levels->n;
	levels->n++;
	return cudaSuccess;
}

/*
 * Makes room for so many more episodes.  Fails for want of memory if 32 bits do not hold their numbers.
 *
 * The arrays of a level have the same room.
 */
static cudaError_t
ReserveEpisodes(EpisodesJob *job, EpisodeLevel *level, uint32_t more)
{
	struct
	{
		void	  **array;
		size_t		size;
	}			arrays[] = {
		{(void **) &level->prefix, sizeof(uint32_t)},
		{(void **) &level->gap, sizeof(uint32_t)},
		{(void **) &level->type, sizeof(uint32_t)},
		{(void **) &level->finding, sizeof(Finding)}
	};
	uint64_t	room = level->room;

	if ((uint64_t) level->n + more >= GPU_NONE)
		return GpuNoMemory(&job->team);
	for (size_t a = 0; a < sizeof(arrays) / sizeof(arrays[0]); a++)
	{
		room = level->room;
		GPU_TRY(GpuHostRoom(&job->team, arrays[a].array, level->n, (uint64_t) level->n + more, &room, arrays[a].size));
	}
	level->room = room;
	return cudaSuccess;
}

/* Adds an episode behind those that are there. */
static cudaError_t
AddEpisode(EpisodesJob *job, EpisodeLevel *level, uint32_t prefix, uint32_t gap, uint32_t type,
		   const Finding *finding)
{
	if (level->n == level->room)
		GPU_TRY(ReserveEpisodes(job, level, 1));
	level->prefix[level->n] = prefix;
	level->gap[level->n] = gap;
	level->type[level->n] = type;
	level->finding[level->n++] = *finding;
	return cudaSuccess;
}

/* Sets child[] of a level whose episodes have all been added; the level before has nprefixes episodes. */
static cudaError_t
FinishLevel(EpisodesJob *job, EpisodeLevel *level, uint32_t nprefixes)
{
	uint32_t	e = 0;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) nprefixes + 1), (void **) &level->child));
	for (uint32_t p = 0; p <= nprefixes; p++)
	{
		uint32_t	before = e;

		while (e < level->n && level->prefix[e] < p)
			e++;
		level->child[p] = e;
		GPU_TRY(HostWork(job, 2 * (1 + (uint64_t) (e - before))));
	}
	return cudaSuccess;
}

/* Frees the findings of a level, once the longer episodes have been found. */
static void
ForgetFindings(EpisodesJob *job, EpisodeLevel *level)
{
	GpuHostFree(&job->team, level->finding);
	level->finding = NULL;
}

void
WriteEpisode(const EpisodeLevels *levels, uint32_t length, uint32_t number, uint32_t *types, uint32_t *gaps)
{
	for (uint32_t k = length; k > 0; k--)
	{
		const EpisodeLevel *level = &levels->level[k];

		types[k - 1] = level->type[number];
		if (k > 1)
			gaps[k - 2] = level->gap[number];
		number = level->prefix[number];
	}
}

/* Whether an episode meets a requirement. */
static bool
Meets(const EpisodesJob *job, const EpisodeLevels *levels, uint32_t length, uint32_t number, uint32_t requirement)
{
	for (uint32_t k = length; k > 0; k--)
	{
		if (job->met_by[levels->level[k].type[number]] == requirement)
			return true;
		number = levels->level[k].prefix[number];
	}
	return false;
}

/* ---- counting in all sections ---- */

/*
 * Sections are gone through in a circle from the one that is on the devices.  If that one has a
 * halo, it must follow the section before it, so the circle begins with the last section before
 * it that has none.
 */

/* A support is at most the number of events, which is below 2^32. */
static cudaError_t
AddSupports(EpisodesJob *job, uint32_t *sums, const CandidateBatch *batch)
{
	for (uint32_t i = 0; i < batch->nfound; i++)
		sums[batch->found[i]] += batch->support[batch->found[i]];
	return HostWork(job, batch->nfound);
}

/* The section to begin with. */
static uint32_t
FirstSection(const Sections *sections)
{
	uint32_t	first = sections->at;

	while (sections->cut[first].halo > 0)
		first--;
	return first;
}

/*
 * Change batch->free, the instants at which occurrences may begin, from instants of the section before to
 * instants of this one.  In a section without a halo, they may begin anywhere.
 */
static cudaError_t
MoveFree(EpisodesJob *job, const Sections *sections, uint32_t section, const CandidateBatch *batch)
{
	const CutSection *cut = &sections->cut[section];
	uint32_t	moved = cut->halo > 0 ? cut->section.first_event - cut[-1].section.first_event : UINT32_MAX;

	for (uint32_t c = 0; c < batch->n; c++)
		batch->free[c] -= (uint32_t) GpuLesser(moved, batch->free[c]);
	return HostWork(job, batch->n);
}

/*
 * Counts a batch in all sections, and fills in what is found in all of them together.  With several sections,
 * each reports all candidates that occur in it, since job->least is 1, and minsup is compared in the end.
 */
static cudaError_t
CountInSections(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy, void *of,
				CandidateBatch *batch)
{
	size_t		bytes = sizeof(uint32_t) * batch->n;
	uint32_t	first = FirstSection(sections);
	uint32_t   *sums;

	if (sections->n == 1)
		return strategy->count(job, of, batch);
	GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &sums));
	memset(sums, 0, bytes);
	if (sections->halos)
	{
		GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &batch->free));
		memset(batch->free, 0, bytes);
	}
	for (uint32_t s = 0; s < sections->n; s++)
	{
		uint32_t	section = (first + s) % sections->n;

		GPU_TRY(SectionsTurnTo(job, sections, section));
		if (sections->halos)
			GPU_TRY(MoveFree(job, sections, section, batch));
		GPU_TRY(strategy->count(job, of, batch));
		GPU_TRY(AddSupports(job, sums, batch));
	}
	memcpy(batch->support, sums, bytes);
	ChooseFound(batch, job->spec->minsup);
	GpuHostFree(&job->team, sums);
	GpuHostFree(&job->team, batch->free);
	batch->free = NULL;
	return cudaSuccess;
}

/*
 * A bound is a number of pairs of events, so the sum may not fit in 32 bits: then it stays at the greatest
 * number.
 */
static cudaError_t
AddBounds(EpisodesJob *job, uint32_t *sums, PairBounds *bounds)
{
	for (uint32_t i = 0; i < bounds->n; i++)
	{
		uint32_t   *sum = &sums[bounds->bound[i].pair];

		*sum = (uint32_t) GpuLesser((uint64_t) *sum + bounds->bound[i].bound, UINT32_MAX);
	}
	GpuHostFree(&job->team, bounds->bound);
	bounds->bound = NULL;
	return HostWork(job, 2 * (uint64_t) bounds->n);
}

/* Make a list of the bounds that reach minsup. */
static cudaError_t
ChooseBounds(EpisodesJob *job, const uint32_t *sums, uint64_t npairs, PairBounds *bounds)
{
	bounds->n = 0;
	for (uint64_t i = 0; i < npairs; i++)
		bounds->n += sums[i] >= job->spec->minsup;
	GPU_TRY(GpuHostTake(&job->team, sizeof(PairBound) * bounds->n, (void **) &bounds->bound));
	bounds->n = 0;
	for (uint64_t i = 0; i < npairs; i++)
		if (sums[i] >= job->spec->minsup)
			bounds->bound[bounds->n++] = (PairBound) {(uint32_t) i, sums[i], 0};
	return HostWork(job, 2 * npairs);
}

/*
 * As bound_pairs() of SearchStrategy, for all sections together.  Bounds are known if they are in each
 * section.
 */
static cudaError_t
BoundPairsInSections(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy, void *of,
					 uint32_t nfrequent, PairBounds *bounds)
{
	uint64_t	npairs = (uint64_t) job->data->ntypes * job->data->ngaps * job->data->ntypes;
	uint32_t	first = sections->at;
	uint32_t   *sums;

	GPU_TRY(strategy->bound_pairs(job, of, nfrequent, bounds));
	if (sections->n == 1 || !bounds->known)
		return cudaSuccess;
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * npairs, (void **) &sums));
	memset(sums, 0, sizeof(uint32_t) * npairs);
	GPU_TRY(AddBounds(job, sums, bounds));
	for (uint32_t s = 1; s < sections->n && bounds->known; s++)
	{
		GPU_TRY(SectionsTurnTo(job, sections, (first + s) % sections->n));
		GPU_TRY(strategy->bound_pairs(job, of, nfrequent, bounds));
		GPU_TRY(AddBounds(job, sums, bounds));
	}
	if (bounds->known)
		GPU_TRY(ChooseBounds(job, sums, npairs, bounds));
	GpuHostFree(&job->team, sums);
	return cudaSuccess;
}

/* ---- giving out ---- */

/* Whether an episode is wanted: it meets all requirements, and is of the job's kind. */
static bool
IsGiven(const EpisodesJob *job, const Finding *finding)
{
	return finding->missing == 0 && (job->spec->kind == FIM_ALL || !finding->subsumed);
}

static cudaError_t
CountEpisodes(EpisodesJob *job, const EpisodeLevel *level)
{
	uint64_t	n = 0;

	for (uint32_t e = 0; e < level->n; e++)
	{
		n += IsGiven(job, &level->finding[e]);
		if (e % EVENTS_AT_ONCE == 0)
			GPU_TRY(HostWork(job, EVENTS_AT_ONCE));
	}
	job->summary[level->length] += n;
	GpuCountResults(&job->team, n);
	return cudaSuccess;
}

static cudaError_t
GiveEpisode(EpisodesJob *job, const EpisodeLevels *levels, uint32_t length, uint32_t number,
			GpuRecords *records)
{
	uint32_t   *to;

	GPU_TRY(GpuAddRecord(&job->team, records, FIM_EPISODES_RECORD_WORDS(length), &to));
	to[0] = length;
	WriteEpisode(levels, length, number, to + 1, to + 1 + length);
	memcpy(to + 2 * (size_t) length, &levels->level[length].finding[number].support, sizeof(uint64_t));
	return cudaSuccess;
}

/*
 * Gives the wanted episodes of a level to the job's sink, or, if the job only counts, adds their number to
 * its summary.
 */
static cudaError_t
GiveEpisodes(EpisodesJob *job, const EpisodeLevels *levels, uint32_t length)
{
	const EpisodeLevel *level = &levels->level[length];
	GpuRecords	records = {job->sink};

	if (length < job->spec->min_length || length > job->longest)
		return cudaSuccess;
	if (job->summary != NULL)
		return CountEpisodes(job, level);
	for (uint32_t e = 0; e < level->n; e++)
		if (IsGiven(job, &level->finding[e]))
			GPU_TRY(GiveEpisode(job, levels, length, e, &records));
	return GpuEndRecords(&job->team, &records);
}

/* ---- the search ---- */

typedef struct SearchState
{
	EpisodesJob *job;
	Sections   *sections;
	const SearchStrategy *strategy;
	void	   *of;
	EpisodeLevels levels;
	CandidateBatch batch;
	PairBounds	pairs;			/* of types, which are the candidates of level 2 */
	uint32_t	next_pair;		/* the first bound that has not been looked at */
} SearchState;

/* ---- the search: candidates ---- */

static cudaError_t
OpenBatch(SearchState *state)
{
	CandidateBatch *batch = &state->batch;
	const GpuArray arrays[] = {
		{(void **) &batch->run, sizeof(CandidateRun) * BATCH_ROOM},
		{(void **) &batch->found, sizeof(uint32_t) * BATCH_ROOM},
		{(void **) &batch->support, sizeof(uint32_t) * BATCH_ROOM}
	};

	batch->levels = &state->levels;
	return GpuHostTakeArrays(&state->job->team, arrays, sizeof(arrays) / sizeof(arrays[0]));
}

/* How many requirements are missing in the episode that extends a prefix by a type. */
static uint32_t
MissingWith(const SearchState *state, const EpisodeLevel *level, uint32_t prefix, uint32_t type)
{
	const EpisodesJob *job = state->job;
	uint32_t	missing = level->finding[prefix].missing;

	if (missing > 0 && job->met_by[type] > 0 &&
		!Meets(job, &state->levels, level->length, prefix, job->met_by[type]))
		missing--;
	return missing;
}

/* Make a frequent candidate an episode of the next level, and note whether it subsumes its prefix and suffix. */
static cudaError_t
TakeCandidate(SearchState *state, EpisodeLevel *level, EpisodeLevel *next, const CandidateRun *run,
			  uint32_t c)
{
	EpisodesJob *job = state->job;
	uint32_t	number = run->suffix + c - run->first;
	uint32_t	gap = run->gap != GPU_NONE ? run->gap : level->gap[number];
	Finding    *prefix = &level->finding[run->prefix];
	Finding    *suffix = &level->finding[number];
	Finding		finding = {state->batch.support[c], number, 0, false};

	finding.missing = MissingWith(state, level, run->prefix, level->type[number]);
	prefix->subsumed |= job->spec->kind == FIM_MAXIMAL || prefix->support == finding.support;
	suffix->subsumed |= job->spec->kind == FIM_MAXIMAL || suffix->support == finding.support;
	return AddEpisode(job, next, run->prefix, gap, level->type[number], &finding);
}

static cudaError_t
TakeBatch(SearchState *state, EpisodeLevel *level, EpisodeLevel *next)
{
	EpisodesJob *job = state->job;
	const CandidateBatch *batch = &state->batch;
	uint32_t	run = 0;

	GPU_TRY(ReserveEpisodes(job, next, batch->nfound));
	for (uint32_t i = 0; i < batch->nfound; i++)
	{
		uint32_t	c = batch->found[i];

		while (EndOfRun(batch, run) <= c)
			run++;
		GPU_TRY(TakeCandidate(state, level, next, &batch->run[run], c));
	}
	return HostWork(job, 2 * (uint64_t) batch->nruns + 10 * (uint64_t) batch->nfound);
}

/* Count the batch at hand, make episodes of what is frequent, and empty it. */
static cudaError_t
DoBatch(SearchState *state, EpisodeLevel *level, EpisodeLevel *next)
{
	EpisodesJob *job = state->job;
	CandidateBatch *batch = &state->batch;

	if (batch->n == 0)
		return cudaSuccess;
	job->team.candidates += batch->n;
	GPU_TRY(CountInSections(job, state->sections, state->strategy, state->of, batch));
	GPU_TRY(TakeBatch(state, level, next));
	__atomic_fetch_add(&job->team.shared->nodes, batch->n, __ATOMIC_RELAXED);
	batch->n = batch->nruns = 0;
	return cudaSuccess;
}

/*
 * Add the candidates that extend an episode by the ends of the episodes from "suffix" to end - 1, under "gap"
 * unless that is GPU_NONE.  The batch is counted whenever it is full.
 */
static cudaError_t
AddCandidates(SearchState *state, EpisodeLevel *level, EpisodeLevel *next, uint32_t prefix, uint32_t suffix,
			  uint32_t end, uint32_t gap)
{
	CandidateBatch *batch = &state->batch;

	while (suffix < end)
	{
		uint32_t	n = (uint32_t) GpuLesser(BATCH_ROOM - batch->n, end - suffix);
		const CandidateRun *last = batch->nruns > 0 ? &batch->run[batch->nruns - 1] : NULL;

		if (last == NULL || last->prefix != prefix || last->gap != gap || last->suffix + (batch->n - last->first) != suffix)
			batch->run[batch->nruns++] = (CandidateRun) {batch->n, prefix, suffix, gap};
		batch->n += n;
		suffix += n;
		if (batch->n == BATCH_ROOM)
			GPU_TRY(DoBatch(state, level, next));
	}
	return cudaSuccess;
}

/* Whether there can be candidates of no use: neither they nor longer episodes can meet all requirements. */
static bool
CanBeUseless(const EpisodesJob *job)
{
	return job->met_by != NULL && job->deepest != FIM_NO_LIMIT;
}

/* Whether a candidate is of use: no more requirements are missing in it than events can follow. */
static bool
IsOfUse(const SearchState *state, const EpisodeLevel *level, uint32_t prefix, uint32_t suffix)
{
	return MissingWith(state, level, prefix, level->type[suffix]) <= state->job->deepest - (level->length + 1);
}

/* As AddCandidates(), but only the candidates that are of use. */
static cudaError_t
AddUseful(SearchState *state, EpisodeLevel *level, EpisodeLevel *next, uint32_t prefix, uint32_t suffix,
		  uint32_t end, uint32_t gap)
{
	if (!CanBeUseless(state->job))
		return AddCandidates(state, level, next, prefix, suffix, end, gap);
	for (uint32_t s = suffix; s < end; s++)
		if (IsOfUse(state, level, prefix, s))
			GPU_TRY(AddCandidates(state, level, next, prefix, s, s + 1, gap));
	return HostWork(state->job, 4 * ((uint64_t) end - suffix));
}

/* Add the candidates of two events that begin with a type and may be frequent by their bounds. */
static cudaError_t
JoinPairs(SearchState *state, EpisodeLevel *level, EpisodeLevel *next, uint32_t prefix)
{
	const FimEpisodesData *data = state->job->data;
	const PairBounds *pairs = &state->pairs;
	uint32_t	of_type = data->ngaps * data->ntypes;
	uint32_t	first = level->type[prefix] * of_type;
	uint32_t	last_gap = 0;
	uint32_t	s = 0;

	while (state->next_pair < pairs->n && pairs->bound[state->next_pair].pair < first)
		state->next_pair++;
	for (; state->next_pair < pairs->n && pairs->bound[state->next_pair].pair - first < of_type; state->next_pair++)
	{
		uint32_t	pair = pairs->bound[state->next_pair].pair - first;
		uint32_t	gap = pair / data->ntypes;
		uint32_t	type = pair % data->ntypes;

		if (gap != last_gap)
			s = 0;
		last_gap = gap;
		while (s < level->n && level->type[s] < type)
			s++;
		if (s < level->n && level->type[s] == type)
			GPU_TRY(AddUseful(state, level, next, prefix, s, s + 1, gap));
		GPU_TRY(HostWork(state->job, 10));
	}
	return HostWork(state->job, data->ngaps * (uint64_t) level->n);
}

/* Add all candidates of two events that begin with a type. */
static cudaError_t
JoinTypes(SearchState *state, EpisodeLevel *level, EpisodeLevel *next, uint32_t prefix)
{
	if (state->pairs.known)
		return JoinPairs(state, level, next, prefix);
	for (uint32_t gap = 0; gap < state->job->data->ngaps; gap++)
		GPU_TRY(AddUseful(state, level, next, prefix, 0, level->n, gap));
	return cudaSuccess;
}

/* Add all candidates that begin with an episode of the level. */
static cudaError_t
Join(SearchState *state, EpisodeLevel *level, EpisodeLevel *next, uint32_t prefix)
{
	uint32_t	middle = level->finding[prefix].suffix;

	if (level->length == 1)
		GPU_TRY(JoinTypes(state, level, next, prefix));
	else
		GPU_TRY(AddUseful(state, level, next, prefix, level->child[middle], level->child[middle + 1], GPU_NONE));
	return HostWork(state->job, 8);
}

/* ---- the search: levels ---- */

/* Make level 0, which stands for the empty episode, and level 1, which has the types that are frequent. */
static cudaError_t
FirstLevels(SearchState *state)
{
	EpisodesJob *job = state->job;
	EpisodeLevel *level;

	GPU_TRY(AddLevel(job, &state->levels));
	GPU_TRY(AddLevel(job, &state->levels));
	level = &state->levels.level[1];
	for (uint32_t type = 0; type < job->data->ntypes; type++)
	{
		Finding		finding = {FIM_EPISODES_COUNTS(job->data)[type], 0, FimRequirements(job->spec), false};

		if (finding.support < job->spec->minsup)
			continue;
		finding.missing -= job->met_by != NULL && job->met_by[type] > 0;
		GPU_TRY(AddEpisode(job, level, 0, 0, type, &finding));
	}
	return FinishLevel(job, level, 1);
}

/* Find the episodes of the next level.  Each episode of this level is a unit of progress. */
static cudaError_t
NextLevel(SearchState *state, uint32_t length)
{
	EpisodesJob *job = state->job;
	EpisodeLevel *level;
	EpisodeLevel *next;

	GPU_TRY(AddLevel(job, &state->levels));
	level = &state->levels.level[length];
	next = level + 1;
	state->batch.extended = next->length < job->deepest;
	GPU_TRY(SectionsLengthen(job, state->sections, next->length));
	if (length == 1 && state->strategy->bound_pairs != NULL)
		GPU_TRY(BoundPairsInSections(job, state->sections, state->strategy, state->of, level->n, &state->pairs));
	for (uint32_t prefix = 0; prefix < level->n; prefix++)
	{
		GPU_TRY(Join(state, level, next, prefix));
		FimUnitDone(job->team.shared);
	}
	GPU_TRY(DoBatch(state, level, next));
	GpuHostFree(&job->team, state->pairs.bound);
	state->pairs = (PairBounds) {false, 0, NULL};
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

		__atomic_fetch_add(&job->team.shared->total, last ? 0 : state->levels.level[length].n, __ATOMIC_RELAXED);
		if (job->spec->kind == FIM_ALL)
			GPU_TRY(GiveEpisodes(job, &state->levels, length));
		if (!last)
			GPU_TRY(NextLevel(state, length));
		if (job->spec->kind != FIM_ALL)
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

	job->team.shared->total = job->team.shared->done = 0;
	return DoLevels(&state);
}
