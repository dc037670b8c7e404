/*-------------------------------------------------------------------------
 *
 * prefix_device.h
 *	  Similar sets by their rarest keys, on a device.
 *
 * Two sets that have at least k keys in common have one in common among the rarest keys of each: among
 * all keys of the set but its k - 1 most frequent ones (Chaudhuri, Ganti and Kaushik, ICDE 2006; Bayardo,
 * Ma and Srikant, WWW 2007).  An index has the rarest keys of all sets.  A set looks up its own rarest
 * keys there, and meets the sets of higher ranks that have them; these are not larger.  The place of
 * the key in both sets bounds how many keys they can have in common (Xiao, Wang, Lin and Yu, WWW
 * 2008).  If that may be enough, the common keys are counted.
 *
 * A look-up is one of a set's rarest keys, and a meeting is a look-up with an entry of the index.
 * The look-ups and the meetings of a unit are numbered, so that all warps get equally many meetings,
 * however many a set has.  Two sets that meet several times are counted only where they meet by the
 * rarest key that they have in common.
 *
 * Keys are numbered by frequency, so the rarest keys of a set are its last ones.
 *
 * All functions put their work into the device's counting stream.  The device must be the
 * current one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PREFIX_DEVICE_H
#define FIM_PREFIX_DEVICE_H

#include "sets/strips.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The index, and what is known of each set; device addresses. */
typedef struct PrefixIndex
{
	uint64_t   *entry_start;	/* [nvalues + 1] by rank: number of index entries of all lower ranks */
	uint64_t   *look_up_start;	/* [nvalues + 1] by rank: number of look-ups of all lower ranks */
	uint32_t   *end;			/* [nvalues] sets from this rank on are too small to be similar to the set */
	uint64_t   *key_start;		/* [nkeys + 1] where each key's sets begin in "rank" */
	uint32_t   *rank;			/* [entries] the sets with each key among their rarest, ascending for each */
} PrefixIndex;

/* The look-ups of the sets of ranks from .. to - 1, which are a unit. */
typedef struct LookUps
{
	uint32_t	from;
	uint32_t	to;
	uint64_t	first;			/* look_up_start of rank "from" */
	uint32_t	n;				/* look-ups */
	uint32_t   *rank;			/* [n] the set that looks up */
	uint64_t   *entry;			/* [n] the entry of its first meeting, into PrefixIndex.rank */
	uint64_t   *meeting;		/* [n + 1] the number of its first meeting; until the scan, how many it has */
} LookUps;

/* A unit.  A strip is a part of a row that has STRIP_CELLS right ranks; each row has per_row strips. */
typedef struct Meetings
{
	Relations	relations;
	PrefixIndex index;
	LookUps		look_ups;
	uint32_t	per_row;
} Meetings;

/* Writes the entries of the index to "key" and "rank", set by set.  index->entry_start must be set. */
extern cudaError_t ListEntries(GpuDevice *device, const DeviceSide *side, const PrefixIndex *index, uint32_t *key,
							   uint32_t *rank);

/* Fills in rank, entry and the number of meetings of each look-up. */
extern cudaError_t FindLookUps(GpuDevice *device, const Meetings *meetings);

/*
 * Counts the cells of the meetings from .. to - 1 that are kept: adds them to counts->cells of their
 * strips, which must be 0 before the first launch, and their results to *counts->results.
 */
extern cudaError_t CountMeetings(GpuDevice *device, const Meetings *meetings, uint64_t from, uint64_t to,
								 const StripCounts *counts);

/*
 * Writes the cells of the meetings from .. to - 1 that are kept and lie in strips first .. end - 1.
 * next[s] is how many cells of strip s have been written; it must be 0 before the first launch.
 */
extern cudaError_t PutMeetings(GpuDevice *device, const Meetings *meetings, uint64_t from, uint64_t to, uint32_t first,
							   uint32_t end, const CellTarget *target, uint32_t *next);

/* ---- prefix_scan.cu ---- */

/*
 * ScanMeetings() turns the n + 1 numbers in "meeting", the last of which is 0, into the sums of those before
 * each, with scratch memory of MeetingScanScratch().
 */
extern cudaError_t MeetingScanScratch(uint32_t n, size_t *bytes);
extern cudaError_t ScanMeetings(GpuDevice *device, void *scratch, size_t bytes, uint64_t *meeting, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PREFIX_DEVICE_H */
