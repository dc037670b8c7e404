/*-------------------------------------------------------------------------
 *
 * next_lists.h
 *	  The lists of the next level's episodes, which are made on all devices.
 *
 * A device makes the list of an episode that was found on another one, too, because a candidate is counted many times
 * as fast where its suffix has a list on the same device.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_NEXT_LISTS_H
#define FIM_GPU_NEXT_LISTS_H

#include "episodes/shares.h"

/*
 * Makes the lists of the candidates found in a part, which have been put into the batch and are the last
 * episodes of the next level's lists.  A device does not make those for which it has no memory, or of whose
 * prefixes it has no list.
 */
extern cudaError_t MakeNextLists(EpisodesJob *job, Propagation *p, const CandidateBatch *batch, const Part *part);

#endif							/* FIM_GPU_NEXT_LISTS_H */
