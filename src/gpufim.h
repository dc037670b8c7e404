/*-------------------------------------------------------------------------
 *
 * gpufim.h
 *	  What all floors of the extension share: its settings, the memory, figures and frame of a call,
 *	  and its arguments.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_H
#define GPUFIM_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "engine/engine.h"
#include "engine/family.h"
#include "engine/gpu.h"
#include "fmgr.h"
#include "nodes/primnodes.h"
#include "port/atomics.h"
#include "portability/instr_time.h"
#include "utils/array.h"
#include "utils/memutils.h"

#define GPUFIM_VERSION	"1.0.0"

/*
 * settings.c: The extension's settings.
 */

typedef enum GpufimEngineChoice
{
	GPUFIM_ENGINE_AUTO,
	GPUFIM_ENGINE_CPU,
	GPUFIM_ENGINE_GPU
} GpufimEngineChoice;

extern int	gpufim_engine;		/* GpufimEngineChoice */
extern char *gpufim_strategy;
extern int	gpufim_workers;		/* -1: as many as there are other cores */
extern int	gpufim_memory_limit; /* in kB */
extern int	gpufim_gpu_memory_limit; /* in kB; 0: what is free */
extern int	gpufim_max_workers; /* the administrator's limit of gpufim_workers */
extern int	gpufim_max_memory_limit; /* that of gpufim_memory_limit; in kB */
extern int	gpufim_max_gpu_memory_limit; /* that of gpufim_gpu_memory_limit; in kB; 0: none */
extern int	gpufim_max_results; /* of one call; 0: no limit */
extern int	gpufim_max_results_limit; /* the administrator's limit of gpufim_max_results; 0: none */
extern char *gpufim_gpus;		/* a list of device numbers; empty: all devices */
extern int	gpufim_worker_idle_timeout; /* in ms; 0: never */
extern int	gpufim_gpu_patience; /* in ms; 0: a GPU begins, -1: no call changes engines */
extern char *gpufim_cuda_library;

/* The failures to inject into calls on a GPU, as in FimGpuInjection. */
extern int	gpufim_inject_allocation;
extern int	gpufim_inject_launch;
extern int	gpufim_inject_device;

/*
 * The factor by which two times are made longer, for tests on slow machines: that within which
 * a GPU worker must start, and that within which a device's faults add up.
 */
extern int	gpufim_inject_slowness;

/*
 * What the settings amount to under an administrator's limits, in the same units.
 * GpuMemoryLimit() may be 0, for what is free, and ResultsLimit(), for no limit.
 * default_workers takes the place of -1.
 */
extern int	MemoryLimit(void);
extern int	ResultsLimit(void);
extern int	GpuMemoryLimit(void);
extern int	WorkersLimit(int default_workers);

/* Is gpufim.gpu_memory_limit set, to less than an administrator allows? */
extern bool GpuMemoryLimitCanRise(void);

/* In a worker: set both limits of host memory, in kB, to those of the backend that it works for. */
extern void AdoptMemoryLimit(int limit, int most);

/*
 * Read a list of device numbers, as in gpufim.gpus, into the options.  An empty list
 * stands for all devices.  Returns false if the text is no such list.
 */
extern bool ParseGpus(const char *list, FimGpuOptions *options);

/* When the library is loaded: make the settings known to the server. */
extern void DefineSettings(void);

/* Raises an error if a client may have replaced an administrator's limits by the defaults. */
extern void CheckLimitsAreInForce(void);

/*
 * memory.c: How much memory a call may use, and how much it has allocated for what it reads.
 */

/* Does gpufim.memory_limit allow a call to hold this many bytes in all? */
extern bool WithinMemoryLimit(uint64 bytes);

/*
 * Raises an error if it does not allow "bytes" more than the bytes that are held.  The message
 * says that there is not enough memory for "what", what is held and was asked for, and which
 * limit to try.
 *
 * Nobody knows at this point what the call will need in all.  The limit to try is at least
 * twice the present one, so that whoever begins with 1 MB has 512 MB in the tenth try; but it
 * is not above gpufim.max_memory_limit, unless that is the limit that was exceeded, or too low.
 */
extern void CheckMemoryLimit(uint64 held, uint64 bytes, const char *what);

/*
 * A ledger belongs to a call.  If the call reads several sources, their rows and
 * dictionaries share the ledger, and with it gpufim.memory_limit.  When three quarters
 * of the limit are used, rows are asked to move to a file.  The rest is for the
 * dictionaries and for what is made of the rows.
 */

