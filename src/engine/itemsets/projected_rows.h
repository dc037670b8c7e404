/*-------------------------------------------------------------------------
 *
 * projected_rows.h
 *	  Mines prefix classes of a database of rows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROJECTED_ROWS_H
#define FIM_PROJECTED_ROWS_H

#include "class_items.h"
#include "view.h"

/* Mine class i of the view: give out the wanted itemsets that extend the path by item i and items before i. */
extern void MineClass(Miner *m, const View *view, uint32_t i);

#endif							/* FIM_PROJECTED_ROWS_H */
