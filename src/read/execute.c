/*-------------------------------------------------------------------------
 *
 * execute.c
 *	  Executes a source, whose rows go to a receiver: the aggregate gpufim_read().
 *
 * A source is read by SELECT gpufim_read(handle, columns) FROM source.  Where PostgreSQL can scan
 * the source in parallel, and finds that worth it, it plans an aggregate in each process and a
 * second one above them, by itself: with its own costs, privileges, snapshot and settings.  The
 * state of the aggregate is a receiver (read.h), to which each process gives its own rows, without
 * any lock.  At the end of its input, a worker leaves what its receiver has found in a segment of
 * shared memory, or in files that the processes share if there is too little of it, and what goes
 * to the leader as the state is a ticket, which says where that is.  The leader adds it to what it
 * has read itself (parts.c).
 *
 * The handle names the segment in which the leader tells workers what to read.  The aggregate is
 * of no use to anybody else, and says so.
 *
 * Where PostgreSQL plans no workers, and where the user may not call the aggregate or rows must be
 * read in the order in which the query gives them, a DestReceiver of ours takes the rows of the
 * query: the aggregate would take 14 ns more for each row.  Either way, no row is kept in
 * PostgreSQL's form.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "compat.h"
#include "executor/tuptable.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "read/read.h"
#include "read/rows.h"
#include "tcop/dest.h"
#include "work/work.h"

/*
 * What the processes share.
 */

#define READING_MAGIC		0x67707264

typedef struct SharedReading
{
	uint32		magic;			/* identifies such a segment */
	uint32		secret;			/* the upper half of the handle */
	pid_t		leader;
	SharedLedger memory;
	pg_atomic_uint64 rows;		/* that all have read */
	pg_atomic_uint32 parts;		/* numbers that have been given to parts */
	SharedFileSet files;
	SegmentPlaces places;		/* of what has been left and not been taken yet */

	char		symbol[NAMEDATALEN]; /* of the receiver's kind */
	Size		input_size;
	/* the receiver's input and the source */
	char		data[FLEXIBLE_ARRAY_MEMBER];
} SharedReading;

SharedFileSet *
ReadingFiles(dsm_segment *segment)
{
	return &((SharedReading *) dsm_segment_address(segment))->files;
}

static int64
SharedRows(SharedReading *shared, int64 more)
{
	return (int64) pg_atomic_fetch_add_u64(&shared->rows, more) + more;
}

/*
 * Giving rows to a receiver.
 */

/* The figures of the call are updated after every REPORT_ROWS rows. */
#define REPORT_ROWS				1024

void
ShowRows(const Receiver *receiver)
{
	const GpufimRows *rows = receiver->rows;

	CurrentRun->rows_read = receiver->shared ? SharedRows(receiver->shared, 0) : rows->rows_read;
	CurrentRun->done = CurrentRun->rows_read;
	CurrentRun->transactions = rows->transactions;
	CurrentRun->distinct_items = rows->items->n;
}

/* Let the call's figures show what has been read, or its leader's. */
static pg_noinline void
Report(Receiver *receiver)
{
	if (receiver->shared != NULL)
	{
		(void) SharedRows(receiver->shared, receiver->rows->rows_read - receiver->reported);
		receiver->reported = receiver->rows->rows_read;
	}
	if (!receiver->helps)
		ShowRows(receiver);
}

static void
ReceiverBegin(Receiver *receiver)
{
	for (int i = 0; i < receiver->source->ncolumns; i++)
		receiver->types[i] = receiver->source->columns[i].result;
	receiver->kind->begin(receiver);
}

static inline void
ReceiverTake(Receiver *receiver, const SourceRow *row)
{
	if (++receiver->rows->rows_read % REPORT_ROWS == 0)
		Report(receiver);
	receiver->receive(receiver, row);
}

/* A column's strings, in the order in which they are written. */
static const char **
ColumnString(SourceColumn *column, int i)
{
	switch (i)
	{
		case 0:
			return &column->name;
		case 1:
			return &column->argument;
		case 2:
			return &column->value;
		case 3:
			return &column->values;
		default:
			return &column->sample_argument;
	}
}

