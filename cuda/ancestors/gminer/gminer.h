/*-------------------------------------------------------------------------
 *
 * gminer.h
 *	  Strategies "tfl" and "hil" of GMiner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GMINER_H
#define FIM_GMINER_H

#include "ancestors/gminer/gminer_state.h"
#include "itemsets/itemsets.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Mines the job on its team and gives out what it finds.  If something stops it, it leaves by
 * JobLeave().
 */
extern void GminerMine(ItemsetJob *job);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GMINER_H */
