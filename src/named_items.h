/*-------------------------------------------------------------------------
 *
 * named_items.h
 *	  The items of a source that an argument names.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_NAMED_ITEMS_H
#define GPUFIM_NAMED_ITEMS_H

#include "read/rows.h"
#include "utils/array.h"

/* Items by their numbers in the dictionary; DICTIONARY_NONE for those that do not occur in the source. */
typedef struct NamedItems
{
	uint32	   *ids;			/* [n]; NULL if the argument is NULL */
	int			n;
} NamedItems;

/*
 * Looks up the items that a text[] argument names, or none if the argument is NULL.  A notice
 * names those that do not occur in the source.  FreeNamedItems() frees the numbers.
 */
extern NamedItems FindNamedItems(GpufimRows *rows, ArrayType *names, const char *argument);
extern void FreeNamedItems(GpufimRows *rows, NamedItems *named);

/*
 * If "including" names an item that "excluding" names, too, or more items than a result of
 * max_length can have, nothing can be found.  That is no error, but hardly what the user meant,
 * so a notice says so.  The dictionary's stamps are overwritten.
 */
extern void NoteContradictions(GpufimRows *rows, const NamedItems *including,
							   const NamedItems *excluding, uint32 max_length);

#endif							/* GPUFIM_NAMED_ITEMS_H */
