/*-------------------------------------------------------------------------
 *
 * group_workers.c
 *	  Grouping the pieces of transactions with several processes.
 *
 * Where several processes have read pairs whose transaction ids do not ascend, workers help the leader to group them
 * (helpers.c).  Each process takes one partition after the other, makes records of its pieces, and counts
 * the items.  Workers leave what they have made as a part, so that the leader only appends it.
 * They do not know the items, so the leader raises the error about one that has two probabilities.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "gpufim.h"
#include "optimizer/paths.h"
#include "read/read.h"
#include "read/rows.h"

/* What a worker must know beside the pieces. */
typedef struct GroupTask
{
	SharedUnits units;			/* must be first */
	Oid			id_type;
	Oid			id_collation;
	uint32		nitems;
} GroupTask;

bool
RowsGroupInParallel(GpufimRows *rows)
{
	HelperFigures figures = {{0}};
	RowsOfHelpers receiver = RowsOfHelpersInit(rows, &figures);
	GroupTask	task;
	uint64		words;
	Helpers    *helpers;

	if (!rows->layout.grouped || rows->ascending || rows->npartitions == 1 ||
		!ChunksInMemory(rows->pieces, rows->npartitions, &words) ||
		words * sizeof(uint32) < (uint64) min_parallel_table_scan_size * BLCKSZ ||
		words * sizeof(uint32) > LedgerRoom(rows->ledger) / 4)
		return false;
	task = (GroupTask) {.id_type = rows->ids->type->type_id,.id_collation = rows->ids->collation,.nitems = rows->items->n};
	helpers = CallHelpers(rows, rows->pieces, rows->npartitions, "GpufimGroupMain", &task.units, sizeof(task));
	if (helpers == NULL)
		return false;
	LeaveToHelpers(helpers, rows->npartitions);
	GroupPartitions(rows, &((GroupTask *) TaskOfHelpers(helpers))->units.next);
	DismissHelpers(helpers, &receiver.base);
	if (figures.conflict.found)
		RaiseTwoProbabilities(rows, NULL, figures.conflict.item, figures.conflict.one, figures.conflict.other);
	for (uint32 p = 0; p < rows->npartitions; p++)
		ChunkListFree(rows, &rows->pieces[p]);
	return true;
}

/*
 * A worker's side.
 */

extern PGDLLEXPORT void GpufimGroupMain(dsm_segment *segment, shm_toc *toc);

void
GpufimGroupMain(dsm_segment *segment, shm_toc *toc)
{
	Helper *helper = HelperJoin(segment, toc);
	GroupTask  *task = HelperTask(helper);
	MemoryLedger *ledger = HelperLedger(helper);
	Dictionary *items = DictionaryCreate(ledger, INT4OID, InvalidOid, true, "distinct items");
	Dictionary *ids = DictionaryCreate(ledger, task->id_type, task->id_collation, false,
									   "distinct transaction ids");
	GpufimRows *rows = HelperRows(helper, items, ids);
	RowsOfHelpers receiver;

	rows->ascending = false;
	rows->npartitions = PIECE_PARTITIONS;
	DictionaryCountOnly(items, task->nitems);
	receiver = RowsOfHelpersInit(rows, HelperFiguresCreate(rows));
	rows->conflict = &receiver.figures->conflict;
	HelperFindChunks(helper, rows, rows->pieces);
	GroupPartitions(rows, &task->units.next);
	HelperLeave(helper, rows, rows->pieces, rows->npartitions, &receiver.base);
}