/* Something that the ledger can ask to give memory back, which it does by LedgerFree(). */
typedef struct LedgerRelief
{
	struct LedgerRelief *next;
	void		(*relieve) (void *arg); /* NULL: there is nothing to give back */
	void		(*close) (void *arg);	/* before the ledger is destroyed; NULL: nothing to do */
	void	   *arg;
} LedgerRelief;

/* A process that reads for another one may always use this part of the limit. */
#define LEDGER_LITTLE	16

/* What processes that read together count in one place, in bytes. */
typedef struct SharedLedger
{
	pg_atomic_uint64 used;		/* by all of them */
	pg_atomic_uint64 spilled;	/* moved to files by those that help */
	pg_atomic_uint32 exceeded;	/* one of them has found the limit too low */
} SharedLedger;

typedef struct MemoryLedger
{
	MemoryContext context;
	MemoryContext scratch;		/* for garbage; reset after every row */
	uint64		used;			/* in bytes, like limit */
	SharedLedger *shared;		/* of several processes that read together; NULL: this one reads alone */
	uint64		limit;
	bool		helps;			/* this process reads for another one */
	bool		exceeded;		/* this process has found the limit too low */
	struct ReadAttempt *attempt;	/* to read with several processes; NULL: one has to do it */
	LedgerRelief *reliefs;
	bool		of_run;			/* the figures of the current call show what is used, and what has moved to files */
} MemoryLedger;

/*
 * A ledger with a memory context of its own, below the current one, that keeps the figures of the
 * current call.  LedgerDestroy() frees all that was allocated in it.
 */
extern MemoryLedger *LedgerCreate(void);
extern void LedgerDestroy(MemoryLedger *ledger);

/* The same for what is done outside of calls, in an aggregate for instance: it keeps nobody's figures. */
extern MemoryLedger *LedgerCreateOutside(void);

/*
 * The same for a process that helps another one to read.  They count in one place what they use
 * together, and have one limit.  The other one shares its ledger until LedgerUnshare(), when those that
 * have helped are gone and it answers for all that is still used.
 */
extern MemoryLedger *LedgerCreateShared(SharedLedger *shared);
extern void LedgerShare(MemoryLedger *ledger, SharedLedger *shared);
extern void LedgerUnshare(MemoryLedger *ledger);

/*
 * Go back to what a ledger was when it was saved: what has been allocated since then is freed, and files are closed.
 * Processes that have shared it meanwhile must be gone.
 */
extern void LedgerSave(MemoryLedger *ledger, MemoryLedger *saved);
extern void LedgerRestore(MemoryLedger *ledger, const MemoryLedger *saved);

/* Has a process raised the error that the limit is too low?  It may be one that shares the ledger. */
extern bool LedgerExceeded(const MemoryLedger *ledger);

/* How many bytes are used, by all processes that share the ledger's limit. */
extern uint64 LedgerUsed(const MemoryLedger *ledger);

/* Say that this many bytes have moved to a file. */
extern void LedgerNoteSpilled(const MemoryLedger *ledger, uint64 bytes);

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

/* Detoasts a varlena into the scratch context. */
extern struct varlena *LedgerDetoast(MemoryLedger *ledger, Datum value);

/* Frees what is left in the scratch context, which for many types is nothing. */
static inline void
LedgerForget(MemoryLedger *ledger)
{
	if (!ledger->scratch->isReset)
		MemoryContextReset(ledger->scratch);
}

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

/*
 * call.c: What a call is doing and what the last one did, and the frame that keeps these figures
 * however the call ends.
 */

/*
 * gpufim_progress and gpufim_last_run() show these figures.  Each part of a call
 * sets its own.
 */

/* The phases of a call, in their order. */
typedef enum GpufimPhase
{
	GPUFIM_READING,				/* the source's rows are read and encoded */
	GPUFIM_ENCODING,			/* the encoded rows become the engine's data */
	GPUFIM_WAITING,				/* for the GPU worker; done is the place in its queue */
	GPUFIM_MINING,				/* results are found, and turned into rows */
	GPUFIM_NPHASES
} GpufimPhase;

/* A figure that only one family has. */
typedef struct RunDetail
{
	const char *name;
	int64		value;
} RunDetail;

#define RUN_MAX_DETAILS	16

/*
 * The figures of a call.  Whoever knows a figure sets it directly.  Other sessions
 * may read all of them at any time and without a lock.
 */