#define COLUMN_STRINGS		5

/* Writes what workers must know of a source. */
static void
WriteSource(StringInfo to, const GpufimSource *source)
{
	GpufimSource copy = *source;

	appendBinaryStringInfo(to, (const char *) &copy, sizeof(copy));
	for (int i = 0; i < source->ncolumns; i++)
	{
		for (int s = 0; s < COLUMN_STRINGS; s++)
		{
			const char *string = *ColumnString(&copy.columns[i], s);

			/* what is not given is in no message */
			if (string == NULL)
				string = "";
			appendBinaryStringInfo(to, string, strlen(string) + 1);
		}
	}
}

static GpufimSource *
ReadSourceCopy(const char *from)
{
	GpufimSource *source = palloc(sizeof(GpufimSource));

	memcpy(source, from, sizeof(GpufimSource));
	from += sizeof(GpufimSource);
	source->plan = NULL;
	source->given = source->from = NULL;
	for (int i = 0; i < source->ncolumns; i++)
	{
		for (int s = 0; s < COLUMN_STRINGS; s++)
		{
			*ColumnString(&source->columns[i], s) = pstrdup(from);
			from += strlen(from) + 1;
		}
	}
	return source;
}

/*
 * The leader's side.
 */

/* The state of the aggregate.  It may outlive what it reads: anybody's query may have got the handle. */
typedef struct ReadState
{
	int64		handle;
	struct ReadHelper *helper;		/* NULL in the leader */
	Receiver   *receiver;		/* the helper's; NULL: none has begun */
} ReadState;

/* What the leader is reading. */
typedef struct Reading
{
	Receiver   *receiver;
	SharedReading *shared;
	PartSegment *files;			/* the segment of what is shared */
	int64		handle;
	List	   *tickets;		/* what workers have left, of parts; in the ledger's memory */
} Reading;

/* NULL: nothing is being read. */
static Reading *Current = NULL;

/* Makes the segment in which workers find what to read.  Returns false if there is no room for one. */
static bool
CreateShared(Reading *reading)
{
	const Receiver *receiver = reading->receiver;
	const ReceiverKind *kind = receiver->kind;
	MemoryLedger *ledger = receiver->ledger;
	SharedReading *shared;
	dsm_segment *segment;
	StringInfoData data;

	initStringInfo(&data);
	appendBinaryStringInfo(&data, (const char *) (receiver + 1), kind->input_size);
	WriteSource(&data, receiver->source);
	segment = SegmentCreate(offsetof(SharedReading, data) + data.len);
	if (segment == NULL)
		return false;
	shared = dsm_segment_address(segment);
	memset(shared, 0, offsetof(SharedReading, data));
	shared->magic = READING_MAGIC;
	shared->leader = MyProcPid;
	if (!pg_strong_random(&shared->secret, sizeof(shared->secret)))
		elog(ERROR, "could not make a random number");
	strlcpy(shared->symbol, kind->symbol, NAMEDATALEN);
	shared->input_size = kind->input_size;
	memcpy(shared->data, data.data, data.len);
	SharedFileSetInit(&shared->files, segment);
	SegmentPlacesInit(&shared->places, segment);
	pg_atomic_init_u64(&shared->rows, receiver->rows->rows_read);
	pg_atomic_init_u32(&shared->parts, 0);
	reading->shared = shared;
	reading->handle = (int64) ((uint64) shared->secret << 32 | dsm_segment_handle(segment));

	reading->files = PartSegmentAdd(ledger, segment);
	LedgerMakeRoom(ledger, dsm_segment_map_length(segment), "reading in parallel");
	LedgerShare(ledger, &shared->memory);
	return true;
}

