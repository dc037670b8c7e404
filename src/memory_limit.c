/*-------------------------------------------------------------------------
 *
 * memory_limit.c
 *	  Checks of how much memory a call may use.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "memory_limit.h"
#include "settings.h"

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
