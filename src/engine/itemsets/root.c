/*-------------------------------------------------------------------------
 *
 * root.c
 *	  Where every search begins: which items are frequent, and the itemset that
 *	  all transactions hold.
 *
 *-------------------------------------------------------------------------
 */
#include "output.h"
#include "root.h"

uint32_t
RootItems(const FimItemsetsJob *job, const FimDatabase *db, uint32_t *perfect)
{
	const uint32_t *support = (const uint32_t *) ((const char *) db + db->support_at);
	uint32_t	n = db->nitems;

	while (n > 0 && support[n - 1] < job->minsup)
		n--;
	*perfect = 0;
	while (*perfect < n && support[*perfect] == db->transactions)
		++*perfect;
	return n;
}

/* Items of all transactions are perfect items if all itemsets are wanted, and otherwise part of every itemset. */
void
RootBegin(Miner *m, uint32_t n)
{
	const uint32_t *name = (const uint32_t *) ((const char *) m->db + m->db->name_at);

	for (uint32_t i = 0; i < n; i++)
		if (m->job->kind == FIM_ALL)
			m->out.perfect[m->out.nperfect++] = name[i];
		else
			OutputPush(&m->out, name[i]);
}

void
RootEmit(Miner *m, bool has_classes)
{
	uint32_t	support = (uint32_t) m->db->transactions;

	if (m->db->transactions < m->job->minsup)
		return;
	if (m->job->kind == FIM_ALL)
		OutputAll(m, support);
	else if (m->job->kind == FIM_CLOSED || !has_classes)
		OutputOne(m, support);
}
