/*-------------------------------------------------------------------------
 *
 * itemsets.h
 *	  Mining itemsets on devices, as the library offers it: see engine/gpu.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_ITEMSETS_H
#define FIM_GPU_ITEMSETS_H

#include "engine/gpu.h"

extern FimResult ItemsetsMine(const FimJob *asked, const FimDatabase *db, FimShared *shared,
							  FimHost *host, FimSink *sink, FimTally *tally);
extern void ItemsetsEstimate(const FimJob *asked, const FimDatabase *db,
							 uint64_t *wanted, uint64_t *least);

#endif							/* FIM_GPU_ITEMSETS_H */
