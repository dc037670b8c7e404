/*-------------------------------------------------------------------------
 *
 * dci.h
 *	  Strategies "dci_transaction" and "dci_candidate": gpuDCI, in its two ways.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DCI_H
#define FIM_DCI_H

#include "ancestors/gpudci/dci_state.h"
#include "itemsets/itemsets.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Mines the job on its team and gives out what it finds.  If something stops it, it leaves by
 * JobLeave().
 */
extern void DciMine(ItemsetJob *job);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DCI_H */
