/*-------------------------------------------------------------------------
 *
 * event_sort.h
 *	  Putting the events of a stream in order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_EVENT_SORT_H
#define GPUFIM_EPISODES_EVENT_SORT_H

#include "episodes/event_stream.h"

/*
 * Sort the events by partition and time, and leave out repeated ones.  Where memory is short,
 * this uses PostgreSQL's own sort, with its temporary files.
 */
extern void SortEvents(EventStream *stream);

#endif							/* GPUFIM_EPISODES_EVENT_SORT_H */
