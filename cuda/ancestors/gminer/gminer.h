/*-------------------------------------------------------------------------
 *
 * gminer.h
 *	  Strategies "tfl" and "hil" of GMiner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_ANCESTORS_GMINER_H
#define GPU_ANCESTORS_GMINER_H

#include "itemsets/itemsets.h"
#include "itemsets/levels.h"

/*
 * The state of a job of GMiner, which its files share.
 */

#ifdef __cplusplus
extern "C"
{
#endif

/* A device's share of a batch, as kernels see it. */
typedef struct Addresses
{
	const uint32_t *rows;		/* [candidates][length] the addresses of each candidate, then GPU_NONE */
	uint32_t   *supports;		/* [candidates] added to */
	uint32_t	length;			/* addresses of a candidate, at most */
} Addresses;

/* A device's share of a batch. */
typedef struct GminerShare
{
	uint32_t	first;			/* its first candidate */
	uint32_t	n;				/* how many it has */
	uint32_t	next;			/* the next one to be counted */
	Addresses	on_device;
} GminerShare;

typedef struct GminerMemory
{
	char	   *batch[2];
	BitView    *views;			/* of the sheets, or of the slots that they stream through */
} GminerMemory;

typedef struct Gminer
{
	ItemsetsJob *job;
	Bitmaps		bitmaps;
	uint32_t	fragment;		/* how many items a fragment has; 1 for TFL */
	uint32_t	fragment_rows;	/* rows of bits of a fragment */
	uint32_t   *map;			/* see Bitmaps */
	uint64_t	batch_bytes;
	GminerMemory memory[FIM_GPU_MAX_DEVICES];
	bool		ready;			/* memory has been taken */
	uint32_t	length;			/* addresses of a candidate of this level, at most */
	GminerShare	shares[2][FIM_GPU_MAX_DEVICES];
	GminerShare *current;		/* the shares of the batch that is counted */
} Gminer;

/*
 * gminer_kernels.cu: What GMiner does on a device.
 *
 * The functions launch a kernel in the stream.  The caller has made the device the current one,
 * and checks afterwards whether the launch failed.
 */

/* Stores the view of a sheet in device memory, where launches for many sheets read it. */
extern void GminerSetView(const BitView *view, BitView *to, cudaStream_t stream);

/*
 * Adds the partial supports that the sheets give to candidates first .. end - 1.  views[] is
 * device memory.
 */
extern void GminerCountPartially(const BitView *views, uint32_t nviews, const Addresses *addresses,
								 uint32_t first, uint32_t end, cudaStream_t stream);

/* The most fragments of a launch, since the second dimension of a grid is limited. */
#define GMINER_MOST_FRAGMENTS	65535

/* Makes the other rows of a sheet's fragments from the rows of single items. */
extern void GminerFillFragments(const BitView *view, uint32_t fragment_rows, uint32_t nfragments,
								cudaStream_t stream);

/*
 * Mines the job on its team and gives out what it finds.  If something stops it, it leaves by
 * JobLeave().
 */
extern void GminerMine(ItemsetsJob *job);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_ANCESTORS_GMINER_H */
