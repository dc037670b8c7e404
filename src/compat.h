/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  Differences between the PostgreSQL versions that gpufim supports, 14 to 19.
 *
 * Code is written for the newest form of an interface; what older versions lack
 * is defined here, so that version guards need not appear anywhere else.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_COMPAT_H
#define GPUFIM_COMPAT_H

#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"

/* Newer ones may compile and still differ in what a row type or a scan must have; 20 was tried in development. */
#if PG_VERSION_NUM < 140000 || PG_VERSION_NUM >= 210000
#error "gpufim requires a PostgreSQL that it was tried with, 14 to 20; see doc/installation.md"
#endif

#if PG_VERSION_NUM >= 180000
#define GPUFIM_MODULE_MAGIC(module, release) \
	PG_MODULE_MAGIC_EXT(.name = (module), .version = (release))
#else
#define GPUFIM_MODULE_MAGIC(module, release) PG_MODULE_MAGIC
#endif

/* 18 says that a function does not return before its declaration, and no more after it. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn			pg_attribute_noreturn()
#endif

/* The new name of pg_attribute_always_inline; late minor releases of old versions know both, and 20 only this. */
#ifndef pg_always_inline
#define pg_always_inline	pg_attribute_always_inline
#endif

/*
 * Whoever changes an attribute of a row type must bring up to date what 18 keeps of it beside it,
 * and whoever makes a row type by hand must say to 19 that it is complete.
 */
#if PG_VERSION_NUM < 180000
#define populate_compact_attribute(desc, attribute) ((void) 0)
#endif
#if PG_VERSION_NUM < 190000
#define TupleDescFinalize(desc) ((void) 0)
#endif

/* 19 knows the name of a tranche of locks in all processes; before, each must be told. */
#if PG_VERSION_NUM >= 190000
#define LWLockRegisterTranche(tranche, name) ((void) 0)
#else
#define LWLockNewTrancheId(name) LWLockNewTrancheId()
#endif

/* In 19, handlers of signals have an argument more than SIG_IGN. */
#if PG_VERSION_NUM < 190000
#define PG_SIG_IGN			SIG_IGN
#endif

/* 16 moved the macros for varlena headers out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 18 moved what writes EXPLAIN's properties out of commands/explain.h. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif

/* May the current user look into a schema?  16 has one function for all objects. */
#if PG_VERSION_NUM >= 160000
#define MayUseSchema(schema) \
	(object_aclcheck(NamespaceRelationId, (schema), GetUserId(), ACL_USAGE) == ACLCHECK_OK)
#else
#define MayUseSchema(schema) \
	(pg_namespace_aclcheck((schema), GetUserId(), ACL_USAGE) == ACLCHECK_OK)
#endif

/* May the current user call a function? */
#if PG_VERSION_NUM >= 160000
#define CheckCallAllowed(function) object_aclcheck(ProcedureRelationId, (function), GetUserId(), ACL_EXECUTE)
#else
#define CheckCallAllowed(function) pg_proc_aclcheck((function), GetUserId(), ACL_EXECUTE)
#endif

/* In 14, every custom scan projects, and no flag says so. */
#if PG_VERSION_NUM < 150000
#define CUSTOMPATH_SUPPORT_PROJECTION	0
#endif

/* The source of the value that RESET gives a setting; PGC_S_DEFAULT if there is no such setting. */
static inline GucSource
ResetSource(const char *name)
{
#if PG_VERSION_NUM >= 160000
	const struct config_generic *setting = find_option(name, false, true, DEBUG5);

	return setting ? setting->reset_source : PGC_S_DEFAULT;
#else
	struct config_generic **settings = get_guc_variables();

	for (int i = 0; i < GetNumConfigOptions(); i++)
	{
		if (pg_strcasecmp(settings[i]->name, name) == 0)
			return settings[i]->reset_source;
	}
	return PGC_S_DEFAULT;
#endif
}

