/*-------------------------------------------------------------------------
 *
 * gminer_memory.h
 *	  Fragments, transaction blocks and other memory of a job of GMiner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GMINER_MEMORY_H
#define FIM_GMINER_MEMORY_H

#include "itemsets/gminer_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The number of fragments. */
extern uint32_t GminerFragments(const Gminer *gminer);

/*
 * Plans for all the memory that there is, and takes it: for the largest fragments that there is
 * room for, and blocks that stay on the devices if they fit.  It leaves by JobLeave() if
 * something fails.
 */
extern void GminerTakeMemory(Gminer *gminer);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GMINER_MEMORY_H */
