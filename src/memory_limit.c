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
MemoryLimitExceeded(uint64 bytes, uint64 in_all, bool first_row, const char *what)
{
	bool		estimated = in_all > bytes;
	bool		at_most = gpufim_max_memory_limit <= gpufim_memory_limit;
	const char *setting = at_most ? "gpufim.max_memory_limit" : "gpufim.memory_limit";

	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("not enough memory for %s", what),
			 estimated && first_row ?
			 errdetail("The first row alone would take an estimated %llu kB, \"%s\" allows %d kB.",
					   (unsigned long long) Kilobytes(in_all), setting, MemoryLimit()) :
			 estimated ?
			 errdetail("The call would take an estimated %llu kB in all, \"%s\" allows %d kB.",
					   (unsigned long long) Kilobytes(in_all), setting, MemoryLimit()) :
			 errdetail("At least %llu kB are needed, \"%s\" allows %d kB.",
					   (unsigned long long) Kilobytes(bytes), setting, MemoryLimit()),
			 at_most ?
			 errhint("Raise \"minsup\" where there is one, or select fewer rows or items. "
					 "Only an administrator can raise \"%s\".", setting) :
			 errhint("Raise \"%s\", raise \"minsup\" where there is one, or select fewer rows or items.",
					 setting)));
	pg_unreachable();
}

void
CheckMemoryLimit(uint64 bytes, const char *what)
{
	if (!WithinMemoryLimit(bytes))
		MemoryLimitExceeded(bytes, 0, false, what);
}
