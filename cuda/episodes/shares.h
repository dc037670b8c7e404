/*-------------------------------------------------------------------------
 *
 * shares.h
 *	  What each device counts of a batch of candidates, by latest-start propagation.
 *
 * Each candidate is counted on one device.  The lists of those that are found are then made on all devices, see
 * shares.c.  A batch is cut into parts if there is too little memory for all lists that have to be made again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SHARES_H
#define FIM_GPU_SHARES_H

#include "episodes/joining.h"
#include "episodes/lists.h"
#include "episodes/search_strategy.h"

/* A device's share of a part.  Arrays have room for BATCH_ROOM elements if nothing else is said. */
typedef struct Share
{
	/*
	 * On the device, in one block, making_next the host sends, one array after the other.  To count the candidates,
	 * these are the prefixes' lists, and runs, ends and "free", of which extensions are made.  After
	 * counting, lists of prefixes that other devices have counted with, "made" and "making" take the place of
	 * all but the lists.
	 */
	DeviceList *lists;			/* [nlists + other_lists] of the prefixes */
	JoinedRun  *runs;			/* [nruns] */
	EpisodeEnd *ends;			/* [nends] */
	uint32_t   *free;			/* [n] see CandidateBatch; NULL if occurrences may begin anywhere */
	DeviceList *made;			/* [nmade] lists of candidates found on any device */
	Extension  *making;			/* [nmade] extensions that make these lists */

	/* on the device, by candidate of the share */
	Extension  *extensions;
	Pause	   *pauses;
	Counted    *counted;
	void	   *scratch;
	size_t		scratch_bytes;
	Chunk	   *chunks;			/* [CHUNK_ROOM] */

	/* on the host, in pinned memory to which the device writes; valid until the ring's next copies */
	FoundList  *found;

	/* on the host */
	DeviceList *host_lists;		/* [nlists]; once these have been sent, [other_lists] */
	uint32_t	nlists;
	uint32_t	prefix;			/* the episode whose list is the last one */
	uint32_t	other_lists;
	uint32_t	other;			/* the episode whose list is the last one of "other_lists" */
	JoinedRun  *host_runs;
	uint32_t	nruns;
	EpisodeEnd *host_ends;
	uint32_t   *uses;			/* how many extensions have each of the ends */
	uint32_t	nends;
	uint32_t   *host_free;		/* NULL until it is wanted */
	uint32_t	n;				/* candidates */
	FoundList  *host_found;
	DeviceList *host_made;		/* [nmade] */
	Extension  *host_extensions;	/* [nmade] that make these lists */
	uint32_t	nmade;
	Remaking	remaking;
} Share;

/*
 * The lists of pairs of types, if they were made before the pairs are counted.  This is done while a single
 * device counts.
 */
typedef struct PairLists
{
	uint32_t   *address;		/* of all lists, on the device; NULL if they have not been made */
	const PairBound *bound;		/* of all pairs that may be frequent, which say where their lists are */
	uint32_t	next;			/* the first bound behind that of the candidate before */
} PairLists;

typedef struct Propagation
{
	EventStream *stream;
	bool		keeps;			/* lists are kept from level to level, which is done only with a single section */
	KeptLists	lists[2];		/* of the level at hand and of the next one; they change places with each level */
	int			at_hand;		/* the one of the level at hand */
	PairLists	pairs;
	Share		share[FIM_GPU_MAX_DEVICES];
} Propagation;

/* The bytes that a share takes on a device. */
extern uint64_t ShareMemory(void);

extern cudaError_t TakeShare(EpisodesJob *job, GpuDevice *device, Share *share);

/* Candidates of a run that follow each other and are in the same device's share. */
typedef struct Portion
{
	uint32_t	run;
	uint32_t	first;			/* candidate of the batch */
	uint32_t	n;
} Portion;

/*
 * The first portion of a run; and going on to the next portion, of the same run or of the one after it.
 * Behind the last portion, portion->run becomes batch->nruns.
 */
extern Portion FirstPortion(const EpisodesJob *job, const CandidateBatch *batch, uint32_t run);
extern void NextPortion(const EpisodesJob *job, const CandidateBatch *batch, Portion *portion);

/* The device that counts a portion. */
extern int	DeviceOf(const EpisodesJob *job, const Propagation *p, const CandidateBatch *batch, const Portion *portion);

/* Candidates of a batch that are counted together. */
typedef struct Part
{
	uint32_t	first;			/* run */
	uint32_t	end;			/* the first run behind the part */
	uint32_t	found;			/* how many candidates of the batch were found before */
	uint64_t	entries;		/* of the lists of those that are found */
} Part;

/* Shares out the runs from part->first on.  part->end becomes the first run that has to wait for another part. */
extern cudaError_t DividePart(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, Part *part);

/*
 * Have a device find out which of n candidates of its share, which have been counted, are frequent; and wait
 * for them, and copy them to share->host_found.  Nothing must be copied by the device's ring in between.
 */
extern cudaError_t BeginFound(EpisodesJob *job, int device, Share *share, uint32_t n);
extern cudaError_t ReceiveFound(EpisodesJob *job, int device, Share *share);

/*
 * The lists of the next level's episodes, which are made on all devices.
 *
 * A device makes the list of an episode that was found on another one, too, because a candidate is counted many times
 * as fast where its suffix has a list on the same device.
 */

/*
 * Makes the lists of the candidates found in a part, which have been put into the batch and are the last
 * episodes of the next level's lists.  A device does not make those for which it has no memory, or of whose
 * prefixes it has no list.
 */
extern cudaError_t MakeNextLists(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, const Part *part);

#endif							/* FIM_GPU_SHARES_H */
