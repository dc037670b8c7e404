/*-------------------------------------------------------------------------
 *
 * cuda_standin.h
 *	  A stand-in for the CUDA runtime that tests of host code are linked with.
 *
 * It has two devices, whose memory is the host's.  All work is done at once, so that
 * streams and events do nothing.  Only the second device has memory pools.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CUDA_STANDIN_H
#define CUDA_STANDIN_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#define STANDIN_DEVICES	2

typedef struct Standin
{
	uint64_t	calls;			/* that can fail, so far */
	uint64_t	fail_at;		/* this call of them fails, once; 0: none does */
	cudaError_t error;			/* with this error */
	uint64_t	not_ready;		/* so many queries of events say that they are not reached */
	int64_t		live;			/* blocks of device memory that were not given back */
	bool		failed;			/* the call that was to fail has been made */
	int			reaching;		/* the last device that was let reach another one's memory */
} Standin;

extern Standin standin;

#endif							/* CUDA_STANDIN_H */
