/*-------------------------------------------------------------------------
 *
 * occurrence_rows.h
 *	  Turning occurrences of an episode into rows of the SQL function's result.
 *
 * Included by one_episode.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_OCCURRENCE_ROWS_H
#define GPUFIM_EPISODES_OCCURRENCE_ROWS_H

#include "postgres.h"

#include "episodes/event_stream.h"
#include "fmgr.h"

/*
 * A sink for batches of occurrences of an episode of so many events, which puts them into
 * the function's tuplestore.  Its functions may raise errors.  The stream's events may be
 * gone; its partitions are needed, and ranks[], which says for each of the engine's
 * partitions which of them it is.
 */
extern FimSink *OccurrenceRowsCreate(FunctionCallInfo fcinfo, const EventStream *stream,
									 const uint32 *ranks, uint32 length);

#endif							/* GPUFIM_EPISODES_OCCURRENCE_ROWS_H */
