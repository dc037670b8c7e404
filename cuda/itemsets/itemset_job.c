/*-------------------------------------------------------------------------
 *
 * itemset_job.c
 *	  The job of mining itemsets that is under way, and leaving it.
 *
 *-------------------------------------------------------------------------
 */
#include "itemsets/itemsets.h"

ItemsetJob	itemset_job;

void
JobDescribe(ItemsetJob *job, const FimItemsetsJob *asked, const FimDatabase *db)
{
	const char *base = (const char *) db;

	job->asked = asked;
	job->db = db;
	job->support = (const uint32_t *) (base + db->support_at);
	job->name = (const uint32_t *) (base + db->name_at);
	job->rows = (const FimRow *) (base + db->row_at);
	job->items = (const uint32_t *) (base + db->items_at);
	job->nitems = RootItems(asked, db, &job->skip);
}

void
JobLeave(FimResult result)
{
	longjmp(itemset_job.miner.leave, (int) result);
}
