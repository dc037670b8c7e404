/*-------------------------------------------------------------------------
 *
 * section_sums.c
 *	  Sums over the sections of the stream, see section_sums.h.
 *
 * Sections are gone through in a circle from the one that is on the devices, or from the one
 * before it that begins with a partition: those with halos follow the ones before them.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/section_sums.h"

/* Supports are numbers of events, of which there are fewer than 2^32. */
static cudaError_t
AddSupports(EpisodesJob *job, uint32_t *sums, const CandidateBatch *batch)
{
	for (uint32_t c = 0; c < batch->n; c++)
		sums[c] += batch->support[c];
	return HostWork(job, batch->n);
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

/* Where occurrences may begin in a section, in its own moments: what was known is in those of the one before. */
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
	GpuHostFree(&job->team, sums);
	GpuHostFree(&job->team, batch->free);
	batch->free = NULL;
	return cudaSuccess;
}

/* Bounds are of pairs of events, which may be more than that: then all they say is "many". */
static cudaError_t
AddBounds(EpisodesJob *job, uint32_t *sums, const uint32_t *bounds)
{
	uint64_t	n = (uint64_t) job->data->ntypes * job->data->ngaps * job->data->ntypes;

	for (uint64_t i = 0; i < n; i++)
		sums[i] = (uint32_t) GpuLesser((uint64_t) sums[i] + bounds[i], UINT32_MAX);
	return HostWork(job, n);
}

cudaError_t
BoundPairsInSections(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy, void *of,
					 uint32_t nfrequent, uint32_t **bounds)
{
	uint32_t	first = sections->at;
	uint32_t   *more;

	GPU_TRY(strategy->bound_pairs(job, of, nfrequent, bounds));
	for (uint32_t s = 1; s < sections->n && *bounds != NULL; s++)
	{
		GPU_TRY(SectionsTurnTo(job, sections, (first + s) % sections->n));
		GPU_TRY(strategy->bound_pairs(job, of, nfrequent, &more));
		if (more != NULL)
			GPU_TRY(AddBounds(job, *bounds, more));
		else
		{
			GpuHostFree(&job->team, *bounds);
			*bounds = NULL;
		}
		GpuHostFree(&job->team, more);
	}
	return cudaSuccess;
}
