/*-------------------------------------------------------------------------
 *
 * forecast.h
 *	  How much memory a call will take, as far as its rows tell.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_FORECAST_H
#define GPUFIM_FORECAST_H

#include "read/rows.h"

/*
 * Estimates how many bytes the call will need in all.  This is the foresee() of a RowLayout
 * that has data_bytes(); the ledger calls it before it raises an error.  While the first
 * array is read, the estimate is for a call with this row alone, and *first_row becomes
 * true if the planner expects more rows.
 */
extern uint64 ForecastMemory(const GpufimRows *rows, bool *first_row);

/*
 * Makes the estimate that ForecastMemory() returns from now on.  To be called as soon as it
 * is known which items are kept, before memory is taken for them.  There are nitems items,
 * and "transactions" transactions with "entries" entries of these items in all.
 */
extern void ForecastItems(GpufimRows *rows, uint64 transactions, uint64 entries,
						  uint32 nitems);

#endif							/* GPUFIM_FORECAST_H */