static void
ExecuteAggregate(SPIPlanPtr plan, Reading *reading)
{
	Reading    *outer = Current;
	ResourceOwner owner = AttemptExecutes(reading->receiver->ledger);
	int			result;

	Current = reading;
	PG_TRY();
	{
		result = SPI_execute_plan(plan, NULL, NULL, true, 0);
		if (result != SPI_OK_SELECT)
			elog(ERROR, "SPI_execute_plan failed: %s", SPI_result_code_string(result));
	}
	PG_FINALLY();
	{
		Current = outer;
	}
	PG_END_TRY();
	CurrentResourceOwner = owner;
}

/* Takes the parts that workers have left.  From then on, this process alone counts the memory. */
static void
TakeParts(Reading *reading)
{
	Receiver   *receiver = reading->receiver;
	SharedReading *shared = reading->shared;
	ListCell   *cell;

	LedgerUnshare(receiver->ledger);
	foreach(cell, reading->tickets)
	{
		const char *tickets = VARDATA(lfirst(cell)) + sizeof(int64);
		const char *end = (const char *) lfirst(cell) + VARSIZE(lfirst(cell));

		for (; tickets < end; tickets += PartTicketSize(tickets))
			PartTake(receiver, tickets, &shared->files, reading->files, &shared->places);
	}
	CurrentRun->read_workers += list_length(reading->tickets);
	receiver->shared = NULL;
}

/*
 * The leader may have read all of its rows, while others are still reading: a time for work that must be done when all
 * have been read, and for sharing them with those who help then.
 */
static void
Pause(Reading *reading)
{
	Receiver   *receiver = reading->receiver;
	ResourceOwner owner = AttemptKeeps(receiver->ledger);

	if (receiver->kind->pause != NULL)
		receiver->kind->pause(receiver);
	/* if there is anybody to share them with */
	if (pg_atomic_read_u32(&reading->shared->parts) > 0)
		ReceiverShare(receiver);
	CurrentResourceOwner = owner;
}

/*
 * The other way, by a DestReceiver.
 */

typedef struct QueryReceiver
{
	DestReceiver pub;			/* must be first */
	Receiver   *receiver;
	SourceRow	row;
} QueryReceiver;

static bool
ReceiveSlot(TupleTableSlot *slot, DestReceiver *self)
{
	QueryReceiver *query = (QueryReceiver *) self;

	slot_getsomeattrs(slot, query->row.ncolumns);
	query->row.values = (const char *) slot->tts_values;
	query->row.nulls = (const char *) slot->tts_isnull;
	ReceiverTake(query->receiver, &query->row);
	return true;
}

static void
Startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static void
Shutdown(DestReceiver *self)
{
}

static void
ExecuteHere(GpufimSource *source, Receiver *receiver)
{
	QueryReceiver query = {
		.receiver = receiver,
		.row = {.ncolumns = source->ncolumns,.types = receiver->types,
		.value_step = sizeof(Datum),.null_step = sizeof(bool)}
	};
	SPIExecuteOptions options = {0};
	ResourceOwner owner = AttemptExecutes(receiver->ledger);
	int			result;

	query.pub.receiveSlot = ReceiveSlot;
	query.pub.rStartup = Startup;
	query.pub.rShutdown = Shutdown;
	query.pub.rDestroy = Shutdown;
	query.pub.mydest = DestTuplestore; /* SPI treats some others specially */
	options.read_only = true;
	options.dest = &query.pub;
	result = SPI_execute_plan_extended(source->plan, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s",
			 SPI_result_code_string(result));
	CurrentResourceOwner = owner;
}

/* The rows of a receiver go to where other processes can read them. */
static void
UseStore(Receiver *receiver)
{
	ChunkStore *store = ChunkStoreCreate(receiver->ledger);
	ReceiverContents contents = {0};

	receiver->kind->contents(receiver, &contents);
	for (int i = 0; i < contents.nrows; i++)
		contents.rows[i]->store = store;
}

/* With less memory than this for each process, one process does better alone. */
#define LEAST_OF_A_PROCESS	((uint64) 1024 * 1024)

