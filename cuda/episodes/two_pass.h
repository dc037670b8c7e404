/*-------------------------------------------------------------------------
 *
 * two_pass.h
 *	  The strategy "two_pass": upper bounds first, and then the candidates whose bounds are high
 *	  enough are counted in one of the two other ways, depending on how many they are.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_TWO_PASS_H
#define FIM_GPU_TWO_PASS_H

#include "episodes/sections.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The sections' form must be STREAM_BY_EVENT. */
extern cudaError_t TwoPassMine(EpisodesJob *job, Sections *sections);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_TWO_PASS_H */
