/*-------------------------------------------------------------------------
 *
 * memory.c
 *	  How much memory a call may use, and how much it has allocated for what it reads.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * Checks of how much memory a call may use.
 */

bool
WithinMemoryLimit(uint64 bytes)
{
	return bytes <= (uint64) MemoryLimit() * 1024;
}

/* Bytes in kB, rounded up, so that the setting can be given this value. */
static uint64
Kilobytes(uint64 bytes)
{
	return bytes / 1024 + (bytes % 1024 > 0);
}

void
CheckMemoryLimit(uint64 held, uint64 bytes, const char *what)
{
	bool		at_most = gpufim_max_memory_limit <= gpufim_memory_limit;
	const char *setting = at_most ? "gpufim.max_memory_limit" : "gpufim.memory_limit";
	uint64		needed = Kilobytes(held + bytes);
	uint64		next = 2 * (uint64) MemoryLimit();

	if (WithinMemoryLimit(held + bytes))
		return;
	/* a role is not sent beyond what an administrator allows it */
	if (!at_most)
		next = Min(next, gpufim_max_memory_limit);
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("not enough memory for %s", what),
			 errdetail("At least %llu kB are needed: %llu kB were held when %llu kB were asked for. "
					   "\"%s\" allows %d kB. The next limit to try is %llu kB.",
					   (unsigned long long) needed, (unsigned long long) Kilobytes(held),
					   (unsigned long long) Kilobytes(bytes), setting, MemoryLimit(),
					   (unsigned long long) Max(needed, next)),
			 at_most ?
			 errhint("Raise \"minsup\" where there is one, or select fewer rows or items. "
					 "Only an administrator can raise \"%s\".", setting) :
			 errhint("Raise \"%s\", raise \"minsup\" where there is one, or select fewer rows or items.",
					 setting)));
}

/*
 * How much memory a call has allocated for what it reads, and how much it may.
 */

/* Number of bytes that are cleared between two checks for interrupts. */
#define CLEAR_STEP				(4 * 1024 * 1024)

MemoryLedger *
LedgerCreateOutside(void)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpufim rows",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryLedger *ledger = MemoryContextAllocZero(context, sizeof(MemoryLedger));

	ledger->context = context;
	ledger->scratch = AllocSetContextCreate(context, "gpufim row", ALLOCSET_DEFAULT_SIZES);
	ledger->limit = (uint64) MemoryLimit() * 1024;
	return ledger;
}

MemoryLedger *
LedgerCreate(void)
{
	uint64		arguments = MemoryContextMemAllocated(CurrentMemoryContext, true);
	MemoryLedger *ledger = LedgerCreateOutside();

	ledger->used = arguments;
	ledger->of_run = true;
	return ledger;
}

MemoryLedger *
LedgerCreateShared(SharedLedger *shared)
{
	MemoryLedger *ledger = LedgerCreateOutside();

	ledger->shared = shared;
	ledger->helps = true;
	return ledger;
}

void
LedgerShare(MemoryLedger *ledger, SharedLedger *shared)
{
	pg_atomic_init_u64(&shared->used, ledger->used);
	pg_atomic_init_u64(&shared->spilled, 0);
	pg_atomic_init_u32(&shared->exceeded, 0);
	ledger->shared = shared;
}

void
LedgerUnshare(MemoryLedger *ledger)
{
	LedgerNoteSpilled(ledger, pg_atomic_read_u64(&ledger->shared->spilled));
	ledger->used = pg_atomic_read_u64(&ledger->shared->used);
	ledger->shared = NULL;
}

/* Closes what has been added since "last" was the newest relief. */
static void
CloseReliefs(MemoryLedger *ledger, const LedgerRelief *last)
{
	for (LedgerRelief *relief = ledger->reliefs; relief != last; relief = relief->next)
	{
		if (relief->close != NULL)
			relief->close(relief->arg);
	}
}

void
LedgerDestroy(MemoryLedger *ledger)
{
	CloseReliefs(ledger, NULL);
	/* what others will find of a process that has helped has been taken out of its ledger */
	if (ledger->helps)
		LedgerGiveBack(ledger, ledger->used);
	/* the context in which it was created, which may have others in it */
	MemoryContextDelete(GetMemoryChunkContext(ledger));
}

void
LedgerSave(MemoryLedger *ledger, MemoryLedger *saved)
{
	*saved = *ledger;
	ledger->context = AllocSetContextCreate(saved->context, "gpufim rows", ALLOCSET_DEFAULT_SIZES);
}

void
LedgerRestore(MemoryLedger *ledger, const MemoryLedger *saved)
{
	/* those that have shared it are gone, and maybe the place where they did */
	ledger->shared = NULL;
	CloseReliefs(ledger, saved->reliefs);
	MemoryContextDelete(ledger->context);
	MemoryContextReset(ledger->scratch);
	*ledger = *saved;
}

