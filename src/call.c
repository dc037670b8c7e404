/*-------------------------------------------------------------------------
 *
 * call.c
 *	  What a call is doing and what the last one did, and the frame that keeps these figures
 *	  however the call ends.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "datatype/timestamp.h"
#include "engine/gpu.h"
#include "engine/parts.h"
#include "gpufim.h"
#include "lib/stringinfo.h"
#include "port/atomics.h"
#include "portability/instr_time.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

/*
 * What a call is doing, and what the last one did.
 *
 * The figures of a running call lie in a slot.  When gpufim is in
 * shared_preload_libraries, it is this backend's slot in an array in shared memory,
 * which every session can look at; otherwise it lies in this process.  Only the owner
 * writes.  Readers take no lock and may see a figure that is a moment older than
 * another; the pid is set last and cleared first, so that a slot in use is complete.
 *
 * A source can be a query that itself mines.  The inner call then uses the slot
 * and the outer call's figures wait in the inner one's frame.
 *
 * A call whose rows are taken while they are found pauses in between.  Then its figures
 * wait in its own frame, and other calls begin and end meanwhile.  The slot goes on showing
 * it until another call needs the slot.
 *
 * Figures tell how many rows and different values a table has, so they are for those who
 * could read the table: members of the role with whose privileges the call has read it.  That is
 * the current role, not the session's, which has not the privileges of a SECURITY DEFINER function.
 */

/*
 * A call, and the private part of its figures.  A source can be a query that calls functions of
 * ours, so that calls nest.
 */
typedef struct RunFrame
{
	MemoryContext context;		/* of all that belongs to the call, this frame included */
	bool		goes_on;		/* the step that runs has not ended the call */
	bool		pauses;
	struct RunFrame *outer;
	GpufimRun	put_aside;		/* the outer call's figures while this one runs, its own while it pauses */
	MemoryContextCallback forget;
	instr_time	started;
	instr_time	phase_started;
	int64	   *lengths;		/* results by length, lengths[0 .. nlengths-1] */
	uint64		nlengths;
} RunFrame;

/*
 * The number of columns of gpufim_last_run().  Versions add columns at the end, and a
 * function that an earlier version declared takes those that come before.
 */
#define GPU_REPORT_COLUMNS	(3 + 2 * FIM_GPU_NPHASES)
#define LAST_RUN_COLUMNS	(22 + GPU_REPORT_COLUMNS + 3)

typedef struct RunSlot
{
	pid_t		pid;			/* 0: nothing runs */
	GpufimRun	run;
} RunSlot;

typedef struct LastRun
{
	bool		valid;
	bool		completed;
	GpufimRun	run;
	double		total_ms;
	int64	   *lengths;
	uint64		nlengths;
} LastRun;

GpufimRun  *CurrentRun = NULL;

static RunFrame *CurrentFrame = NULL;
static RunFrame *ShownFrame = NULL; /* the call that pauses and still is in the slot */
static RunSlot LocalSlot;
static RunSlot *SharedSlots = NULL; /* one per backend, when preloaded */
static RunSlot *OwnSlot = NULL;
static LastRun Last;
static ProcessUtility_hook_type PreviousUtility = NULL;

static const char *const PhaseNames[GPUFIM_NPHASES] = {"reading", "encoding", "waiting",
	"mining"};

static Size
SharedSlotsSize(void)
{
	return mul_size(BackendCount(), sizeof(RunSlot));
}

void
RunShmemRequest(void)
{
	RequestAddinShmemSpace(SharedSlotsSize());
}

void
RunShmemStartup(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	SharedSlots = ShmemInitStruct("gpufim progress", SharedSlotsSize(), &found);
	if (!found)
		memset(SharedSlots, 0, SharedSlotsSize());
	LWLockRelease(AddinShmemInitLock);
}

/* Has a backend that is terminated in the middle of a call leave no row in gpufim_progress. */
static void
ClearSlotAtExit(int code, Datum arg)
{
	OwnSlot->pid = 0;
}

