/*-------------------------------------------------------------------------
 *
 * dci_drop.h
 *	  Dropping transactions from the bitmaps of gpuDCI.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DCI_DROP_H
#define FIM_DCI_DROP_H

#include "ancestors/gpudci/dci_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Drops, from bitmaps that stay on the devices, the bits of transactions that have
 * fewer live items than the next level's itemsets are long, if that pays.  The rows of
 * dead items stay, but nothing reads them.
 */
extern void DciDropOnDevice(Dci *dci, const ItemsetLevel *level);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DCI_DROP_H */
