/*-------------------------------------------------------------------------
 *
 * dci_memory.h
 *	  Memory of a job of gpuDCI: bitmaps, batches of candidates and caches of intersections.
 *
 * The functions leave by JobLeave() if something fails.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DCI_MEMORY_H
#define FIM_DCI_MEMORY_H

#include "itemsets/dci_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Memory is set aside for this many thread blocks of each multiprocessor. */
#define DCI_THREAD_BLOCKS	16

/* The fewest bytes that a batch may have: it must hold one candidate, however long candidates get. */
extern uint64_t DciLeastBatch(const Dci *dci);

/* Plans for all the memory that there is, and takes it on the devices and on the host. */
extern void DciTakeMemory(Dci *dci);

/* Gives back what the job has on the devices. */
extern void DciFreeMemory(Dci *dci);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DCI_MEMORY_H */
