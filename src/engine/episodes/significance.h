/*-------------------------------------------------------------------------
 *
 * significance.h
 *	  Counting given episodes on surrogates.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SIGNIFICANCE_H
#define FIM_SIGNIFICANCE_H

#include "worker.h"

/* About how many bytes of its host's memory a worker takes for that. */
extern uint64_t SurrogatesWorkerSize(const FimEpisodesJob *job, const FimEpisodesData *data);

/* Take units, which are surrogates, until none is left. */
extern FimResult MineSurrogates(Worker *w);

#endif							/* FIM_SIGNIFICANCE_H */
