/*-------------------------------------------------------------------------
 *
 * memory_limit.c
 *	  Whether a call may use so much memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "memory_limit.h"
#include "settings.h"

bool
WithinMemoryLimit(uint64 bytes)
{
	return bytes <= (uint64) gpufim_memory_limit * 1024;
}

void
CheckMemoryLimit(uint64 bytes, const char *what)
{
	uint64		needed = (bytes + 1023) / 1024;

	if (WithinMemoryLimit(bytes))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("not enough memory for %s", what),
			 errdetail("At least %llu kB are needed, \"gpufim.memory_limit\" allows %d kB.",
					   (unsigned long long) needed, gpufim_memory_limit),
			 errhint("Raise \"gpufim.memory_limit\", or raise \"minsup\" or select fewer rows or items.")));
}
