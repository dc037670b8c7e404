/*-------------------------------------------------------------------------
 *
 * family.c
 *	  The table of families, and what all tasks have in common.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/family.h"

#include <string.h>

#define FIM_FAMILY(name)	extern const FimFamily Fim##name##Family;
#include "engine/families.h"
#undef FIM_FAMILY

static const FimFamily *const families[] = {
#define FIM_FAMILY(name)	&Fim##name##Family,
#include "engine/families.h"
#undef FIM_FAMILY
};

#define NFAMILIES	((int) (sizeof(families) / sizeof(families[0])))

int
FimFamilyNumber(const FimFamily *family)
{
	for (int number = 0; number < NFAMILIES; number++)
		if (families[number] == family)
			return number;
	return -1;
}

const FimFamily *
FimFamilyOf(int number)
{
	return number >= 0 && number < NFAMILIES ? families[number] : NULL;
}

size_t
FimSharedSize(const FimTask *task)
{
	const FimFamily *family = task->family;

	return sizeof(FimShared) + (family->shared_size ? family->shared_size(task) : 0);
}

void
FimSharedInit(const FimTask *task)
{
	FimShared  *shared = task->shared;

	memset(shared, 0, sizeof(FimShared));
	shared->units = shared->total = task->family->units(task);
	if (task->family->shared_init)
		task->family->shared_init(task);
}

size_t
FimSummarySize(const FimTask *task)
{
	return task->family->summary_size ? task->family->summary_size(task) : 0;
}

uint64_t
FimWorkerSize(const FimTask *task)
{
	return task->family->worker_size ? task->family->worker_size(task) : 0;
}
