/*-------------------------------------------------------------------------
 *
 * lists.h
 *	  Notices about columns that may hold lists of items where the call takes each value as one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_LISTS_H
#define GPUFIM_LISTS_H

#include "read/dictionary.h"
#include "read/source.h"

/*
 * Raises a notice if a column's values, each of which is read as one item, may be lists of them:
 * arrays, or arrays in jsonb.  Text with commas may also be a single item, and is only taken for a
 * list if no transaction has more than one item.  "value" is what messages call an item.  To be
 * called after reading and before SourceDisconnect().
 */
extern void NoteLists(const GpufimSource *source, const SourceColumn *column,
					  const Dictionary *values, const char *value, bool single);

#endif							/* GPUFIM_LISTS_H */
