/*-------------------------------------------------------------------------
 *
 * propagate.h
 *	  The strategy "propagate".
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_PROPAGATE_H
#define FIM_EPISODES_PROPAGATE_H

#include "worker.h"

/*
 * The number of units of work of a task.  A unit is a part of a class, and a class has the
 * episodes with the same first type.
 */
extern uint32_t PropagateUnits(const FimEpisodesData *data);

/* Take units until none is left. */
extern FimResult MineByPropagation(Worker *w);

#endif							/* FIM_EPISODES_PROPAGATE_H */