static void
ForgetLastRun(void)
{
	if (Last.lengths)
		pfree(Last.lengths);
	memset(&Last, 0, sizeof(Last));
}

/* DISCARD ALL leaves a session as if it had just begun, and connection pools rely on that. */
static void
ForgetWhenDiscarded(PlannedStmt *pstmt, const char *query, bool read_only_tree,
					ProcessUtilityContext context, ParamListInfo params,
					QueryEnvironment *environment, DestReceiver *dest, QueryCompletion *completion)
{
	DiscardStmt *statement = (DiscardStmt *) pstmt->utilityStmt;
	bool		all = IsA(statement, DiscardStmt) && statement->target == DISCARD_ALL;

	(PreviousUtility ? PreviousUtility : standard_ProcessUtility) (pstmt, query, read_only_tree, context,
																   params, environment, dest, completion);
	if (all)
		ForgetLastRun();
}

/* Done in a session's first call. */
static void
ClaimSlot(void)
{
	if (OwnSlot != NULL)
		return;
	OwnSlot = SharedSlots ? &SharedSlots[BackendIndex()] : &LocalSlot;
	before_shmem_exit(ClearSlotAtExit, (Datum) 0);
	PreviousUtility = ProcessUtility_hook;
	ProcessUtility_hook = ForgetWhenDiscarded;
}

double
MillisecondsSince(instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_MILLISEC(now);
}

/* Begin a call, or go on with it: its figures come into the slot. */
static void
EnterFrame(RunFrame *frame, const GpufimRun *run)
{
	frame->outer = CurrentFrame;
	if (frame->outer)
		frame->put_aside = OwnSlot->run;
	ShownFrame = NULL;
	OwnSlot->run = *run;
	pg_write_barrier();
	OwnSlot->pid = MyProcPid;
	CurrentFrame = frame;
	CurrentRun = &OwnSlot->run;
	INSTR_TIME_SET_CURRENT(frame->phase_started);
}

/* RunEnd() must follow RunBegin(), whether the call completes or fails. */
static void
RunBegin(RunFrame *frame, const char *function, Oid schema)
{
	GpufimRun	run = {.phase = GPUFIM_READING,.role = GetUserId(),.schema = schema,.started = GetCurrentTimestamp()};

	strlcpy(run.function, function, NAMEDATALEN);
	ClaimSlot();
	EnterFrame(frame, &run);
	frame->started = frame->phase_started;
}

static void
ClosePhase(void)
{
	CurrentRun->phase_ms[CurrentRun->phase] += MillisecondsSince(CurrentFrame->phase_started);
	INSTR_TIME_SET_CURRENT(CurrentFrame->phase_started);
}

static void
NoteLastRun(const RunFrame *frame, const GpufimRun *run, bool completed)
{
	ForgetLastRun();
	Last.valid = true;
	Last.completed = completed;
	Last.run = *run;
	Last.total_ms = MillisecondsSince(frame->started);
	Last.lengths = frame->lengths;
	Last.nlengths = frame->nlengths;
}

/* Go back to the outer call, if there is one. */
static void
LeaveFrame(const RunFrame *frame)
{
	CurrentFrame = frame->outer;
	if (frame->outer)
		OwnSlot->run = frame->put_aside;
	else
		CurrentRun = NULL;
}

static void
RunEnd(RunFrame *frame, bool completed)
{
	ClosePhase();
	NoteLastRun(frame, CurrentRun, completed);
	if (frame->outer == NULL)
		OwnSlot->pid = 0;
	LeaveFrame(frame);
}

static void
RunPause(RunFrame *frame)
{
	GpufimRun	run;

	ClosePhase();
	run = *CurrentRun;
	LeaveFrame(frame);
	frame->put_aside = run;
	frame->pauses = true;
	if (frame->outer == NULL)
		ShownFrame = frame;
}

static void
RunResume(RunFrame *frame)
{
	GpufimRun	run = frame->put_aside;

	frame->pauses = false;
	EnterFrame(frame, &run);
}

/*
 * The memory of a call goes: if it pauses, it is given up, or its query has failed.  That of a call in another
 * one's source fails together with the other call, which has been noted by then and is the last one.
 */
