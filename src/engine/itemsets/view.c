/*-------------------------------------------------------------------------
 *
 * view.c
 *	  A database of rows as searches see it.
 *
 *-------------------------------------------------------------------------
 */
#include "root.h"
#include "view.h"

#include <string.h>

void
ViewOfDatabase(Miner *m, View *view)
{
	const FimDatabase *db = m->db;
	const char *base = (const char *) db;

	view->nitems = db->nitems;
	view->nclasses = RootItems(m->job, db, &view->skip);
	view->whole = true;
	view->nrows = db->nrows;
	view->name = (const uint32_t *) (base + db->name_at);
	view->support = (const uint32_t *) (base + db->support_at);
	view->rows = (const FimRow *) (base + db->row_at);
	view->items = (const uint32_t *) (base + db->items_at);
	view->occ = (const uint64_t *) (base + db->occ_at);
	view->occurrences = (const uint32_t *) (base + db->occurrences_at);
}

void
ViewScratch(Miner *m, View *view)
{
	size_t		blocks = ((size_t) view->nitems / VIEW_BLOCK / VIEW_FLAGS + 1) * VIEW_FLAGS;

	view->count = ArenaAlloc(&m->arena, sizeof(uint32_t) * blocks * VIEW_BLOCK);
	view->local = ArenaAlloc(&m->arena, sizeof(uint32_t) * view->nitems);
	view->touched = ArenaAlloc(&m->arena, blocks);
	memset(view->count, 0, sizeof(uint32_t) * blocks * VIEW_BLOCK);
	memset(view->local, 0, sizeof(uint32_t) * view->nitems);
	memset(view->touched, 0, blocks);
}
