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
	FimShareFigures(m->shared, &m->out.results, &m->nodes);
}

void
MinerPoll(Miner *m)
{
	m->worked += m->work;
	m->work = 0;
	MinerShareFigures(m);
	if (FimMustStop(m->shared, m->host))
		longjmp(m->leave, FIM_STOPPED);
}
