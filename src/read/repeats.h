/*-------------------------------------------------------------------------
 *
 * repeats.h
 *	  Rows that are equal to one shortly before them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_REPEATS_H
#define GPUFIM_REPEATS_H

#include "read/rows.h"

extern bool LookUpRecord(GpufimRows *rows, uint32 *record, uint32 nentries);

/*
 * Counts a row in the record of an equal row shortly before it, if there is one.  The caller
 * has filled in the row's own record, whose entries are items alone, but has not called
 * RecordAdvance(); the record has room for one more entry.  Returns true if an equal row was
 * found: then the row is dealt with, and its record must not be completed.  Returns false
 * if not, or if the layout does not allow rows to be merged.
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
