/*-------------------------------------------------------------------------
 *
 * occurrence_rows.h
 *	  Turning occurrences of an episode into rows of the SQL function's result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_OCCURRENCE_ROWS_H
#define GPUFIM_EPISODES_OCCURRENCE_ROWS_H

#include "postgres.h"

#include "episodes/event_stream.h"
#include "fmgr.h"

/*
 * A sink for batches of occurrences of an episode of "length" events, which puts them into the
 * function's tuplestore.  Its functions may raise errors.  The stream's events may be freed, but
 * not its partitions.  ranks[] has the rank of each of the engine's partitions, as
 * BuildEpisodesData() sets it; the sink keeps both pointers.
 */
extern FimSink *OccurrenceRowsCreate(FunctionCallInfo fcinfo, const EventStream *stream,
									 const uint32 *ranks, uint32 length);

#endif							/* GPUFIM_EPISODES_OCCURRENCE_ROWS_H */
