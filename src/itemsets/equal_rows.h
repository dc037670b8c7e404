/*-------------------------------------------------------------------------
 *
 * equal_rows.h
 *	  Whether many rows will be equal once their infrequent items are gone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EQUAL_ROWS_H
#define GPUFIM_EQUAL_ROWS_H

#include "engine/itemsets/row_sample.h"
#include "items.h"

/*
 * Take a small sample of the records that hold the required items; "kept" is the number of all
 * these records.  The sample's memory comes from the host and is freed by FimRowSampleEnd().
 */
extern void SampleRows(FimRowSample *sample, GpufimRows *rows, const GpufimItems *items,
					   uint64 kept, FimHost *host);

#endif							/* GPUFIM_EQUAL_ROWS_H */