static void
ForgetCall(void *arg)
{
	RunFrame   *frame = arg;

	if (!frame->pauses)
		return;
	if (frame->outer == NULL)
		NoteLastRun(frame, &frame->put_aside, false);
	else if (frame->lengths != NULL)
		pfree(frame->lengths);
	if (ShownFrame == frame)
	{
		ShownFrame = NULL;
		OwnSlot->pid = 0;
	}
}

const GpufimRun *
LastRunFigures(void)
{
	return &Last.run;
}

void
RunEnterPhase(GpufimPhase phase)
{
	ClosePhase();
	CurrentRun->phase = phase;
	CurrentRun->done = 0;
	CurrentRun->total = 0;
}

void
RunTrackMemory(int64 bytes)
{
	if (bytes > CurrentRun->peak_bytes)
		CurrentRun->peak_bytes = bytes;
}

void
RunBeginFingerprint(const FimPart *part)
{
	CurrentRun->is_part = true;
	RunAddFingerprint(FimFingerprintOf(GPUFIM_VERSION, strlen(GPUFIM_VERSION)));
	RunAddFingerprint(FimFingerprintOf(CurrentRun->function, strlen(CurrentRun->function)));
	RunAddFingerprint(part->of);
}

void
RunAddFingerprint(uint64 print)
{
	CurrentRun->fingerprint = FimFingerprint2(CurrentRun->fingerprint, print);
}

int64 *
RunLengths(uint64 nlengths)
{
	RunFrame   *frame = CurrentFrame;

	if (nlengths > frame->nlengths)
	{
		nlengths = Max(nlengths, Max(2 * frame->nlengths, 32));
		if (frame->lengths == NULL)
			frame->lengths = MemoryContextAllocHuge(TopMemoryContext, nlengths * sizeof(int64));
		else
			frame->lengths = repalloc_huge(frame->lengths, nlengths * sizeof(int64));
		memset(frame->lengths + frame->nlengths, 0,
			   (nlengths - frame->nlengths) * sizeof(int64));
		frame->nlengths = nlengths;
	}
	return frame->lengths;
}

int64
RunMostOfLength(uint64 *length)
{
	const RunFrame *frame = CurrentFrame;
	int64		most = 0;

	for (uint64 i = 1; i < frame->nlengths; i++)
	{
		if (frame->lengths[i] <= most)
			continue;
		most = frame->lengths[i];
		*length = i;
	}
	return most;
}

