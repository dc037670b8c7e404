/*-------------------------------------------------------------------------
 *
 * ledger.h
 *	  How much memory a call has allocated for what it reads, and how much it may.
 *
 * A ledger belongs to a call.  If the call reads several sources, their rows and
 * dictionaries share the ledger, and with it gpufim.memory_limit.  When three quarters
 * of the limit are used, rows are asked to move to a file.  The rest is for the
 * dictionaries and for what is made of the rows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_LEDGER_H
#define GPUFIM_LEDGER_H

#include "postgres.h"

/* Something that the ledger can ask to give memory back, which it does by LedgerFree(). */
typedef struct LedgerRelief
{
	struct LedgerRelief *next;
	void		(*relieve) (void *arg);
	void	   *arg;
} LedgerRelief;

typedef struct MemoryLedger
{
	MemoryContext context;
	MemoryContext scratch;		/* for garbage; reset after every row */
	uint64		used;			/* in bytes, like limit */
	uint64		limit;
	LedgerRelief *reliefs;
} MemoryLedger;

/*
 * A ledger with a memory context of its own, below the current one.
 * LedgerDestroy() frees all that was allocated in it.
 */
extern MemoryLedger *LedgerCreate(void);
extern void LedgerDestroy(MemoryLedger *ledger);

/* Adds a relief to those that are asked when memory runs short.  The ledger keeps the pointer. */
extern void LedgerAddRelief(MemoryLedger *ledger, LedgerRelief *relief);

/*
 * Allocate, enlarge and free blocks.  The ledger does not remember how large a block
 * is, so the caller says so.  If gpufim.memory_limit does not allow an allocation, an
 * error says that there is not enough memory for "what".  A block to grow may be NULL
 * if old_bytes is 0.  A block to free may be NULL, whatever bytes is.
 */
extern __attribute__((returns_nonnull)) void *LedgerAlloc(MemoryLedger *ledger, Size bytes, const char *what);
extern __attribute__((returns_nonnull)) void *LedgerAllocZero(MemoryLedger *ledger, Size bytes, const char *what);
extern void *LedgerGrow(MemoryLedger *ledger, void *block, Size old_bytes,
						Size bytes, const char *what);
extern void LedgerFree(MemoryLedger *ledger, void *block, Size bytes);

/* Ask all reliefs to give memory back: the rows then move to a file. */
extern void LedgerRelieve(MemoryLedger *ledger);

/* How many bytes are left. */
extern uint64 LedgerRoom(const MemoryLedger *ledger);

/*
 * Count bytes that are about to be allocated elsewhere; they count as long as the ledger
 * lives, or until they are given back.  If there is not enough room for them, rows move to
 * a file first.
 */
extern void LedgerMakeRoom(MemoryLedger *ledger, uint64 bytes, const char *what);
extern void LedgerGiveBack(MemoryLedger *ledger, uint64 bytes);

#endif							/* GPUFIM_LEDGER_H */
