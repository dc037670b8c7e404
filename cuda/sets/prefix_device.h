/*-------------------------------------------------------------------------
 *
 * prefix_device.h
 *	  Similar sets by their rarest keys, on a device.
 *
 * Two sets that have a number of keys in common have one in common among the rarest of each: among all
 * but that number less one (Chaudhuri, Ganti and Kaushik, ICDE 2006; Bayardo, Ma and
 * Srikant, WWW 2007).  An index has the rarest keys of all sets.  A set looks its own up, and
 * meets sets of higher ranks, which are not larger.  Where a key lies in both sets bounds how many
 * may be common (Xiao, Wang, Lin and Yu, WWW 2008).  What is left is counted key by key.
 *
 * A look-up is one of a set's rarest keys, and a meeting is a look-up with an entry of the index.
 * Look-ups and meetings of a unit are numbered, so that warps have equally many meetings, however many
 * a set has.  Two sets that meet several times count where they meet by the rarest key
 * that they have in common.
 *
 * Keys are numbered by frequency, so the rarest of a set are its last ones.
 *
 * All functions put their work into the device's counting stream; the device is the current
 * one.
 *
 * Included by prefix.c and the files with the kernels.
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
	uint64_t   *entry_start;	/* [nvalues + 1] how many keys of lower ranks are in the index */
	uint64_t   *look_up_start;	/* [nvalues + 1] how many keys of lower ranks are looked up */
	uint32_t   *end;			/* [nvalues] sets from this rank on are too small for it */
	uint64_t   *key_start;		/* [nkeys + 1] */
	uint32_t   *rank;			/* the sets of each key, ascending */
} PrefixIndex;

/* The look-ups of the sets of ranks "from" to "to" - 1. */
typedef struct LookUps
{
	uint32_t	from;
	uint32_t	to;
	uint64_t	first;			/* of look_up_start */
	uint32_t	n;
	uint32_t   *rank;			/* [n] the set that looks up */
	uint64_t   *entry;			/* [n] the first that it meets */
	uint64_t   *meeting;		/* [n + 1] the number of its first meeting; at first, how many it has */
} LookUps;

/* Strips are parts of a row with STRIP_CELLS right ranks each. */
typedef struct Meetings
{
	Relations	relations;
	PrefixIndex index;
	LookUps		look_ups;
	uint32_t	per_row;
} Meetings;

/* The keys of the index, by set, with their ranks; index.entry_start is there. */
extern cudaError_t ListEntries(GpuDevice *device, const DeviceSide *side, const PrefixIndex *index, uint32_t *key,
							   uint32_t *rank);

/* Sets rank, entry and how many meetings each look-up has. */
extern cudaError_t FindLookUps(GpuDevice *device, const Meetings *meetings);

/*
 * Adds the cells of the meetings from .. to - 1 that are kept to counts->cells, which is 0 at
 * first, and their results to counts->results.
 */
extern cudaError_t CountMeetings(GpuDevice *device, const Meetings *meetings, uint64_t from, uint64_t to,
								 const StripCounts *counts);

/* Puts the cells of the strips "first" to "end" - 1; next[], 0 at first, is how many of each have been put. */
extern cudaError_t PutMeetings(GpuDevice *device, const Meetings *meetings, uint64_t from, uint64_t to, uint32_t first,
							   uint32_t end, const CellTarget *target, uint32_t *next);

/* ---- prefix_scan.cu ---- */

/* Numbers of meetings, with 0 behind the last one, become their sums before each. */
extern cudaError_t MeetingScanScratch(uint32_t n, size_t *bytes);
extern cudaError_t ScanMeetings(GpuDevice *device, void *scratch, size_t bytes, uint64_t *meeting, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PREFIX_DEVICE_H */
