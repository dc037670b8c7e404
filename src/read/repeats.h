/*-------------------------------------------------------------------------
 *
 * repeats.h
 *	  Rows that are equal to one shortly before them.
 *
 * Included by arrays.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_REPEATS_H
#define GPUFIM_REPEATS_H

#include "read/rows.h"

extern bool LookUpRecord(GpufimRows *rows, uint32 *record, uint32 nentries);

/*
 * A record of entries that are items alone has been filled in, but is not complete,
 * and has room for one entry more.  If rows may be merged, and one shortly before it
 * has the same entries, true is returned: this one is dealt with.
 */
static inline bool
RecordRepeats(GpufimRows *rows, uint32 *record, uint32 nentries)
{
	bool		found = false;

	if (!rows->layout.merged)
		return false;
	if (rows->not_looked_up > 0)
		rows->not_looked_up--;
	else
		found = LookUpRecord(rows, record, nentries);
	if (!found)
	{
		rows->nmerged++;
		rows->nmerged_entries += nentries;
	}
	return found;
}

#endif							/* GPUFIM_REPEATS_H */
