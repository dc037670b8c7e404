/*-------------------------------------------------------------------------
 *
 * projected_view.h
 *	  A prefix class as a smaller database of rows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROJECTED_VIEW_H
#define FIM_PROJECTED_VIEW_H

#include "class_items.h"

/*
 * Make a view of the class's rows.  MapClass() must have been called.  The rows get only the
 * items of the class, and rows that hold none of its extensions are left out.  Memory is
 * from the miner's arena.
 */
extern void ProjectView(Miner *m, const View *view, const ClassItems *class, View *to);

#endif							/* FIM_PROJECTED_VIEW_H */
