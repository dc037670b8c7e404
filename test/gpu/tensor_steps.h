/*-------------------------------------------------------------------------
 *
 * tensor_steps.h
 *	  A database that strategy tensor mines in several steps a level.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TENSOR_STEPS_H
#define TENSOR_STEPS_H

#include <stdbool.h>

/* Mines it in every way and compares with the CPU engine.  Returns whether something is wrong. */
extern bool CheckTensorSteps(void);

#endif							/* TENSOR_STEPS_H */
