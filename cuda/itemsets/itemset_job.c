/*-------------------------------------------------------------------------
 *
 * itemset_job.c
 *	  The job of mining itemsets that is under way, and leaving it.
 *
 *-------------------------------------------------------------------------
 */
#include "itemsets/itemsets.h"

ItemsetsJob	itemsets_job;

void
JobDescribe(ItemsetsJob *job, const FimItemsetsSpec *spec, const FimDatabase *db)
{
	const char *base = (const char *) db;

	job->spec = spec;
	job->db = db;
	job->support = (const uint32_t *) (base + db->support_at);
	job->name = FimItemNames(db);
	job->rows = (const FimRow *) (base + db->row_at);
	job->items = (const uint32_t *) (base + db->items_at);
	job->nitems = RootItems(spec, db, &job->skip);
}

void
JobLeave(FimResult result)
{
	longjmp(itemsets_job.miner.leave, (int) result);
}
