/*-------------------------------------------------------------------------
 *
 * memory_limit.c
 *	  Whether a call may use so much memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "memory_limit.h"
#include "postmaster/bgworker.h"
#include "settings.h"

bool
WithinMemoryLimit(uint64 bytes)
{
	return bytes <= (uint64) MemoryLimit() * 1024;
}

/* In kB, rounded so that it can be set as it is. */
static uint64
Kilobytes(uint64 bytes)
{
	return bytes / 1024 + (bytes % 1024 > 0);
}

void
MemoryLimitExceeded(uint64 bytes, uint64 in_all, const char *what)
{
	bool		estimated = in_all > bytes;
	bool		workers = gpufim_workers != 0 || MyBgworkerEntry != NULL;

	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("not enough memory for %s", what),
			 estimated ?
			 errdetail("An estimated %llu kB are needed in all, \"gpufim.memory_limit\" allows %d kB.",
					   (unsigned long long) Kilobytes(in_all), MemoryLimit()) :
			 errdetail("At least %llu kB are needed, \"gpufim.memory_limit\" allows %d kB.",
					   (unsigned long long) Kilobytes(bytes), MemoryLimit()),
			 workers ?
			 errhint("Raise \"gpufim.memory_limit\", lower \"gpufim.workers\", "
					 "raise \"minsup\" or select fewer rows or items.") :
			 errhint("Raise \"gpufim.memory_limit\", raise \"minsup\" or select fewer rows or items.")));
	pg_unreachable();
}

void
CheckMemoryLimit(uint64 bytes, const char *what)
{
	if (!WithinMemoryLimit(bytes))
		MemoryLimitExceeded(bytes, 0, what);
}
