/*-------------------------------------------------------------------------
 *
 * mining_input.c
 *	  What a call has to mine: the events of the frequent types, and the threshold.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "arguments.h"
#include "engine/minsup.h"
#include "episodes/events.h"
#include "episodes/mining_input.h"
#include "figures.h"
#include "named_items.h"

/* The types that an argument names, by their numbers in the dictionary. */
typedef struct NamedTypes
{
	uint32	   *ids;			/* [n]; NULL if the argument is NULL */
	int			n;
} NamedTypes;

static NamedTypes
FindNamed(GpufimRows *rows, ArrayType *names, const char *argument)
{
	NamedTypes	named = {NULL, 0};

	if (names != NULL)
		named.ids = FindNamedItems(rows, names, argument, &named.n);
	return named;
}

/* Give excluded types a count of 0, so that they are infrequent, and subtract their events. */
static void
ExcludeTypes(MiningInput *input, ArrayType *names)
{
	GpufimRows *rows = input->stream->rows;
	NamedTypes	excluded = FindNamed(rows, names, "excluding");

	for (int i = 0; i < excluded.n; i++)
	{
		DictionaryEntry *type;

		if (excluded.ids[i] == DICTIONARY_NONE)
			continue;
		type = &rows->items->entries[excluded.ids[i]];
		input->events -= type->count;
		type->count = 0;
	}
	FreeNamedItems(rows, excluded.ids, excluded.n);
}

/* Set input->required to the numbers of the required types.  Returns false if one of them is not frequent. */
static bool
RequireTypes(MiningInput *input, const NamedTypes *named)
{
	const GpufimItems *types = input->types;
	bool	   *seen = MemoryContextAllocExtended(CurrentMemoryContext, types->nitems,
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	input->required = palloc((named->n + 1) * sizeof(uint32));
	for (int i = 0; i < named->n; i++)
	{
		uint32		id = named->ids[i];
		uint32		number = id == DICTIONARY_NONE ? MAP_DROPPED : MappedItem(types, id);

		if (number >= types->nitems)
			return false;
		if (!seen[number])
			input->required[input->nrequired++] = number;
		seen[number] = true;
	}
	pfree(seen);
	return true;
}

void
ReadMiningInput(const EpisodesRequest *request, MemoryLedger *ledger, MiningInput *input)
{
	ItemFilter	filter = {.with_values = !request->count_only};
	GpufimRows *rows;
	NamedTypes	including;
	bool		possible;

	memset(input, 0, sizeof(MiningInput));
	input->stream = ReadEvents(&request->from, ledger);
	rows = input->stream->rows;
	input->events = rows->transactions;
	ExcludeTypes(input, request->excluding);
	including = FindNamed(rows, request->including, "including");
	input->minsup = FimThreshold(request->from.minsup, input->events);
	NoteHighMinsup(request->from.minsup, input->events,
				   gettext_noop("no episode can be frequent, because \"minsup\" is %s and the number of events is %llu"));
	CurrentRun->minsup = filter.minsup = input->minsup;
	input->types = PruneItems(rows, &filter);
	CurrentRun->frequent_items = input->types->nitems;
	possible = input->types->nitems > 0 && RequireTypes(input, &including);
	FreeNamedItems(rows, including.ids, including.n);
	if (!possible)
	{
		RowsClose(rows);
		LedgerDestroy(ledger);
		input->types = NULL;
		return;
	}
	input->kept.number = input->types->map;
	input->kept.n = input->types->nitems;
	input->kept.events = input->types->entries;
}

void
ShowMiningInput(const MiningInput *input, const FimEpisodesData *data)
{
	RunAddDetail("partitions", input->stream->npartitions);
	RunAddDetail("repeated_events", input->stream->repeated);
	RunAddDetail("events_of_frequent_types", data->events);
}

FimEpisodesJob *
EpisodesJobOf(const EpisodesRequest *request, const MiningInput *input)
{
	Size		size = offsetof(FimEpisodesJob, words) + input->nrequired * sizeof(uint32);
	FimEpisodesJob *job = palloc0(Max(size, sizeof(FimEpisodesJob)));

	job->head.size = Max(size, sizeof(FimEpisodesJob));
	job->head.count_only = request->count_only;
	job->kind = request->kind;
	job->minsup = input->minsup;
	job->min_length = request->min_length;
	job->max_length = request->max_length;
	job->nrequired = input->nrequired;
	memcpy(job->words, input->required, input->nrequired * sizeof(uint32));
	return job;
}
