/*-------------------------------------------------------------------------
 *
 * gminer_addresses.h
 *	  The addresses of GMiner's candidates.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GMINER_ADDRESSES_H
#define FIM_GMINER_ADDRESSES_H

#include "itemsets/gminer_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Candidates of a batch that are written together. */
typedef struct GminerEncoding
{
	const Gminer *gminer;
	const ItemsetLevel *level;
	const ItemsetBatch *batch;
	uint32_t	first;
	uint32_t	end;
	uint32_t   *to;				/* [end - first][gminer->length] */
} GminerEncoding;

/*
 * Writes the addresses of the candidates, with threads of the host.  It leaves by JobLeave() if the
 * job is to stop.
 */
extern void GminerEncode(const GminerEncoding *encoding);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GMINER_ADDRESSES_H */