/* This backend's index among all that can run SQL, from 0. */
#if PG_VERSION_NUM >= 170000
#define BackendIndex()		MyProcNumber
#else
#define BackendIndex()		(MyBackendId - 1)
#endif

/* Has the hook called when shared memory can be requested.  In 14 that is at once. */
#if PG_VERSION_NUM >= 150000
#define ChainShmemRequest(previous, hook) \
	((previous) = shmem_request_hook, shmem_request_hook = (hook))
#else
typedef void (*shmem_request_hook_type) (void);
#define ChainShmemRequest(previous, hook) \
	((previous) = NULL, (hook) ())
#endif

/* 17 has infinite intervals. */
#if PG_VERSION_NUM >= 170000
#define IntervalIsInfinite(interval) INTERVAL_NOT_FINITE(interval)
#else
#define IntervalIsInfinite(interval) false
#endif

/* 15 has sets of files that need not be shared, and names the functions of files after these. */
#if PG_VERSION_NUM >= 150000
#define SharedFileCreate(set, name)	BufFileCreateFileSet(&(set)->fs, (name))
#define SharedFileExport(file)		BufFileExportFileSet(file)
#define SharedFileOpen(set, name)	BufFileOpenFileSet(&(set)->fs, (name), O_RDONLY, false)
#else
#define SharedFileCreate(set, name)	BufFileCreateShared((set), (name))
#define SharedFileExport(file)		BufFileExportShared(file)
#define SharedFileOpen(set, name)	BufFileOpenShared((set), (name), O_RDONLY)
#endif

#if PG_VERSION_NUM < 150000

#include "executor/executor.h"
#include "nodes/execnodes.h"
#include "postmaster/autovacuum.h"
#include "replication/walsender.h"
#include "storage/shm_mq.h"
#include "utils/tuplestore.h"

#define shm_mq_sendv(queue, parts, nparts, nowait, force_flush) \
	shm_mq_sendv(queue, parts, nparts, nowait)

#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)

/* 14 loads preloaded libraries before it has computed MaxBackends. */
#define BackendCount() \
	(MaxConnections + autovacuum_max_workers + 1 + max_worker_processes + max_wal_senders)

#define MAT_SRF_USE_EXPECTED_DESC	0x01

static inline void
InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext caller;
	TupleDesc	desc;

	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	if ((rsinfo->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("materialize mode required, but it is not allowed in this context")));

	caller = MemoryContextSwitchTo(rsinfo->econtext->ecxt_per_query_memory);
	if ((flags & MAT_SRF_USE_EXPECTED_DESC) != 0)
		desc = CreateTupleDescCopy(rsinfo->expectedDesc);
	else if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	rsinfo->returnMode = SFRM_Materialize;
	rsinfo->setResult =
		tuplestore_begin_heap((rsinfo->allowedModes & SFRM_Materialize_Random) != 0,
							  false, work_mem);
	rsinfo->setDesc = desc;
	MemoryContextSwitchTo(caller);
}

#else

#define BackendCount()		MaxBackends

#endif							/* PG_VERSION_NUM < 150000 */

/* 15.0 has only the old names of these, and all of 15 has the old function. */
#if PG_VERSION_NUM >= 150000 && PG_VERSION_NUM < 160000
#define InitMaterializedSRF(fcinfo, flags)	SetSingleFuncCall(fcinfo, flags)
#ifndef MAT_SRF_USE_EXPECTED_DESC
#define MAT_SRF_USE_EXPECTED_DESC	SRF_SINGLE_USE_EXPECTED
#endif
#endif

/* Until 14.12, 15.7 and 16.3 the file of a segment of 4 GB or more was too short if it was mapped. */
#if PG_VERSION_NUM < 170000
#include "storage/dsm_impl.h"

#define IsSegmentSize(size)	(dynamic_shared_memory_type != DSM_IMPL_MMAP || (size) <= PG_UINT32_MAX)
#else
#define IsSegmentSize(size)	true
#endif

#endif							/* GPUFIM_COMPAT_H */
