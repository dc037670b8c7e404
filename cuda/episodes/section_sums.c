/*-------------------------------------------------------------------------
 *
 * section_sums.c
 *	  Sums over the sections of the stream, see section_sums.h.
 *
 * Sections are gone through in a circle from the one that is on the devices.  If that one has a
 * halo, it must follow the section before it, so the circle begins with the last section before
 * it that has none.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/section_sums.h"

/* Supports are numbers of events, of which there are fewer than 2^32. */
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
 * Change batch->free, the moments at which occurrences may begin, from moments of the section before to
 * moments of this one.  In a section without a halo, they may begin anywhere.
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

cudaError_t
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
	ChooseFound(batch, job->asked->minsup);
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
		bounds->n += sums[i] >= job->asked->minsup;
	GPU_TRY(GpuHostTake(&job->team, sizeof(PairBound) * bounds->n, (void **) &bounds->bound));
	bounds->n = 0;
	for (uint64_t i = 0; i < npairs; i++)
		if (sums[i] >= job->asked->minsup)
			bounds->bound[bounds->n++] = (PairBound) {(uint32_t) i, sums[i], 0};
	return HostWork(job, 2 * npairs);
}

cudaError_t
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