typedef struct GpufimRun
{
	char		function[NAMEDATALEN]; /* SQL name */
	Oid			role;			/* with whose privileges it reads */
	Oid			schema;			/* of the function */
	int			phase;			/* GpufimPhase */
	TimestampTz started;
	int64		rows_read;
	int64		read_workers;	/* processes that helped to read */
	int64		transactions;
	int64		distinct_items;
	int64		frequent_items;
	int64		minsup;			/* absolute */
	int64		spilled_bytes;
	int64		peak_bytes;		/* the most that the call has held at a time */
	int64		results;		/* found so far */
	int64		results_spilled; /* the part of spilled_bytes that results take */
	int64		level;			/* length of the itemset that came last */
	int64		done;			/* progress within the phase, out of "total" */
	int64		total;			/* 0 if nobody knows */
	int64		workers;		/* background workers that helped to mine */
	int64		nodes;			/* steps of the search */
	bool		on_gpu;			/* a GPU mines, or has mined */
	char		strategy[NAMEDATALEN];
	char		device[64];		/* the one that mines */
	FimGpuReport gpu;			/* set when a GPU has mined */
	double		phase_ms[GPUFIM_NPHASES];
	int			ndetails;
	RunDetail	details[RUN_MAX_DETAILS]; /* valid only in the process of the call */
	double		emit_ms;		/* the part of mining that turns results into rows */
	bool		is_part;		/* it gives a part of the results only, and has a fingerprint: */
	uint64		fingerprint;	/* of data, arguments and version, the same for all parts, see engine/parts.h */
} GpufimRun;

/* The innermost call's figures; never NULL while a function of ours runs. */
extern GpufimRun *CurrentRun;

/* End the current phase, and begin another. */
extern void RunEnterPhase(GpufimPhase phase);

/* Say how many bytes the call holds at the moment. */
extern void RunTrackMemory(int64 bytes);

/*
 * Returns the call's counts of results by length, which the caller may change.  There
 * are at least nlengths counts; new ones are 0.
 */
extern int64 *RunLengths(uint64 nlengths);

/* Returns the largest of these counts, and sets *length to its length; 0 if there are none. */
extern int64 RunMostOfLength(uint64 *length);

/*
 * The call is for a part of the results: begin its fingerprint with the version, the function and the number of parts, and
 * add something to it.  All parts add the same in the same order.
 */
extern void RunBeginFingerprint(const FimPart *part);
extern void RunAddFingerprint(uint64 print);

/* Add a figure that only the family has; the name is a constant. */
extern void RunAddDetail(const char *name, int64 value);

/* The figures of the call that has ended last in this session. */
extern const GpufimRun *LastRunFigures(void);

extern double MillisecondsSince(instr_time start);
extern void RunShmemRequest(void);
extern void RunShmemStartup(void);

/*
 * A step of a call.  The request is a struct of the function's own, by which one step
 * hands what it has found on to the next.
 */
typedef void (*CallStep) (FunctionCallInfo fcinfo, void *request);

/*
 * Run a function that returns a set as a tuplestore.  check() reads and checks the
 * arguments: a call whose arguments are wrong leaves no figures.  run() does the
 * rest.  Everything that both allocate lives in a memory context of the call's own.
 */
extern Datum CallFunction(FunctionCallInfo fcinfo, const char *function,
						  CallStep check, CallStep run, void *request);

/* The same for a function that returns a value, which run() leaves in the request. */
extern void CallValueFunction(FunctionCallInfo fcinfo, const char *function,
							  CallStep check, CallStep run, void *request);

/*
 * A call whose rows are taken while they are being found goes on after run() has returned.
 *
 * run() says so by CallGoesOn(), which moves the call's memory context below another one.  Then
 * CallGoOn() does a further step of the call in its memory context, and returns false if step() does: the call has
 * ended then, as it does by an error of step().  CallGiveUp() ends it before.  The figures of a call that is
 * given up are those of a call that has not completed.
 */
struct RunFrame;

extern struct RunFrame *CallGoesOn(MemoryContext parent);
extern bool CallGoOn(struct RunFrame *call, bool (*step) (void *arg), void *arg);
extern void CallGiveUp(struct RunFrame *call);

/*
 * arguments.c: The arguments of a call, taken one after the other and checked.
 *
 * What families have in common is here.  All errors name the argument.
 */

typedef struct Arguments
{
	FunctionCallInfo fcinfo;
	int			next;			/* index of the argument to be taken next */
} Arguments;

/* The forms of a function of transactions. */
typedef enum TransactionsForm
{
	FORM_ARRAYS,				/* transactions have no ids */
	FORM_PAIRS,
	FORM_SET					/* a transaction_set in the place of a source and its columns */
} TransactionsForm;

/*
 * Take an argument of any type that must not be NULL, a name that must not be NULL, and a name
 * that may be NULL.  The names are palloc'd.
 */
