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
#include "miscadmin.h"
#include "named_items.h"

#define INTERRUPT_EVENTS	65536

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

/*
 * Below this length, a partition is not left out because it has few events: that takes two more
 * passes over the events, and an event that nothing follows takes the search no time.
 */
#define LEAST_LENGTH	3

/*
 * Returns which partitions can hold no episode of the result, since they have too few events of
 * frequent types, or lack a required type.
 */
static bool *
FindUseless(const MiningInput *input, uint32 min_length, const NamedTypes *required)
{
	EventStream *stream = input->stream;
	MemoryLedger *ledger = stream->rows->ledger;
	const Dictionary *types = stream->rows->items;
	Size		size = (Size) types->n * sizeof(uint32);
	uint32	   *seen = LedgerAllocZero(ledger, size, types->what);	/* partition + 1, of required types */
	bool	   *useless = LedgerAlloc(ledger, stream->npartitions * sizeof(bool), "distinct partitions");
	uint32		nrequired = 0;
	uint32		partition = UINT32_MAX;
	uint32		found = 0;
	uint32		n = 0;
	EventReader reader;
	Event		event;

	memset(useless, true, stream->npartitions * sizeof(bool));
	for (int i = 0; i < required->n; i++)
	{
		nrequired += seen[required->ids[i]] == 0;
		seen[required->ids[i]] = UINT32_MAX;
	}
	EventReaderBegin(&reader, stream, false);
	while (EventReaderNext(&reader, &event))
	{
		if (reader.done % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (types->entries[event.type].count < input->minsup)
			continue;
		if (event.partition != partition)
			found = n = 0;
		partition = event.partition;
		n++;
		if (seen[event.type] != 0 && seen[event.type] != partition + 1)
		{
			seen[event.type] = partition + 1;
			found++;
		}
		if (n >= min_length && found == nrequired)
			useless[partition] = false;
	}
	EventReaderEnd(&reader);
	LedgerFree(ledger, seen, size);
	return useless;
}

/*
 * Count the types again, only in the partitions that are not useless.  Returns the numbers of
 * events in all partitions, from which the episodes' frequencies are computed.
 */
static uint32 *
CountWhereUseful(EventStream *stream, const bool *useless)
{
	MemoryLedger *ledger = stream->rows->ledger;
	Dictionary *types = stream->rows->items;
	Size		size = (Size) types->n * sizeof(uint32);
	uint32	   *counts = LedgerAllocZero(ledger, size, types->what);
	EventReader reader;
	Event		event;

	EventReaderBegin(&reader, stream, false);
	while (EventReaderNext(&reader, &event))
	{
		if (reader.done % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		counts[event.type] += !useless[event.partition];
	}
	EventReaderEnd(&reader);
	/* excluded types keep their 0 */
	for (uint32 id = 0; id < types->n; id++)
	{
		uint32		all = types->entries[id].count;

		types->entries[id].count = Min(all, counts[id]);
		counts[id] = all;
	}
	return counts;
}

/*
 * Leave out the partitions that can hold no episode of the result.  Returns what
 * CountWhereUseful() does, or NULL if all partitions are kept.
 */
static uint32 *
LeaveOutPartitions(MiningInput *input, const EpisodesRequest *request, const NamedTypes *required)
{
	EventStream *stream = input->stream;

	if (!request->leaves_out_partitions || stream->npartitions == 1 ||
		(request->min_length < LEAST_LENGTH && required->n == 0))
		return NULL;
	for (int i = 0; i < required->n; i++)
		if (required->ids[i] == DICTIONARY_NONE)
			return NULL;		/* there is no episode at all */
	input->kept.useless = FindUseless(input, request->min_length, required);
	return CountWhereUseful(stream, input->kept.useless);
}

/* Give the kept types their numbers of events in all partitions. */
static void
SetCounts(GpufimItems *types, const uint32 *counts, uint32 n)
{
	for (uint32 id = 0; id < n; id++)
		if (MappedItem(types, id) < types->nitems)
			types->items[MappedItem(types, id)].support = counts[id];
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
	uint32		ntypes;
	uint32	   *counts;
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
	ntypes = rows->items->n;
	counts = LeaveOutPartitions(input, request, &including);
	input->types = PruneItems(rows, &filter);
	if (counts != NULL)
		SetCounts(input->types, counts, ntypes);
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