/* Reads with several processes.  Returns false, and has read nothing, if one process has to do it. */
static bool
ReadInParallel(GpufimSource *source, Receiver *receiver)
{
	Reading		reading = {.receiver = receiver};
	SPIPlanPtr	plan;

	if (receiver->kind->contents == NULL || receiver->ledger->attempt == NULL ||
		receiver->ledger->limit / LEAST_OF_A_PROCESS < max_parallel_workers_per_gather + 1 ||
		SourceParallelPlan(source, 0) == NULL)
		return false;
	AttemptBegin(receiver->ledger->attempt);
	if (!CreateShared(&reading))
		return false;
	receiver->shared = reading.shared;
	receiver->reported = receiver->rows->rows_read;
	receiver->rows->numbered = false;
	plan = SourceParallelPlan(source, reading.handle);
	if (plan != NULL)
	{
		UseStore(receiver);
		ExecuteAggregate(plan, &reading);
	}
	else
		ExecuteHere(source, receiver);
	receiver->kind->end(receiver);
	TakeParts(&reading);
	PartSegmentRelease(reading.files);
	return true;
}

void
SourceRead(GpufimSource *source, const ReceiverKind *kind, Receiver *receiver,
		   MemoryLedger *ledger)
{
	receiver->kind = kind;
	receiver->source = source;
	receiver->ledger = ledger;
	ReceiverBegin(receiver);
	if (!ReadInParallel(source, receiver))
	{
		ExecuteHere(source, receiver);
		kind->end(receiver);
	}
	ShowRows(receiver);
}

/*
 * A worker's side.
 */

/* Rows after which a worker looks at the memory again. */
#define ROWS_TO_CHECK	1024

/* What a worker knows. */
typedef struct ReadHelper
{
	ReadState	state;
	SharedReading *shared;
	MemoryContext context;
	const ReceiverKind *kind;
	GpufimSource *source;
	StringInfoData tickets;		/* the handle, and tickets of the parts that have been left */
} ReadHelper;

static Receiver *
BeginReceiver(ReadHelper *helper)
{
	MemoryContext caller = MemoryContextSwitchTo(helper->context);
	MemoryLedger *ledger = LedgerCreateShared(&helper->shared->memory);
	Receiver   *receiver = MemoryContextAllocZero(ledger->context, helper->kind->size);
	ReceiverContents contents = {0};
	uint32		number = pg_atomic_fetch_add_u32(&helper->shared->parts, 1);

	memcpy(receiver + 1, helper->shared->data, helper->shared->input_size);
	receiver->kind = helper->kind;
	receiver->source = helper->source;
	receiver->ledger = ledger;
	receiver->shared = helper->shared;
	receiver->helps = true;
	ReceiverBegin(receiver);
	UseStore(receiver);
	helper->kind->contents(receiver, &contents);
	for (int i = 0; i < contents.nrows; i++)
	{
		contents.rows[i]->numbered = false;
		contents.rows[i]->shared_files = &helper->shared->files;
		snprintf(contents.rows[i]->file_name, sizeof(contents.rows[i]->file_name), "%u.%d", number, i);
	}
	MemoryContextSwitchTo(caller);
	return receiver;
}

static void
LeavePart(ReadHelper *helper)
{
	MemoryContext caller = MemoryContextSwitchTo(helper->context);
	Receiver   *receiver = helper->state.receiver;
	SharedReading *shared = helper->shared;

	receiver->kind->end(receiver);
	(void) SharedRows(shared, receiver->rows->rows_read - receiver->reported);
	PartLeave(receiver, &shared->places, &helper->tickets);
	LedgerDestroy(receiver->ledger);
	helper->state.receiver = NULL;
	MemoryContextSwitchTo(caller);
}

/* A worker that needs much memory beside others leaves what it has read so far. */
static void
CheckMemory(ReadHelper *helper)
{
	const MemoryLedger *ledger = helper->state.receiver->ledger;

	if (ledger->used > ledger->limit / LEDGER_LITTLE / 2 && LedgerUsed(ledger) > ledger->limit / 2)
		LeavePart(helper);
}

