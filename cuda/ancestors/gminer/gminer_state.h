/*-------------------------------------------------------------------------
 *
 * gminer_state.h
 *	  The state of a job of GMiner, which its files share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GMINER_STATE_H
#define FIM_GMINER_STATE_H

#include "itemsets/itemsets.h"
#include "itemsets/levels.h"

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
	BitView    *views;			/* of the blocks, or of the slots that they stream through */
} GminerMemory;

typedef struct Gminer
{
	ItemsetJob *job;
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

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GMINER_STATE_H */
