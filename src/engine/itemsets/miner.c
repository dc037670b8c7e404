/*-------------------------------------------------------------------------
 *
 * miner.c
 *	  What all users of a Miner share, on processors and on GPUs: they report progress, and
 *	  stop when they are told to.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#include <string.h>

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
	__atomic_fetch_add(&m->shared->results, m->out.results, __ATOMIC_RELAXED);
	m->nodes = 0;
	m->out.results = 0;
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
