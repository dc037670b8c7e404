/*-------------------------------------------------------------------------
 *
 * row_detail.h
 *	  What messages say of the row that is being read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ROW_DETAIL_H
#define GPUFIM_ROW_DETAIL_H

#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "read/rows.h"

/*
 * The text of a value, and that of a column of the row in a slot, which is cut if it is
 * long.  Both are palloc'd.
 */
extern char *ValueText(Oid type, Datum value);
extern char *ColumnText(TupleTableSlot *slot, int column);

/* Append a text, which is cut if it is long. */
extern void AppendClipped(StringInfo text, const char *value);

/*
 * An errdetail(): "Row 7 of the source is (3, b, 1.5)."  It shows the columns that are
 * read.
 */
extern int	RowDetail(const GpufimRows *rows, TupleTableSlot *slot);

#endif							/* GPUFIM_ROW_DETAIL_H */
