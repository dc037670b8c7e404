/*-------------------------------------------------------------------------
 *
 * chains.h
 *	  Finding the occurrences of candidates on a device: the search for next events and
 *	  Algorithm 2 of Feng, Cao, Patnaik and Ramakrishnan, "Temporal Data Mining for Neuroscience"
 *	  (GPU Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 * An event of the first type of a candidate is a beginning.  The beginnings of all candidates of a
 * group are numbered by candidate and then by event.  A chain is an occurrence as far as it has been
 * found: its beginning, and the moment of the event with which it ends so far.  Two chains that have
 * both in common are kept as one, since the same events can follow them.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CHAINS_H
#define FIM_CHAINS_H

#include "ancestors/episodes/candidate_groups.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * A chain: the number of its beginning among those at hand in the upper 32 bits, and its moment in the lower
 * ones.
 */
typedef uint64_t Chain;

/* The events with which a chain goes on, of the type that comes next: places from "first" on. */
typedef struct NextEvents
{
	uint32_t	first;
	uint32_t	n;
} NextEvents;

/* The beginnings at hand: n of the group's beginnings, from "first" on. */
typedef struct Beginnings
{
	CandidateGroup group;
	const uint64_t *at;			/* [group.n + 1] the first beginning of each candidate */
	uint64_t	first;
	uint32_t	n;
	uint32_t   *candidate;		/* [n] the candidate of each */
	uint32_t   *start;			/* [n] the moment of each */
} Beginnings;

/* Writes a chain for each beginning, and sets the beginnings' candidates and starts. */
extern cudaError_t BeginChains(GpuDevice *device, const Beginnings *beginnings, Chain *chains);

/*
 * Count: sets found[n] to the events at a place of the candidates that each of chains[n] goes on with.  An
 * event that two chains of the same beginning can go on with is found by the first of them only.  The chains
 * are sorted.
 */
extern cudaError_t CountNext(GpuDevice *device, const Beginnings *beginnings, uint32_t place, const Chain *chains,
							 uint32_t n, NextEvents *found);

/*
 * Scan: sets sums[n + 1] to where each chain has to write, and, in sums[n], to the number of all longer
 * chains.
 */
extern cudaError_t ScanScratch(uint32_t n, size_t *bytes);
extern cudaError_t ScanFound(GpuDevice *device, void *scratch, size_t bytes, const NextEvents *found, uint32_t n,
							 uint64_t *sums);

/* Write: puts the longer chains, each chain with each event that it found, to where the sums say. */
extern cudaError_t WriteNext(GpuDevice *device, const Beginnings *beginnings, const Chain *chains, uint32_t n,
							 const NextEvents *found, const uint64_t *sums, Chain *to);

/*
 * All of it at once: writes as many longer chains as there is room for, in any order.  Adds their full number
 * to *total.
 */
extern cudaError_t CompactNext(GpuDevice *device, const Beginnings *beginnings, uint32_t place, const Chain *chains,
							   uint32_t n, Chain *to, uint64_t room, uint64_t *total);

/* Sorts chains.  *sorted becomes the one of the two arrays, "chains" and "other", that then has them. */
extern cudaError_t SortScratch(uint32_t n, size_t *bytes);
extern cudaError_t SortChains(GpuDevice *device, void *scratch, size_t bytes, Chain *chains, Chain *other,
							  uint32_t n, Chain **sorted);

/*
 * Algorithm 2 for each candidate of which there are chains: takes the occurrence that ends first among those
 * that begin after the last one taken ended.  Chains come by their starts and then by their ends.  This order
 * does as well, since of two starts, the later one has no earlier first end than the other.
 */
extern cudaError_t TakeChains(GpuDevice *device, const Beginnings *beginnings, const Chain *chains, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_CHAINS_H */
