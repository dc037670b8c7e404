/*-------------------------------------------------------------------------
 *
 * listing.h
 *	  Writes itemsets as text, a line each: "item item ... (support)".
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LISTING_H
#define FIM_LISTING_H

#include "engine/engine.h"

#define NAME_ROOM		16

typedef struct Name
{
	char		text[NAME_ROOM - 1];	/* "123 " */
	uint8_t		length;
} Name;

typedef struct Writer
{
	FimSink		sink;
	const Name *names;			/* by the item's number in the database */
	int			fd;
	char	   *buffer;
	size_t		used;
	uint32_t   *path;			/* the itemset of the last record */
	size_t		path_room;
	char	   *stable;			/* text of the path's first nstable items */
	size_t	   *stable_end;		/* [nstable + 1], where the text of each stable item ends */
	uint32_t	nstable;
	uint32_t	last_support;
	char		support_text[16];
	size_t		support_length;
	uint64_t	written;
} Writer;

/* Returns the items' texts as they are written; the caller frees them with free(). */
extern Name *MakeNames(const uint32_t *values, uint32_t nitems);

/* Each worker has a writer of its own; all of them write to fd, whole lines at a time. */
extern void BeginWriting(Writer *w, const Name *names, int fd);
extern void EndWriting(Writer *w);

#endif							/* FIM_LISTING_H */