void
LedgerAddRelief(MemoryLedger *ledger, LedgerRelief *relief)
{
	relief->next = ledger->reliefs;
	ledger->reliefs = relief;
}

void
LedgerRelieve(MemoryLedger *ledger)
{
	LedgerRelief *relief;

	for (relief = ledger->reliefs; relief != NULL; relief = relief->next)
	{
		if (relief->relieve != NULL)
			relief->relieve(relief->arg);
	}
}

uint64
LedgerUsed(const MemoryLedger *ledger)
{
	return ledger->shared != NULL ? pg_atomic_read_u64(&ledger->shared->used) : ledger->used;
}

void
LedgerNoteSpilled(const MemoryLedger *ledger, uint64 bytes)
{
	if (ledger->helps)
		pg_atomic_fetch_add_u64(&ledger->shared->spilled, bytes);
	if (ledger->of_run)
		CurrentRun->spilled_bytes += bytes;
}

static void
CountBytes(MemoryLedger *ledger, int64 more)
{
	ledger->used += more;
	if (ledger->shared != NULL)
		pg_atomic_fetch_add_u64(&ledger->shared->used, more);
	if (more > 0 && ledger->of_run)
		RunTrackMemory(LedgerUsed(ledger));
}

/*
 * What counts when the limit is reached.  Whether a call succeeds must not depend on how many others
 * help it to read, and when.  They give way to it: once they use more than a little, all that is
 * used counts for them, and before that, what they have read goes to files.
 */
static uint64
UsedAgainstLimit(const MemoryLedger *ledger)
{
	return ledger->helps && ledger->used > ledger->limit / LEDGER_LITTLE ? LedgerUsed(ledger) : ledger->used;
}

/* Raises an error if the limit does not allow so many bytes more, and keeps in mind that it has. */
static void
CheckLimit(MemoryLedger *ledger, uint64 bytes, const char *what)
{
	uint64		held = UsedAgainstLimit(ledger);

	if (likely(WithinMemoryLimit(held + bytes)))
		return;
	ledger->exceeded = true;
	if (ledger->shared != NULL)
		pg_atomic_write_u32(&ledger->shared->exceeded, true);
	CheckMemoryLimit(held, bytes, what);
}

bool
LedgerExceeded(const MemoryLedger *ledger)
{
	return ledger->exceeded || (ledger->shared != NULL && pg_atomic_read_u32(&ledger->shared->exceeded));
}

static void
LedgerCharge(MemoryLedger *ledger, uint64 bytes, const char *what)
{
	uint64		comfortable = ledger->limit - ledger->limit / 4;

	if (LedgerUsed(ledger) + bytes > comfortable)
		LedgerRelieve(ledger);
	CheckLimit(ledger, bytes, what);
	CountBytes(ledger, bytes);
}

void *
LedgerAlloc(MemoryLedger *ledger, Size bytes, const char *what)
{
	LedgerCharge(ledger, bytes, what);
	return MemoryContextAllocHuge(ledger->context, bytes);
}

/* Zeroed memory, cleared in steps so that a gigabyte does not delay a cancel. */
void *
LedgerAllocZero(MemoryLedger *ledger, Size bytes, const char *what)
{
	char	   *block = LedgerAlloc(ledger, bytes, what);

	for (Size done = 0; done < bytes; done += CLEAR_STEP)
	{
		CHECK_FOR_INTERRUPTS();
		memset(block + done, 0, Min(CLEAR_STEP, bytes - done));
	}
	return block;
}

void *
LedgerGrow(MemoryLedger *ledger, void *block, Size old_bytes, Size bytes,
		   const char *what)
{
	if (block == NULL)
		return LedgerAlloc(ledger, bytes, what);
	LedgerCharge(ledger, bytes - old_bytes, what);
	return repalloc_huge(block, bytes);
}

void
LedgerFree(MemoryLedger *ledger, void *block, Size bytes)
{
	if (block == NULL)
		return;
	pfree(block);
	CountBytes(ledger, -(int64) bytes);
}

struct varlena *
LedgerDetoast(MemoryLedger *ledger, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(ledger->scratch);
	struct varlena *detoasted = detoast_attr((struct varlena *) DatumGetPointer(value));

	MemoryContextSwitchTo(old);
	return detoasted;
}

uint64
LedgerRoom(const MemoryLedger *ledger)
{
	uint64		used = LedgerUsed(ledger);

	return ledger->limit > used ? ledger->limit - used : 0;
}

void
LedgerMakeRoom(MemoryLedger *ledger, uint64 bytes, const char *what)
{
	if (bytes > LedgerRoom(ledger))
		LedgerRelieve(ledger);
	CheckLimit(ledger, bytes, what);
	CountBytes(ledger, bytes);
}

void
LedgerGiveBack(MemoryLedger *ledger, uint64 bytes)
{
	CountBytes(ledger, -(int64) bytes);
}
