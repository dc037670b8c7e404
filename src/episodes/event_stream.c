/*-------------------------------------------------------------------------
 *
 * event_stream.c
 *	  Encoded events: adding them to a stream, and reading them from it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "episodes/event_stream.h"

#define EVENT_WORDS		((uint32) (sizeof(Event) / sizeof(uint32)))

void
EventAdderBegin(EventAdder *adder, EventStream *stream)
{
	memset(adder, 0, sizeof(EventAdder));
	adder->stream = stream;
	adder->in_order = true;
}

/*
 * Update adder->in_order for the next event, and adder->simultaneous if the event's partition or
 * time differs from the last one's.
 */
static void
CheckOrder(EventAdder *adder, const Event *event)
{
	const EventStream *stream = adder->stream;
	const Event *last = &adder->last;
	uint32		n = (uint32) stream->rows->transactions;

	if (event->partition != last->partition)
	{
		adder->in_order = event->partition > last->partition;
		adder->simultaneous = n;
	}
	else if (IsLater(&stream->times, event->time, last->time))
		adder->simultaneous = n;
	else
		adder->in_order = !IsLater(&stream->times, last->time, event->time);
}

static void
RaiseTooManyEvents(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many events"),
			 errdetail("At most %u can be mined in one call.", FIM_MAX_EVENTS),
			 errhint("Select fewer rows.")));
}

/*
 * As long as events come in order, the stamp of a type is the number of its last event, counted
 * from 1. So an event is a repeated one if that stamp is above the number of events before its
 * time.
 */
void
EventAdderAdd(EventAdder *adder, const Event *event)
{
	EventStream *stream = adder->stream;
	GpufimRows *rows = stream->rows;
	DictionaryEntry *type = &rows->items->entries[event->type];

	if (adder->in_order)
	{
		if (rows->transactions > 0)
			CheckOrder(adder, event);
		if (adder->in_order && type->stamp > adder->simultaneous)
		{
			stream->repeated++;
			return;
		}
		adder->last = *event;
	}
	if (unlikely(rows->transactions >= FIM_MAX_EVENTS))
		RaiseTooManyEvents();
	memcpy(ChunkReserve(rows, &rows->records, EVENT_WORDS), event, sizeof(Event));
	ChunkAdvance(&rows->records, EVENT_WORDS);
	type->stamp = (uint32) ++rows->transactions;
	type->count++;
}

void
EventAdderRefine(EventAdder *adder, int power)
{
	EventStream *stream = adder->stream;
	uint64		events = stream->rows->transactions;
	int64		factor = PowerOfTen(power);

	adder->last.time.integer *= factor;
	for (int i = 0; i < stream->ncoarse; i++)
		stream->coarse[i].factor *= factor;
	if (events == 0 || (stream->ncoarse > 0 && stream->coarse[stream->ncoarse - 1].events == events))
		return;
	stream->coarse[stream->ncoarse].events = events;
	stream->coarse[stream->ncoarse++].factor = factor;
}

void
EventReaderBegin(EventReader *reader, EventStream *stream, bool consume)
{
	memset(reader, 0, sizeof(EventReader));
	reader->stream = stream;
	reader->chunks = stream->rows->records;
	ChunkWalkBegin(&reader->walk, stream->rows, &reader->chunks, consume);
	if (consume)
		memset(&stream->rows->records, 0, sizeof(ChunkList));
}

/* Go on to the next chunk.  Returns false if there is none. */
bool
EventReaderAdvance(EventReader *reader)
{
	const uint32 *words;
	const uint32 *end;

	if (!ChunkWalkNext(&reader->walk, &words, &end))
		return false;
	reader->at = (const Event *) words;
	reader->end = (const Event *) end;
	return true;
}

void
EventReaderEnd(EventReader *reader)
{
	ChunkWalkEnd(&reader->walk);
}
