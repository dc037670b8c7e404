/*-------------------------------------------------------------------------
 *
 * miner.c
 *	  What all who mine with a Miner do, on processors and on GPUs: tell how far
 *	  they are, stop when they should, and begin with the items that every
 *	  transaction holds.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#include <string.h>

/* All but the output and the kernels: those who call that know where to leave to. */
void
MinerInit(Miner *m, const FimItemsetsJob *job, const FimDatabase *db, FimShared *shared,
		  FimHost *host, FimSink *sink)
{
	memset(m, 0, sizeof(*m));
	m->job = job;
	m->db = db;
	m->shared = shared;
	m->host = host;
	m->sink = sink;
	ArenaInit(&m->arena, host, &m->leave);
}

void
MinerShareFigures(Miner *m)
{
	__atomic_fetch_add(&m->shared->nodes, m->nodes, __ATOMIC_RELAXED);
	m->nodes = 0;
	if (m->job->head.count_only)
		OutputFlush(m);
}

void
MinerPoll(Miner *m)
{
	m->worked += m->work;
	m->work = 0;
	MinerShareFigures(m);
	if (__atomic_load_n(&m->shared->cancel, __ATOMIC_RELAXED) || m->host->poll(m->host))
		longjmp(m->leave, FIM_STOPPED);
}

/*
 * How many items are frequent, and how many of these are in all transactions:
 * items are numbered by descending support, so both are the first ones.
 */
uint32_t
MinerFrequentItems(const FimItemsetsJob *job, const FimDatabase *db, uint32_t *perfect)
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

/*
 * The first n items are in all transactions: perfect to everything where all
 * itemsets count, else part of every itemset.
 */
void
MinerBeginRoot(Miner *m, uint32_t n)
{
	const uint32_t *name = (const uint32_t *) ((const char *) m->db + m->db->name_at);

	for (uint32_t i = 0; i < n; i++)
		if (m->job->kind == FIM_ALL)
			m->out.perfect[m->out.nperfect++] = name[i];
		else
			OutputPush(&m->out, name[i]);
}

/* The itemset that every transaction holds, with its subsets where all count. */
void
MinerEmitRoot(Miner *m, bool has_classes)
{
	uint32_t	support = (uint32_t) m->db->transactions;

	if (m->db->transactions < m->job->minsup)
		return;
	if (m->job->kind == FIM_ALL)
		OutputAll(m, support);
	else if (m->job->kind == FIM_CLOSED || !has_classes)
		OutputOne(m, support);
}
