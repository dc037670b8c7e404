/*-------------------------------------------------------------------------
 *
 * named_items.h
 *	  The items of a source that an argument names.
 *
 * Included by items.c, and by functions that are about given items.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_NAMED_ITEMS_H
#define GPUFIM_NAMED_ITEMS_H

#include "read/rows.h"
#include "utils/array.h"

/*
 * Looks up the *n items that a text[] argument names.  Returns their numbers in the
 * dictionary, with DICTIONARY_NONE for items that do not occur in the source; a notice names
 * those.  The caller gives the numbers back by FreeNamedItems().
 */
extern uint32 *FindNamedItems(GpufimRows *rows, ArrayType *names, const char *argument, int *n);
extern void FreeNamedItems(GpufimRows *rows, uint32 *ids, int n);

#endif							/* GPUFIM_NAMED_ITEMS_H */