/* Results by length from 1 to the longest found, as bigint[]; NULL if an array has no room for them. */
static void
PutLengths(const int64 *lengths, uint64 nlengths, Datum *value, bool *isnull)
{
	Datum	   *values;
	uint64		longest = nlengths > 0 ? nlengths - 1 : 0;

	while (longest > 0 && lengths[longest] == 0)
		longest--;
	*isnull = longest * sizeof(int64) > MaxAllocSize - ARR_OVERHEAD_NONULLS(1);
	if (*isnull)
		return;
	values = palloc(Max(longest, 1) * sizeof(Datum));
	for (uint64 i = 0; i < longest; i++)
		values[i] = Int64GetDatum(lengths[i + 1]);
	*value = PointerGetDatum(construct_array(values, (int) longest, INT8OID, sizeof(int64),
											 FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Sets the columns of the GPU's report, which are NULL if no GPU mined. */
static void
PutGpuReport(const GpufimRun *run, Datum *values, bool *nulls)
{
	const FimGpuReport *report = &run->gpu;
	int			i = 0;

	memset(nulls, run->phase != GPUFIM_MINING || !run->on_gpu,
		   GPU_REPORT_COLUMNS * sizeof(bool));
	/* a call may have waited and then gone to the CPU */
	nulls[i] = nulls[i] && run->phase_ms[GPUFIM_WAITING] == 0;
	values[i++] = Float8GetDatum(run->phase_ms[GPUFIM_WAITING]);
	values[i++] = Int64GetDatum((int64) report->candidates);
	for (int phase = 0; phase < FIM_GPU_NPHASES; phase++)
	{
		values[i++] = Float8GetDatum(report->ms[phase]);
		values[i++] = Float8GetDatum(report->amount[phase]);
	}
	values[i++] = Int64GetDatum((int64) report->peak_memory);
	Assert(i == GPU_REPORT_COLUMNS);
}

void
RunAddDetail(const char *name, int64 value)
{
	RunDetail  *detail;

	if (CurrentRun->ndetails == RUN_MAX_DETAILS)
		elog(ERROR, "too many details of a call");
	detail = &CurrentRun->details[CurrentRun->ndetails++];
	detail->name = name;
	detail->value = value;
}

/* The figures that only the family has, as an object of jsonb; NULL if there are none. */
static void
PutDetails(const GpufimRun *run, Datum *value, bool *isnull)
{
	StringInfoData text;

	*isnull = run->ndetails == 0;
	if (*isnull)
		return;
	initStringInfo(&text);
	for (int i = 0; i < run->ndetails; i++)
		appendStringInfo(&text, "%c\"%s\": " INT64_FORMAT, i == 0 ? '{' : ',',
						 run->details[i].name, run->details[i].value);
	appendStringInfoChar(&text, '}');
	*value = DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

/* Not everybody may see what others do.  Members of pg_read_all_stats may, as in pg_stat_activity. */
static bool
MaySee(const GpufimRun *run)
{
	return has_privs_of_role(GetUserId(), run->role) ||
		has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);
}

PG_FUNCTION_INFO_V1(gpufim_last_run);

Datum
gpufim_last_run(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const GpufimRun *run = &Last.run;
	Datum		values[LAST_RUN_COLUMNS];
	bool		nulls[LAST_RUN_COLUMNS] = {false};
	bool		mined = run->phase == GPUFIM_MINING;
	int			i = 0;

	InitMaterializedSRF(fcinfo, 0);
	if (!Last.valid || !MaySee(run))
		return (Datum) 0;

	values[i++] = CStringGetTextDatum(run->function);
	values[i++] = TimestampTzGetDatum(run->started);
	values[i++] = BoolGetDatum(Last.completed);
	values[i++] = Int64GetDatum(run->rows_read);
	values[i++] = Int64GetDatum(run->transactions);
	values[i++] = Int64GetDatum(run->distinct_items);
	values[i++] = Int64GetDatum(run->frequent_items);
	values[i++] = Int64GetDatum(run->minsup);
	nulls[i] = !mined;
	values[i++] = CStringGetTextDatum(run->on_gpu ? "gpu" : "cpu");
	nulls[i] = !mined || run->strategy[0] == '\0';
	values[i++] = CStringGetTextDatum(run->strategy);
	nulls[i] = !mined;
	values[i++] = CStringGetTextDatum(run->device);
	values[i++] = Int32GetDatum((int32) run->workers);
	values[i++] = Int64GetDatum(run->nodes);
	values[i++] = Int64GetDatum(run->results);
	PutLengths(Last.lengths, Last.nlengths, &values[i], &nulls[i]);
	i++;
	values[i++] = Float8GetDatum(run->phase_ms[GPUFIM_READING]);
	values[i++] = Float8GetDatum(run->phase_ms[GPUFIM_ENCODING]);
	values[i++] = Float8GetDatum(Max(run->phase_ms[GPUFIM_MINING] - run->emit_ms, 0));
	values[i++] = Float8GetDatum(run->emit_ms);
	values[i++] = Float8GetDatum(Last.total_ms);
	values[i++] = Int64GetDatum(run->peak_bytes);
	values[i++] = Int64GetDatum(run->spilled_bytes);
	PutGpuReport(run, values + i, nulls + i);
	i += GPU_REPORT_COLUMNS;
	PutDetails(run, &values[i], &nulls[i]);
	i++;
	values[i++] = Int32GetDatum((int32) run->read_workers);
	nulls[i] = !run->is_part;
	values[i++] = CStringGetTextDatum(psprintf("%016llx", (unsigned long long) run->fingerprint));
	Assert(i == lengthof(values));

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	return (Datum) 0;
}

static Datum
ElapsedSince(TimestampTz start)
{
	return DirectFunctionCall2(timestamp_mi,
							   TimestampTzGetDatum(GetCurrentTimestamp()),
							   TimestampTzGetDatum(start));
}

static void
PutProgress(ReturnSetInfo *rsinfo, const RunSlot *slot)
{
	pid_t		pid = slot->pid;
	GpufimRun	run;
	Datum		values[9] = {0};
	bool		nulls[9];

	if (pid == 0)
		return;
	pg_read_barrier();
	run = slot->run;

	memset(nulls, true, sizeof(nulls));
	values[0] = Int32GetDatum(pid);
	nulls[0] = false;
	if (MaySee(&run))
	{
		memset(nulls, false, sizeof(nulls));
		values[1] = CStringGetTextDatum(run.function);
		values[2] = CStringGetTextDatum(PhaseNames[run.phase]);
		values[3] = Int32GetDatum((int32) run.level);
		nulls[3] = run.level == 0;
		values[4] = Int64GetDatum(run.done);
		values[5] = Int64GetDatum(run.total);
		nulls[5] = run.total == 0;
		values[6] = ElapsedSince(run.started);
		values[7] = Int64GetDatum(run.results);
		values[8] = Int32GetDatum((int32) run.workers);
	}
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

PG_FUNCTION_INFO_V1(gpufim_progress);

Datum
gpufim_progress(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	if (SharedSlots == NULL)
		PutProgress(rsinfo, &LocalSlot);
	else
		for (int i = 0; i < BackendCount(); i++)
			PutProgress(rsinfo, &SharedSlots[i]);
	return (Datum) 0;
}

/* A step of the call has ended, and with it the call, unless it goes on. */
static void
LeaveCall(RunFrame *frame)
{
	if (frame->goes_on)
		RunPause(frame);
	else
	{
		RunEnd(frame, true);
		MemoryContextDelete(frame->context);
	}
}

void
CallValueFunction(FunctionCallInfo fcinfo, const char *function, CallStep check, CallStep run,
				  void *request)
{
	MemoryContext call_context;
	MemoryContext caller;
	RunFrame   *frame;

	call_context = AllocSetContextCreate(CurrentMemoryContext, "gpufim call",
										 ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(call_context);
	check(fcinfo, request);

	frame = palloc0(sizeof(RunFrame));
	frame->context = call_context;
	RunBegin(frame, function, get_func_namespace(fcinfo->flinfo->fn_oid));
	PG_TRY();
	{
		run(fcinfo, request);
	}
	PG_CATCH();
	{
		RunEnd(frame, false);
		PG_RE_THROW();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	LeaveCall(frame);
}

RunFrame *
CallGoesOn(MemoryContext parent)
{
	RunFrame   *frame = CurrentFrame;

	frame->goes_on = true;
	frame->forget.func = ForgetCall;
	frame->forget.arg = frame;
	MemoryContextRegisterResetCallback(frame->context, &frame->forget);
	MemoryContextSetParent(frame->context, parent);
	return frame;
}

bool
CallGoOn(RunFrame *frame, bool (*step) (void *arg), void *arg)
{
	MemoryContext caller = MemoryContextSwitchTo(frame->context);
	volatile bool goes_on = false;

	RunResume(frame);
	PG_TRY();
	{
		goes_on = frame->goes_on = step(arg);
	}
	PG_CATCH();
	{
		RunEnd(frame, false);
		PG_RE_THROW();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	LeaveCall(frame);
	return goes_on;
}

void
CallGiveUp(RunFrame *frame)
{
	/* this one ends, while the one around it goes on */
	frame->outer = NULL;
	MemoryContextDelete(frame->context);
}

Datum
CallFunction(FunctionCallInfo fcinfo, const char *function, CallStep check, CallStep run,
			 void *request)
{
	InitMaterializedSRF(fcinfo, 0);
	CallValueFunction(fcinfo, function, check, run, request);
	return (Datum) 0;
}
