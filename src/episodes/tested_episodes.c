/*-------------------------------------------------------------------------
 *
 * tested_episodes.c
 *	  The episodes that a call has found, kept to be tested on surrogates.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/episodes/trie.h"
#include "episodes/tested_episodes.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define FIRST_ROOM		8192
#define INTERRUPT_EPISODES	4096

/* The most nodes that fit an allocation behind the job's struct. */
#define MOST_NODES		((MaxAllocSize - sizeof(FimEpisodesJob)) / sizeof(FimTrieNode))

static void
TakeMemory(TestedEpisodes *episodes, uint64 bytes)
{
	JobTakeMemory(episodes->job, bytes, 0, "the episodes found");
}

static void
Grow(TestedEpisodes *episodes, uint64 least)
{
	uint64		room = Max(least, 2 * episodes->room);

	TakeMemory(episodes, (room - episodes->room) * sizeof(uint32));
	episodes->words = repalloc_huge(episodes->words, room * sizeof(uint32));
	episodes->room = room;
}

static bool
KeepBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	TestedEpisodes *episodes = (TestedEpisodes *) sink;

	CHECK_FOR_INTERRUPTS();
	CheckResults(episodes->n + nresults, episodes->result_words);
	if (episodes->nwords + nwords > episodes->room)
		Grow(episodes, episodes->nwords + nwords);
	memcpy(episodes->words + episodes->nwords, words, nwords * sizeof(uint32));
	episodes->nwords += nwords;
	episodes->n += nresults;
	return true;
}

static void
ForgetAll(FimSink *sink)
{
	TestedEpisodes *episodes = (TestedEpisodes *) sink;

	episodes->nwords = episodes->n = 0;
}

TestedEpisodes *
TestedEpisodesCreate(struct Job *job, const ResultWords *result_words, FimSurrogateMethod method)
{
	TestedEpisodes *episodes = palloc0(sizeof(TestedEpisodes));

	episodes->sink.write = KeepBatch;
	episodes->sink.restart = ForgetAll;
	episodes->job = job;
	episodes->result_words = result_words;
	episodes->method = method;
	episodes->context = CurrentMemoryContext;
	episodes->room = FIRST_ROOM;
	episodes->words = palloc(FIRST_ROOM * sizeof(uint32));
	return episodes;
}

/* Compare records by the order in which a trie takes them: by type, gap, type, and so on. */
static int
CompareRecords(const void *a, const void *b, void *words)
{
	const uint32 *x = (uint32 *) words + *(const uint64 *) a;
	const uint32 *y = (uint32 *) words + *(const uint64 *) b;
	const uint32 *x_type = x + 1;
	const uint32 *y_type = y + 1;

	CHECK_FOR_INTERRUPTS();
	for (uint32 k = 0; k < x[0] && k < y[0]; k++)
	{
		uint32		x_gap = k > 0 ? x_type[x[0] + k - 1] : 0;
		uint32		y_gap = k > 0 ? y_type[y[0] + k - 1] : 0;

		if (x_gap != y_gap)
			return x_gap < y_gap ? -1 : 1;
		if (x_type[k] != y_type[k])
			return x_type[k] < y_type[k] ? -1 : 1;
	}
	return (x[0] > y[0]) - (x[0] < y[0]);
}

static bool
IsTested(const TestedEpisodes *episodes, const uint32 *record)
{
	uint32		length = record[0];

	if (length == 1 || episodes->method != FIM_SHIFT)
		return length > 1;
	for (uint32 k = 2; k <= length; k++)
		if (record[k] != record[1])
			return true;
	return false;
}

/* Sort the records, and count the tested episodes and their events.  Returns the length of the longest. */
static uint32
SortRecords(TestedEpisodes *episodes)
{
	uint64		at = 0;
	uint32		longest = 0;

	TakeMemory(episodes, (episodes->n + 1) * (sizeof(uint64) + sizeof(uint32)));
	episodes->record = MemoryContextAllocHuge(episodes->context, (episodes->n + 1) * sizeof(uint64));
	episodes->node = MemoryContextAllocHuge(episodes->context, (episodes->n + 1) * sizeof(uint32));
	for (uint64 e = 0; e < episodes->n; e++)
	{
		uint32		length = episodes->words[at];

		if (e % INTERRUPT_EPISODES == 0)
			CHECK_FOR_INTERRUPTS();
		episodes->record[e] = at;
		if (IsTested(episodes, episodes->words + at))
		{
			episodes->ntested++;
			episodes->nevents += length;
		}
		longest = Max(longest, length);
		at += FIM_EPISODES_RECORD_WORDS(length);
	}
	qsort_arg(episodes->record, episodes->n, sizeof(uint64), CompareRecords, episodes->words);
	return longest;
}

static void
AddRecord(TestedEpisodes *episodes, FimTrie *trie, uint64 e)
{
	const uint32 *record = episodes->words + episodes->record[e];
	uint32		length = record[0];
	uint64		support;

	episodes->node[e] = NO_NODE;
	if (!IsTested(episodes, record))
		return;
	memcpy(&support, record + 2 * (Size) length, sizeof(support));
	FimTrieAdd(trie, record + 1, record + 1 + length, length, (uint32) support);
	episodes->node[e] = trie->open[length - 1];
}

FimEpisodesJob *
TestedEpisodesJob(TestedEpisodes *episodes)
{
	uint32		longest = SortRecords(episodes);
	FimTrie		trie = {0};
	FimEpisodesJob *job;

	if (episodes->nevents > MOST_NODES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many episodes to be tested: %llu", (unsigned long long) episodes->ntested),
				 errhint("Raise \"minsup\", lower \"max_length\" or ask for \"closed\" or "
						 "\"maximal\" episodes to get fewer.")));
	/* for this job, its copy for the engine, and the counts */
	TakeMemory(episodes, episodes->nevents * (2 * sizeof(FimTrieNode) + sizeof(FimSurrogateCounts)));
	job = palloc0(sizeof(FimEpisodesJob) + episodes->nevents * sizeof(FimTrieNode));
	trie.node = FIM_EPISODES_NODES(job);
	trie.open = palloc(longest * sizeof(uint32));
	for (uint64 e = 0; e < episodes->n; e++)
	{
		if (e % INTERRUPT_EPISODES == 0)
			CHECK_FOR_INTERRUPTS();
		AddRecord(episodes, &trie, e);
	}
	FimTrieFinish(&trie);
	job->nnodes = trie.n;
	job->max_length = longest;
	job->method = episodes->method;
	job->head.size = sizeof(FimEpisodesJob) + trie.n * sizeof(FimTrieNode);
	job->head.count_only = true;
	return job;
}