pg_noreturn static void
RaiseNotCalled(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("gpufim_read() can only be called by functions of gpufim")));
}

/* The process that this worker works for; 0 if this is none. */
static pid_t
LeaderPid(void)
{
	return IsParallelWorker() && MyProc->lockGroupLeader != NULL ? MyProc->lockGroupLeader->pid : 0;
}

/* Attaches what the leader shares, for as long as this process lives. */
static SharedReading *
AttachShared(int64 handle)
{
	static SharedReading *attached = NULL;
	static int64 attached_handle = 0;
	SharedReading *shared;
	dsm_segment *segment;

	if (attached_handle == handle && attached != NULL)
		return attached;
	/* what is attached already is none of ours */
	if (dsm_find_mapping((dsm_handle) (uint64) handle) != NULL)
		RaiseNotCalled();
	segment = dsm_attach((dsm_handle) (uint64) handle);
	if (segment == NULL)
		RaiseNotCalled();
	shared = dsm_segment_address(segment);
	if (dsm_segment_map_length(segment) < offsetof(SharedReading, data) ||
		shared->magic != READING_MAGIC || shared->leader != LeaderPid() ||
		shared->secret != (uint32) ((uint64) handle >> 32))
		RaiseNotCalled();
	dsm_pin_mapping(segment);
	SharedFileSetAttach(&shared->files, segment);
	attached = shared;
	attached_handle = handle;
	return shared;
}

static ReadHelper *
CreateHelper(MemoryContext context, int64 handle)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	ReadHelper	   *helper = palloc0(sizeof(ReadHelper));

	helper->shared = AttachShared(handle);
	helper->context = context;
	helper->kind = (const ReceiverKind *)
		load_external_function("gpufim", helper->shared->symbol, true, NULL);
	helper->source = ReadSourceCopy(helper->shared->data + helper->shared->input_size);
	helper->state.handle = handle;
	helper->state.helper = helper;
	initStringInfo(&helper->tickets);
	appendBinaryStringInfo(&helper->tickets, (const char *) &handle, sizeof(handle));
	MemoryContextSwitchTo(caller);
	return helper;
}

/*
 * The aggregate.  In the leader, all states are of the source that is being read.
 */

#define FIRST_COLUMN	2		/* after the state and the handle */

static bool
FitsSource(FunctionCallInfo fcinfo, const GpufimSource *source)
{
	if (PG_NARGS() != FIRST_COLUMN + source->ncolumns)
		return false;
	for (int i = 0; i < source->ncolumns; i++)
	{
		if (get_fn_expr_argtype(fcinfo->flinfo, FIRST_COLUMN + i) != source->columns[i].result)
			return false;
	}
	return true;
}

/* Is this the handle of the source that this process is reading for itself? */
static inline bool
IsCurrent(int64 handle)
{
	return Current != NULL && Current->handle == handle;
}

/* The state for the first row. */
static ReadState *
FirstState(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	int64		handle;
	ReadHelper	   *helper;
	ReadState  *state;

	if (!AggCheckCallContext(fcinfo, &context) || PG_ARGISNULL(1))
		RaiseNotCalled();
	handle = PG_GETARG_INT64(1);
	if (IsCurrent(handle))
	{
		if (!FitsSource(fcinfo, Current->receiver->source))
			RaiseNotCalled();
		state = MemoryContextAllocZero(context, sizeof(ReadState));
		state->handle = handle;
		return state;
	}
	if (!IsParallelWorker())
		RaiseNotCalled();
	helper = CreateHelper(context, handle);
	if (!FitsSource(fcinfo, helper->source))
		RaiseNotCalled();
	return &helper->state;
}

/* The receiver of the state's rows. */
static inline Receiver *
ReceiverOf(ReadState *state)
{
	if (state->helper == NULL)
	{
		if (unlikely(!IsCurrent(state->handle)))
			RaiseNotCalled();
		return Current->receiver;
	}
	if (unlikely(state->receiver == NULL))
		state->receiver = BeginReceiver(state->helper);
	return state->receiver;
}

