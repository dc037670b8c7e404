/*-------------------------------------------------------------------------
 *
 * segment.c
 *	  Dynamic shared memory segments, for callers that can do without.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/resowner.h"
#include "work/segment.h"

/*
 * dsm_create() raises an error if the system has no room.  The error is caught here, and
 * the resource owner made for this call releases what was left behind.
 */
dsm_segment *
SegmentCreate(Size size)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner caller = CurrentResourceOwner;
	ResourceOwner owner = ResourceOwnerCreate(caller, "gpufim segment");
	dsm_segment *volatile segment = NULL;

	PG_TRY();
	{
		CurrentResourceOwner = owner;
		segment = dsm_create(size, DSM_CREATE_NULL_IF_MAXSEGMENTS);
		if (segment != NULL)
			dsm_pin_mapping(segment);
		CurrentResourceOwner = caller;
		if (segment != NULL)
			dsm_unpin_mapping(segment);
	}
	PG_CATCH();
	{
		CurrentResourceOwner = caller;
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_INSUFFICIENT_RESOURCES)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		segment = NULL;
	}
	PG_END_TRY();

	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(owner);
	return segment;
}
