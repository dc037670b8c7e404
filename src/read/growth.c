/*-------------------------------------------------------------------------
 *
 * growth.c
 *	  How the numbers of distinct values grow while rows are read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "read/growth.h"

/* Marks are set after the first row, after FIRST_MARK rows, and each time that the rows have doubled. */
#define FIRST_MARK			16

void
GrowthSetMark(ReadingGrowth *growth, const Dictionary *items)
{
	growth->next_mark = Max(2 * growth->rows, FIRST_MARK);
	growth->earlier[1] = growth->earlier[0];
	growth->earlier[0].rows = growth->rows;
	growth->earlier[0].items = items->n;
	growth->earlier[0].transactions = growth->transactions ? growth->transactions->n : 0;
}
