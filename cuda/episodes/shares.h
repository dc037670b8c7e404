/*-------------------------------------------------------------------------
 *
 * shares.h
 *	  What each device counts of a batch of candidates, by latest-start propagation.
 *
 * Lists stay on the device where they were made: the pairs of types are shared out among the
 * devices, and with them all episodes that begin like them.  A batch is cut into parts if there is
 * too little memory for lists that have to be made again.
 *
 * Included by propagate.c and shares.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SHARES_H
#define FIM_GPU_SHARES_H

#include "episodes/joining.h"
#include "episodes/kept_lists.h"
#include "episodes/remake.h"
#include "episodes/search_strategy.h"

/* A device's share of a part; arrays have BATCH_ROOM elements if nothing else is said. */
typedef struct Share
{
	/*
	 * On the device, what the host sends, one array after the other: first the prefixes' lists and what
	 * extensions are made of, then, behind the lists, what makes those of the candidates that are frequent.
	 */
	DeviceList *lists;
	JoinedRun  *runs;
	EpisodeEnd *ends;
	uint32_t   *free;			/* see CandidateBatch */
	DeviceList *made;
	Extension  *making;

	Extension  *extensions;
	Pause	   *pauses;
	Counted    *counted;
	void	   *scratch;
	size_t		scratch_bytes;
	Chunk	   *chunks;			/* [CHUNK_ROOM] */

	/* on the host, in pinned memory to which the device writes it; valid until the ring's next copies */
	FoundList  *found;

	/* on the host */
	DeviceList *host_lists;
	uint32_t	nlists;
	uint32_t	prefix;			/* whose list is the last one */
	JoinedRun  *host_runs;
	uint32_t	nruns;
	EpisodeEnd *host_ends;
	uint32_t   *uses;			/* extensions with each of the ends */
	uint32_t	nends;
	uint32_t   *host_free;		/* NULL until it is wanted */
	uint32_t	n;				/* candidates */
	FoundList  *host_found;
	Extension  *host_extensions;	/* to make the lists of those found */
	DeviceList *host_made;		/* in the place of the prefixes' lists, once these have been sent */
	uint32_t	nmade;
	Remaking	remaking;
} Share;

/* The lists of pairs of types where they are there before the pairs are counted, on the only device. */
typedef struct PairLists
{
	uint32_t   *address;		/* NULL: they are not there */
	const PairBound *bound;		/* of each pair in question, which says where its list is */
	uint32_t	next;			/* the first bound that no candidate before had */
} PairLists;

typedef struct Propagation
{
	EventStream *stream;
	bool		keeps;			/* lists, from one level to the next: not those of one section out of many */
	KeptLists	lists[2];		/* of the level at hand and of the next one, by turns */
	int			at_hand;
	PairLists	pairs;
	Share		share[FIM_GPU_MAX_DEVICES];
} Propagation;

/* The bytes that a share takes on a device. */
extern uint64_t ShareMemory(void);

extern cudaError_t TakeShare(EpisodesJob *job, GpuDevice *device, Share *share);

/* Candidates of a run that are in the same device's share. */
typedef struct Portion
{
	uint32_t	run;
	uint32_t	first;			/* candidate of the batch */
	uint32_t	n;
} Portion;

/* The first portion of a run, and the next one, if there is any, of the same run or of the one after it. */
extern Portion FirstPortion(const EpisodesJob *job, const CandidateBatch *batch, uint32_t run);
extern void NextPortion(const EpisodesJob *job, const CandidateBatch *batch, Portion *portion);

/* The device that counts a portion. */
extern int	DeviceOf(const EpisodesJob *job, const Propagation *p, const CandidateBatch *batch, const Portion *portion);

/* Shares out the runs from "first" on; *end becomes the first one that has to wait for the next part. */
extern cudaError_t DividePart(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, uint32_t first,
							  uint32_t *end);

/* A candidate of the share.  *run is a run up to its own, at first 0, and becomes its own. */
extern Extension ExtensionAt(const Share *share, uint32_t number, uint32_t *run);

/* What a device finds of so many candidates of its share, which have been counted; nothing is copied in between. */
extern cudaError_t BeginFound(EpisodesJob *job, int device, Share *share, uint32_t n);
extern cudaError_t ReceiveFound(EpisodesJob *job, int device, Share *share);

#endif							/* FIM_GPU_SHARES_H */
