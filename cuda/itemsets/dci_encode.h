/*-------------------------------------------------------------------------
 *
 * dci_encode.h
 *	  Batches of candidates as gpuDCI's kernels read them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DCI_ENCODE_H
#define FIM_DCI_ENCODE_H

#include "itemsets/dci_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Gives each device a share of the batch's groups.  All shares have about the same number of candidates. */
extern void DciShareBatch(const Dci *dci, const ItemsetBatch *batch, DciShare *shares);

/*
 * Encodes a share into dci->encoded: tasks, operations, the rows of their items, the rows of
 * the last items, and room for the counts.  Sets share->on_device to where these parts will be
 * once they have been copied to "on_device".  Returns how many bytes are to be copied: all but
 * the counts.
 */
extern size_t DciEncodeShare(Dci *dci, const ItemsetLevel *level, const ItemsetBatch *batch,
							 DciShare *share, char *on_device);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DCI_ENCODE_H */
