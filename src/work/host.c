/*-------------------------------------------------------------------------
 *
 * host.c
 *	  The host of an engine that runs in one of the server's processes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "work/work.h"

/*
 * Bytes of the stack that are set aside for raising an error, for what runs between two
 * checks of the stack, and for the environment.
 */
#define STACK_RESERVE	(256 * 1024)

/*
 * The largest block that small allocations of an engine share.  A block is taken when the
 * first of them needs it, so this is how far a call can get beyond its limit.
 */
#define SHARED_BLOCK	(64 * 1024)

void
JobMemoryHold(JobMemory *memory, int64 more)
{
	uint64		used = pg_atomic_add_fetch_u64(&memory->used, more);
	uint64		peak = pg_atomic_read_u64(&memory->peak);

	while (used > peak && !pg_atomic_compare_exchange_u64(&memory->peak, &peak, used))
		;
	/*
	 * at once, because whatever comes next may raise an error; workers have no figures, and while a call
	 * that pauses is given up, those here are another call's
	 */
	if (more > 0 && CurrentRun != NULL)
		RunTrackMemory(used);
}

void
JobMemoryForgetEngines(JobMemory *memory)
{
	pg_atomic_write_u64(&memory->used, memory->held);
}

void
JobMemoryHoldForCall(JobMemory *memory, int64 more)
{
	memory->held += more;
	JobMemoryHold(memory, more);
}

bool
JobMemoryReserve(JobMemory *memory, uint64 bytes)
{
	if (WithinMemoryLimit(pg_atomic_add_fetch_u64(&memory->used, bytes)))
		return true;
	pg_atomic_sub_fetch_u64(&memory->used, bytes);
	return false;
}

/* Count what the context has taken since "before", of which so many bytes have been counted. */
static void
Charge(JobHost *host, Size before, Size counted)
{
	JobMemoryHold(host->memory, (int64) (MemoryContextMemAllocated(host->context, false) - before - counted));
}

/*
 * Does the limit allow to allocate these bytes?  Then they are counted.  Returns false if it would allow them to this
 * process alone, and raises an error if not even that.
 */
static bool
MayTake(const JobHost *host, uint64 bytes)
{
	JobMemory  *memory = host->memory;
	uint64		used;

	if (JobMemoryReserve(memory, bytes))
		return true;
	used = pg_atomic_read_u64(&memory->used);
	if (host->has_company)
		used = memory->held + MemoryContextMemAllocated(host->context, false);
	CheckMemoryLimit(used, bytes, "mining");
	return false;
}

void *
JobHostTake(JobHost *host, size_t bytes)
{
	Size		before = MemoryContextMemAllocated(host->context, false);
	void	   *block = MemoryContextAllocExtended(host->context, bytes,
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);

	Charge(host, before, bytes);
	return block;
}

static void *
HostAlloc(FimHost *fim_host, size_t bytes)
{
	JobHost    *host = (JobHost *) fim_host;
	void	   *block = MayTake(host, bytes) ? JobHostTake(host, bytes) : NULL;

	if (block == NULL)
		host->crowded = host->has_company;
	return block;
}

static void
HostFree(FimHost *fim_host, void *block)
{
	JobHost    *host = (JobHost *) fim_host;
	Size		before = MemoryContextMemAllocated(host->context, false);

	if (block == NULL)
		return;
	pfree(block);
	Charge(host, before, 0);
}

/*
 * The address that the stack must not reach while mining.  Mining may use all of the
 * stack that the system allows, and not only max_stack_depth, because it compares the
 * address at each node of its search.  NULL if there is no limit or it is not known.
 * A server in single-user mode may not have noted where its stack begins; then it is
 * taken to begin here.
 */
static const char *
StackEnd(void)
{
	pg_stack_base_t base = set_stack_base();
	long		allowed = get_stack_depth_rlimit();

	restore_stack_base(base);
	if (base == NULL)
		base = __builtin_frame_address(0);
	if (allowed <= STACK_RESERVE || allowed == LONG_MAX)
		return NULL;
	return (const char *) base - (allowed - STACK_RESERVE);
}

void
JobHostCheckStack(const FimHost *host)
{
	if ((const char *) __builtin_frame_address(0) < host->stack_end)
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("stack depth limit exceeded"),
				 errdetail("The search for long itemsets needs more of the stack than the system allows."),
				 errhint("Raise \"minsup\", or the platform's limit of the stack's size.")));
}

bool
PollInterrupts(FimHost *host)
{
	CHECK_FOR_INTERRUPTS();
	return false;
}

static bool
HostPoll(FimHost *host)
{
	JobHostCheckStack(host);
	return PollInterrupts(host);
}

void
JobHostInit(JobHost *host, JobMemory *memory)
{
	host->host.alloc = HostAlloc;
	host->host.free = HostFree;
	host->host.poll = HostPoll;
	host->host.stack_end = StackEnd();
	host->context = AllocSetContextCreate(CurrentMemoryContext, "gpufim mining",
										  ALLOCSET_DEFAULT_MINSIZE, ALLOCSET_DEFAULT_INITSIZE, SHARED_BLOCK);
	host->memory = memory;
	host->has_company = host->crowded = false;
	/* JobHostFree() subtracts all that the context holds, and it holds a block already */
	JobMemoryHold(memory, (int64) MemoryContextMemAllocated(host->context, false));
}

void
JobHostFree(JobHost *host)
{
	Size		held = MemoryContextMemAllocated(host->context, false);

	MemoryContextDelete(host->context);
	host->context = NULL;
	pg_atomic_sub_fetch_u64(&host->memory->used, (int64) held);
}

void
JobOutOfMemory(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("out of memory"),
			 errdetail("The system has no more memory for mining."),
			 errhint("Raise \"minsup\" where there is one, or select fewer rows or items.")));
	pg_unreachable();
}
