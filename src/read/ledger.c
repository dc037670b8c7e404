/*-------------------------------------------------------------------------
 *
 * ledger.c
 *	  How much memory a call has allocated for what it reads, and how much it may.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "figures.h"
#include "memory_limit.h"
#include "miscadmin.h"
#include "read/ledger.h"
#include "settings.h"
#include "utils/memutils.h"

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
	ledger->used = MemoryContextMemAllocated(CurrentMemoryContext, true);	/* arguments, mostly */
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
