/*-------------------------------------------------------------------------
 *
 * segment.h
 *	  Dynamic shared memory segments, for callers that can do without.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SEGMENT_H
#define GPUFIM_SEGMENT_H

#include "postgres.h"

#include "storage/dsm.h"

/*
 * A new segment of the current resource owner's, or NULL if the system has no room
 * for it.
 */
extern dsm_segment *SegmentCreate(Size size);

#endif							/* GPUFIM_SEGMENT_H */
