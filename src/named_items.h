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
 * The numbers in the dictionary of the items that a text[] argument names, *n of them,
 * DICTIONARY_NONE for those that no transaction has, which a notice names.  The caller
 * frees them.
 */
extern uint32 *FindNamedItems(GpufimRows *rows, ArrayType *names, const char *argument, int *n);
extern void FreeNamedItems(GpufimRows *rows, uint32 *ids, int n);

#endif							/* GPUFIM_NAMED_ITEMS_H */
