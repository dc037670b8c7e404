/*-------------------------------------------------------------------------
 *
 * chains.h
 *	  Finding the occurrences of candidates on a device: the search for next events and
 *	  Algorithm 2 of Feng, Cao, Patnaik and Ramakrishnan, "Temporal Data Mining for Neuroscience"
 *	  (GPU Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 * An event of the first type of a candidate is a beginning; beginnings of all candidates of a
 * group are numbered by candidate and event.  A chain is the beginning of an occurrence as far as
 * it has been found: its beginning and the moment of the event where it ends.  Chains with
 * both in common are one, since what follows them is the same.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 * Included by occurrence.c and by the files with these functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CHAINS_H
#define FIM_CHAINS_H

#include "episodes/candidate_groups.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The number of a beginning among those at hand, then the moment: 32 bits each, so that they sort well. */
typedef uint64_t Chain;

/* The events that a chain finds: places, of the type that comes next. */
typedef struct NextEvents
{
	uint32_t	first;
	uint32_t	n;
} NextEvents;

/* The beginnings at hand. */
typedef struct Beginnings
{
	CandidateGroup group;
	const uint64_t *at;			/* [group.n + 1] the first beginning of each candidate */
	uint64_t	first;
	uint32_t	n;
	uint32_t   *candidate;		/* [n] whose each is */
	uint32_t   *start;			/* [n] its moment */
} Beginnings;

/* One chain for each beginning, whose candidate and start are set. */
extern cudaError_t BeginChains(GpuDevice *device, const Beginnings *beginnings, Chain *chains);

/* Count: what each of the chains finds of the type at a place that no chain of the same beginning has. */
extern cudaError_t CountNext(GpuDevice *device, const Beginnings *beginnings, uint32_t place, const Chain *chains,
							 uint32_t n, NextEvents *found);

/* Scan: where each chain has to write, and in sums[n] the number of all. */
extern cudaError_t ScanScratch(uint32_t n, size_t *bytes);
extern cudaError_t ScanFound(GpuDevice *device, void *scratch, size_t bytes, const NextEvents *found, uint32_t n,
							 uint64_t *sums);

/* Write: each chain with each event that it found. */
extern cudaError_t WriteNext(GpuDevice *device, const Beginnings *beginnings, const Chain *chains, uint32_t n,
							 const NextEvents *found, const uint64_t *sums, Chain *to);

/* Both at once: as many as there is room for, in any order; *total becomes the number of all. */
extern cudaError_t CompactNext(GpuDevice *device, const Beginnings *beginnings, uint32_t place, const Chain *chains,
							   uint32_t n, Chain *to, uint64_t room, uint64_t *total);

/* Sorts chains; *sorted becomes the one of the two arrays that has them then. */
extern cudaError_t SortScratch(uint32_t n, size_t *bytes);
extern cudaError_t SortChains(GpuDevice *device, void *scratch, size_t bytes, Chain *chains, Chain *other,
							  uint32_t n, Chain **sorted);

/*
 * Algorithm 2 for each candidate of which there are chains: takes what ends first and
 * begins later than what was taken last.  Chains come by their starts and then by their
 * ends, which is as good: of two starts, the later one has no earlier end than the other.
 */
extern cudaError_t TakeChains(GpuDevice *device, const Beginnings *beginnings, const Chain *chains, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_CHAINS_H */