extern Datum TakeRequired(Arguments *args, const char *name);
extern char *TakeName(Arguments *args, const char *name);
extern char *TakeOptionalName(Arguments *args);

/* Take a text[] that may be NULL, but must not contain NULLs.  The array is palloc'd. */
extern ArrayType *TakeTextArray(Arguments *args, const char *name);

/*
 * Take a threshold: a fraction below 1, or a whole number from 1 up.  For messages, "whole"
 * says what it is a fraction of, and "counted", in the plural, what it is a number of.
 */
extern double TakeMinsup(Arguments *args, const char *whole, const char *counted);

/* Take an int that must be at least 1. */
extern uint32 TakePositive(Arguments *args, const char *name);

/*
 * If minsup is a number and "counted" is smaller, nothing can be found.  That is no error, but
 * hardly what the user meant, so a notice says so.  The message has a place for minsup, %s,
 * and one for "counted", %llu.
 */
extern void NoteHighMinsup(double minsup, uint64 counted, const char *message);

/*
 * For a call that does not restrict its results in any other way.  If its minsup is 1, it finds all
 * that occurs.  Where "counted" is not small, that is hardly what the user meant, but rather 100
 * percent, so this message is raised as a notice.
 */
extern void NoteLowestMinsup(double minsup, uint64 counted, const char *message);

/* Find the kind with this name; returns false if there is none.  TakeKind() raises an error then. */
extern bool FindKind(const char *name, FimKind *kind);
extern FimKind TakeKind(Arguments *args);

/* Take a type sample, which is of an array type, and return the type of the elements. */
extern Oid	TakeTypeSample(Arguments *args, const char *name);

/*
 * Take "min_length" and "max_length".  *longest becomes FIM_NO_LIMIT if "max_length" is NULL.
 * "results" names, in the plural, what has such a length, for messages.
 */
extern void TakeLengths(Arguments *args, const char *results, uint32 *shortest,
						uint32 *longest);

/* Take "part" and "parts". */
#define PARTS_ARGUMENTS		2
extern void TakePart(Arguments *args, FimPart *part);

/*
 * Calls whose parameters have no types.
 *
 * A driver may leave it to the server to find out what types a call's parameters
 * have.  Then all forms of a function fit the call, and PostgreSQL prefers one whose
 * arguments are all text.  Such a form has the argument names of the pair form.
 * Arguments given by position can be meant for the pair form, or for the array form,
 * which has no tid_column, so that all arguments after the source come one place earlier
 * than in the pair form.  The fourth argument tells which form is meant.  Optional
 * arguments have the default ''.
 */

#define UNTYPED_MAX_ARGUMENTS	23
#define UNTYPED_REQUIRED		4	/* each function requires as many; those after them may have the default '' */
#define UNTYPED_DECIDES			3	/* index of the argument that tells the forms apart */

typedef struct Untyped
{
	int			n;
	char	   *text[UNTYPED_MAX_ARGUMENTS]; /* NULL for NULL */
	bool		given[UNTYPED_MAX_ARGUMENTS];
} Untyped;

/* Reads the arguments of a call.  An argument counts as not given if it is optional and ''. */
extern void ReadUntyped(FunctionCallInfo fcinfo, Untyped *from);

/* Is a text a number and nothing else? */
extern bool IsNumberText(const char *text);

/* Begins the call of the typed function for a call of the untyped one; it has no arguments yet. */
extern void BeginTypedCall(FunctionCallInfo fcinfo, FunctionCallInfo call);

/*
 * Make a call of which the n numbers from argument "first" on stand behind the text that follows them in this one.  Forms of a set
 * without a type sample have their numbers first, see itemsets/frequent_itemsets.c.
 */
extern void PutNumbersBehindText(FunctionCallInfo fcinfo, FunctionCallInfo call, int first, int n);

/*
 * Begin the call of the pair form or the array form.  It gets the source, tid_column in the
 * pair form, and the column of items.  "arguments" becomes all that were given, at the indexes
 * that they have in the pair form.
 */
extern void BeginFormCall(FunctionCallInfo fcinfo, FunctionCallInfo call, const Untyped *given,
						  bool pairs, Untyped *arguments);

/* Add an argument of this type, given as text, to a call.  A text of NULL adds a NULL. */
extern void AddArgument(FunctionCallInfo call, Oid type, const char *text);

/* The text of an argument, or a default if it is not given. */
static inline const char *
UntypedOr(const Untyped *from, int i, const char *default_text)
{
	return from->given[i] ? from->text[i] : default_text;
}

#endif							/* GPUFIM_H */