PG_FUNCTION_INFO_V1(gpufim_read_row);

Datum
gpufim_read_row(PG_FUNCTION_ARGS)
{
	ReadState  *state = PG_ARGISNULL(0) ? FirstState(fcinfo) : (ReadState *) PG_GETARG_POINTER(0);
	Receiver   *receiver = ReceiverOf(state);
	SourceRow	row = {PG_NARGS() - FIRST_COLUMN, receiver->types,
	(const char *) &fcinfo->args[FIRST_COLUMN].value, sizeof(NullableDatum),
	(const char *) &fcinfo->args[FIRST_COLUMN].isnull, sizeof(NullableDatum)};

	ReceiverTake(receiver, &row);
	if (unlikely(receiver->rows->rows_read % ROWS_TO_CHECK == 0) && state->helper != NULL)
		CheckMemory(state->helper);
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(gpufim_read_serialize);

/* A worker's tickets; nothing from the leader, which knows what it has read. */
Datum
gpufim_read_serialize(PG_FUNCTION_ARGS)
{
	ReadHelper	   *helper;
	bytea	   *tickets;

	if (!AggCheckCallContext(fcinfo, NULL))
		RaiseNotCalled();
	helper = ((ReadState *) PG_GETARG_POINTER(0))->helper;
	if (helper == NULL)
	{
		if (IsCurrent(((ReadState *) PG_GETARG_POINTER(0))->handle))
			Pause(Current);
		tickets = palloc(VARHDRSZ);
		SET_VARSIZE(tickets, VARHDRSZ);
		PG_RETURN_BYTEA_P(tickets);
	}
	if (helper->state.receiver != NULL)
		LeavePart(helper);
	tickets = palloc(VARHDRSZ + helper->tickets.len);
	SET_VARSIZE(tickets, VARHDRSZ + helper->tickets.len);
	memcpy(VARDATA(tickets), helper->tickets.data, helper->tickets.len);
	PG_RETURN_BYTEA_P(tickets);
}

PG_FUNCTION_INFO_V1(gpufim_read_deserialize);

/* The leader keeps the tickets of a worker.  There is nothing in the state that takes their place. */
Datum
gpufim_read_deserialize(PG_FUNCTION_ARGS)
{
	static ReadState empty = {0};
	MemoryContext caller;
	bytea	   *tickets;
	int64		handle;

	if (!AggCheckCallContext(fcinfo, NULL))
		RaiseNotCalled();
	if (VARSIZE_ANY_EXHDR(PG_GETARG_POINTER(0)) > 0)
	{
		memcpy(&handle, VARDATA_ANY(PG_GETARG_POINTER(0)), sizeof(handle));
		if (!IsCurrent(handle))
			RaiseNotCalled();
		caller = MemoryContextSwitchTo(Current->receiver->ledger->context);
		tickets = PG_GETARG_BYTEA_P_COPY(0);
		Current->tickets = lappend(Current->tickets, tickets);
		MemoryContextSwitchTo(caller);
	}
	PG_RETURN_POINTER(&empty);
}

PG_FUNCTION_INFO_V1(gpufim_read_combine);

/* There is nothing left to combine. */
Datum
gpufim_read_combine(PG_FUNCTION_ARGS)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		RaiseNotCalled();
	if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(PG_GETARG_POINTER(PG_ARGISNULL(0) ? 1 : 0));
}

PG_FUNCTION_INFO_V1(gpufim_read_finish);

/* What a worker has read must have gone to the leader. */
Datum
gpufim_read_finish(PG_FUNCTION_ARGS)
{
	if (!AggCheckCallContext(fcinfo, NULL) ||
		(!PG_ARGISNULL(0) && ((ReadState *) PG_GETARG_POINTER(0))->helper != NULL))
		RaiseNotCalled();
	PG_RETURN_BOOL(true);
}
