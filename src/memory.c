/*-------------------------------------------------------------------------
 *
 * memory.c
 *	  How much memory a call may use, and how much it has allocated for what it reads.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

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
LedgerCreate(void)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpufim rows",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryLedger *ledger = MemoryContextAllocZero(context, sizeof(MemoryLedger));

	ledger->context = context;
	ledger->scratch = AllocSetContextCreate(context, "gpufim row", ALLOCSET_DEFAULT_SIZES);
	ledger->used = MemoryContextMemAllocated(CurrentMemoryContext, true); /* arguments, mostly */
	ledger->limit = (uint64) MemoryLimit() * 1024;
	return ledger;
}

void
LedgerDestroy(MemoryLedger *ledger)
{
	MemoryContextDelete(ledger->context);
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
		relief->relieve(relief->arg);
}

static void
LedgerCharge(MemoryLedger *ledger, uint64 bytes, const char *what)
{
	uint64		comfortable = ledger->limit - ledger->limit / 4;

	if (ledger->used + bytes > comfortable)
		LedgerRelieve(ledger);
	CheckMemoryLimit(ledger->used, bytes, what);
	ledger->used += bytes;
	RunTrackMemory(ledger->used);
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
	ledger->used -= bytes;
}

uint64
LedgerRoom(const MemoryLedger *ledger)
{
	return ledger->limit > ledger->used ? ledger->limit - ledger->used : 0;
}

void
LedgerMakeRoom(MemoryLedger *ledger, uint64 bytes, const char *what)
{
	if (bytes > LedgerRoom(ledger))
		LedgerRelieve(ledger);
	CheckMemoryLimit(ledger->used, bytes, what);
	ledger->used += bytes;
	RunTrackMemory(ledger->used);
}

void
LedgerGiveBack(MemoryLedger *ledger, uint64 bytes)
{
	ledger->used -= bytes;
}
