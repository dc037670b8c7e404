/*-------------------------------------------------------------------------
 *
 * uncertain_rows.h
 *	  Reading a source of uncertain transactions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_UNCERTAIN_ROWS_H
#define GPUFIM_UNCERTAIN_ROWS_H

#include "probable/request.h"
#include "read/rows.h"

/* Read a source.  The rows' records have a probability for each item, or else one for all of them. */
extern GpufimRows *ReadUncertainRows(const UncertainSource *from, MemoryLedger *ledger);

/* Does each item of a record have its own probability? */
static inline bool
ProbabilityByEntry(const GpufimRows *rows)
{
	return rows->layout.value_words != 0;
}

#endif							/* GPUFIM_UNCERTAIN_ROWS_H */
