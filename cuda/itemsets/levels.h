/*-------------------------------------------------------------------------
 *
 * levels.h
 *	  Mining level by level, which the strategies dci and gminer share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LEVELS_H
#define FIM_LEVELS_H

#include "itemsets/levels_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Mines the whole job by a strategy, of which "of" is the state. */
extern void LevelsMine(ItemsetJob *job, const LevelCounter *counter, void *of);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LEVELS_H */
