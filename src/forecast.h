/*-------------------------------------------------------------------------
 *
 * forecast.h
 *	  How much memory a call will take, as far as its rows tell.
 *
 * Included by items.c and by the SQL functions of families.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_FORECAST_H
#define GPUFIM_FORECAST_H

#include "read/rows.h"

/*
 * What the call will need in all, in bytes: an estimate, which the ledger asks for
 * before it raises an error.  It is a RowLayout's foresee(), for layouts that have
 * data_bytes().  While the first array is read it is what a call of that row would need,
 * and *first_row becomes true if the planner expects more rows.
 */
extern uint64 ForecastMemory(const GpufimRows *rows, bool *first_row);

/*
 * The same from when the items are known that are kept, and how many entries of
 * how many transactions are theirs, before memory is taken for these.
 */
extern void ForecastItems(GpufimRows *rows, uint64 transactions, uint64 entries,
						  uint32 nitems);

#endif							/* GPUFIM_FORECAST_H */
