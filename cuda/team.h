/*-------------------------------------------------------------------------
 *
 * team.h
 *	  The devices of a job as a team: what the host gives it (memory and threads), how its launches
 *	  are timed and cut, how it is stopped, and copies between the host and the devices.
 *
 * A team knows no family.  It has the job's devices, gets host memory, learns
 * whether the job is to stop, and makes the report.  A family's mine() begins with
 * GpuTeamBegin() and ends, whichever way, with GpuTeamEnd(), which gives back all that
 * the job holds on the host and on the devices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_TEAM_H
#define GPU_TEAM_H

#include "device.h"

/*
 * What a team is: the devices of a job, and its host.
 *
 * There is one team at a time, and one thread that may use it; other threads only help,
 * see host.c.
 */

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct GpuHostMemory GpuHostMemory;

typedef struct GpuTeam
{
	FimShared  *shared;			/* its cancel flag ends the job */
	FimHost    *host;
	GpuDevice  *devices[FIM_GPU_MAX_DEVICES];
	int			ndevices;		/* that work */
	int			nheld;			/* the devices behind these, which GpuTeamCall() lets work, too */
	double		held_since;		/* ms of a clock */
	bool		held_near;		/* these can copy from the first one's memory without the host */

	uint64_t	candidates;		/* whose support has been counted, for the report */

	bool		no_memory;		/* the job ends because the host has not enough memory */

	GpuHostMemory *memory;		/* what it holds of the host's, for host.c alone */

	/* for team.c alone */
	double		last_poll;		/* ms of a clock */
	uint64_t	work;			/* steps that the host has done since then, see GpuWork() */
} GpuTeam;

/*
 * host.c: Threads of the host that share the host's part of a job.
 *
 * A job has one thread, which alone may use the team, its host and the devices.  It can call
 * other threads to help with work that is nothing but computing.  Such work is divided into
 * parts: a function is called once with each number from 0 to n - 1, by whichever thread is
 * free and in any order.  The function must not leave by longjmp, take memory or take long.
 */

/*
 * Host memory of the job under way.
 *
 * What a job takes is kept in a list, so that all of it can be given back however the job
 * ends.  All sizes are in bytes.
 */

/* Allocates memory.  Returns NULL if the host has not enough. */
extern void *GpuHostAlloc(GpuTeam *team, size_t bytes);

/* Frees memory of GpuHostAlloc(); it may be NULL. */
extern void GpuHostFree(GpuTeam *team, void *address);

/*
 * For families whose functions return a cudaError_t.  A lack of host memory ends the job:
 * GpuNoMemory() marks the team and returns GPU_STOPPED, and the other two functions do so, too,
 * if the host has not enough.  GpuHostTake() sets *address to new memory, which has one byte
 * even if "bytes" is 0.  GpuHostRoom() makes sure that an array has room for "needed" elements of
 * "size" bytes.  If *room is less, it moves the array to more memory, keeping the first "used" elements,
 * and sets *room to how many that has room for.  Moving hundreds of MB takes long, so the job may be told to
 * stop meanwhile.
 */
extern cudaError_t GpuNoMemory(GpuTeam *team);
extern cudaError_t GpuHostTake(GpuTeam *team, size_t bytes, void **address);
extern cudaError_t GpuHostRoom(GpuTeam *team, void **array, uint64_t used, uint64_t needed,
							   uint64_t *room, size_t size);

/*
 * Takes one block of memory for n arrays, as GpuHostTake() does.  Giving back the first array gives
 * back all of them.  Few large blocks are better than many small ones: the host's allocator tends to
 * keep the memory that it took from the system for them, so that the next job finds it there.
 */
extern cudaError_t GpuHostTakeArrays(GpuTeam *team, const GpuArray *arrays, int n);

/* Frees all of it, at the end of a job. */
extern void GpuHostFreeAll(GpuTeam *team);

/*
 * Does one part of the work "of".  Threads are numbered from 0 to HostThreads() - 1,
 * so that each can have memory of its own.
 */
typedef void (*HostPart) (void *of, uint32_t part, uint32_t thread);

/* The most threads that work at a time, the caller included.  Stays the same until HostThreadsEnd(). */
extern uint32_t HostThreads(void);

/*
 * Does all parts of some work, and returns when no thread works on it any more.  Returns
 * GPU_STOPPED, with some parts not done, if the job is to stop.
 */
extern cudaError_t HostRun(GpuTeam *team, uint32_t nparts, HostPart part, void *of);

/*
 * HostRun() in two steps, for a caller that has other things to do while helpers work.  The
 * caller does parts itself in HostEnd().  HostEnd() must be called before any other work
 * begins, whatever fails in between.
 */
extern void HostBegin(uint32_t nparts, HostPart part, void *of);
extern cudaError_t HostEnd(GpuTeam *team);

/* Ends the helpers.  Called when the contexts are given up. */
extern void HostThreadsEnd(void);

/*
 * fault.c: What went wrong on a device, and whether the job under way is to stop.
 */

/* Whether the job is to stop. */
extern bool GpuPoll(GpuTeam *team);

/*
 * Like GpuPoll(), but returns false without asking if the last GpuPoll() was within the last
 * millisecond.
 */
extern bool GpuMustStop(GpuTeam *team);

/* Steps of about a nanosecond that the host does between two polls. */
#define GPU_WORK_PER_POLL	(UINT64_C(1) << 21)

/*
 * Whether the job is to stop.  To be called after every few steps of the host's work, with the
 * number of these steps; polls after each GPU_WORK_PER_POLL steps.
 */
static inline bool
GpuWork(GpuTeam *team, uint64_t work)
{
	team->work += work;
	return team->work >= GPU_WORK_PER_POLL && GpuPoll(team);
}

/*
 * team.c: The devices of a job.
 */

/* Sets the devices and limits of the teams that follow, and which of their calls are to fail. */
extern void GpuSetOptions(const FimGpuOptions *options);

/*
 * Opens the devices of the options and makes a team of them.  GpuTeamEnd() must
 * follow even if this fails, and host and shared must live until then.
 */
extern cudaError_t GpuTeamBegin(GpuTeam *team, FimShared *shared, FimHost *host);
extern void GpuTeamEnd(GpuTeam *team);

/*
 * What mine() of a family does with a team if the family's functions return errors: begins the
 * team, calls run(job), and ends the team.  If the job has been canceled, the result is
 * FIM_STOPPED, even if run() had nothing left to do.
 */
extern FimResult GpuTeamMine(GpuTeam *team, const FimTask *task, FimHost *host, cudaError_t (*run) (void *job),
							 void *job);

/*
 * Lets the first device work alone until GpuTeamCall(): ndevices becomes 1.  Devices with less room than so
 * many bytes, see GpuRoom(), leave the team, unless it is the first one.
 */
extern cudaError_t GpuTeamHoldBack(GpuTeam *team, uint64_t bytes);
extern cudaError_t GpuTeamCall(GpuTeam *team);

/*
 * Whether the devices held back are to be called if so many bytes of the first one then have to be copied to each.
 * Nobody knows how long the job takes.  It is about twice as slow as it could be, at most, if others are called once the
 * first one has counted for as long as calling one of them takes.  They are of no use if the job waits for the host for most of the
 * time.
 */
extern bool GpuTeamIsToCall(const GpuTeam *team, uint64_t bytes);

/* The report of the team that ended last, if there has been one since GpuSetOptions(). */
extern const FimGpuReport *GpuReport(void);

/* What to return from mine() for an error that a function here returned. */
extern FimResult GpuResult(cudaError_t error);

/* The least room that any of the team's devices has, see GpuRoom(), in bytes. */
extern uint64_t GpuLeastRoom(const GpuTeam *team);

/*
 * timing.c: How long the work of the devices takes, and waiting for it.
 *
 * Nothing stops a kernel that runs.  So launches are cut to about GPU_LAUNCH_MS each,
 * few of them are queued at a time, and whoever waits looks meanwhile whether the job
 * is to stop.
 */

#define GPU_LAUNCH_MS	10.0

/*
 * Measures the work that a stream is given between the two calls.  Its time and its
 * amount, see FimGpuPhase, are added to the device's figures for the phase.
 */
extern cudaError_t GpuBegin(GpuDevice *device, int stream, FimGpuPhase phase, double amount,
							GpuTimer **timer);
extern cudaError_t GpuEnd(GpuDevice *device, int stream, GpuTimer *timer);

/* Called at the end of a job: adds the work that is done to the figures, and forgets the rest. */
extern void GpuEndTimers(GpuDevice *device);

/*
 * Called before a launch that counts: waits until few such launches are under way, and makes
 * the device the current one.
 */
extern cudaError_t GpuThrottle(GpuTeam *team, GpuDevice *device, const char *what);

/*
 * The amount that the next launch may count so that it takes GPU_LAUNCH_MS, but no less than
 * "least".  Before the job's first launch nothing is known about the pace: that launch may
 * count the lesser of "first" and a constant.
 */
extern double GpuLaunchAmount(const GpuDevice *device, double least, double first);

/* Wait until an event has been reached, or until all work of a stream is done. */
extern cudaError_t GpuWaitEvent(GpuTeam *team, GpuDevice *device, cudaEvent_t event, const char *what);
extern cudaError_t GpuWait(GpuTeam *team, GpuDevice *device, int stream, const char *what);

/* Work that "stream" is given from now on waits for the work that "before" has been given. */
extern cudaError_t GpuFollow(GpuDevice *device, int stream, int before, const char *what);

/* The same for the streams that count, of a device and of another one, "before". */
extern cudaError_t GpuFollowDevice(GpuDevice *device, GpuDevice *before, const char *what);

/* The same for all other streams of the device: they wait for the stream "before". */
extern cudaError_t GpuAllFollow(GpuDevice *device, int before, const char *what);

/*
 * copies.c: Copies between the host and the devices.
 *
 * Each copy is put into a stream of a device.  Sizes are in bytes; "to" and "from" are
 * device memory on the device's side.  What is sent from, and received into, is the
 * caller's again as soon as a function returns.  "what" names the purpose in a fault.
 */

/*
 * Results on their way to the sink.
 *
 * Records are gathered until there are FIM_BATCH_WORDS of them, and written together,
 * see engine/engine.h.  A record that is longer than that is written alone.
 */

/* Results not yet written to the sink.  At first, all fields but the sink are 0. */
typedef struct GpuRecords
{
	FimSink    *sink;
	uint32_t   *words;
	uint64_t	room;			/* words */
	size_t		nwords;			/* in use */
	size_t		n;				/* records in these words */
} GpuRecords;

/* Adds to the number of results that the call has found.  There need not be records of them. */
static inline void
GpuCountResults(GpuTeam *team, uint64_t n)
{
	__atomic_fetch_add(&team->shared->results, n, __ATOMIC_RELAXED);
}

static inline void
GpuCountResult(GpuTeam *team)
{
	GpuCountResults(team, 1);
}

/* Sets *to to room for a record of "words" words, and counts the record as one result. */
extern cudaError_t GpuAddRecord(GpuTeam *team, GpuRecords *records, size_t words, uint32_t **to);

/* Writes the records that have been gathered. */
extern cudaError_t GpuWriteRecords(GpuRecords *records);

/* Writes the records that have been gathered, and frees their memory. */
extern cudaError_t GpuEndRecords(GpuTeam *team, GpuRecords *records);

/* Copies to a device. */
extern cudaError_t GpuSend(GpuTeam *team, GpuDevice *device, int stream, void *to, const void *from,
						   size_t bytes, const char *what);

/* One of several arrays of the host that are to lie one after the other on a device. */
typedef struct GpuPiece
{
	const void *from;
	size_t		bytes;
} GpuPiece;

/* Copies several arrays like a single one, which is quicker than one call for each. */
extern cudaError_t GpuSendPieces(GpuTeam *team, GpuDevice *device, int stream, void *to, const GpuPiece *pieces,
								 int npieces, const char *what);

/* Copies to the host with the stream that counts, and waits until the copy has ended. */
extern cudaError_t GpuReceive(GpuTeam *team, GpuDevice *device, void *to, const void *from, size_t bytes, const char *what);

/*
 * Copies the same to an array on each of the team's devices, to[ndevices].  A device gets nothing if the
 * address of its array is NULL.
 */
extern cudaError_t GpuSendAll(GpuTeam *team, int stream, void *const *to, const void *from,
							  size_t bytes, const char *what);

/* Like GpuSendAll(), with the streams that count, for n numbers below 65536.  The devices' arrays are of uint16_t. */
extern cudaError_t GpuSendNarrow(GpuTeam *team, void *const *to, const uint32_t *from, uint64_t n, const char *what);

/*
 * Copies from one device to another, with the streams that count: the copy waits for what "from" has to do before, and
 * what "from" is given to do later waits for the copy.
 */
extern cudaError_t GpuCopyAcross(GpuTeam *team, GpuDevice *to_device, void *to, GpuDevice *from_device,
								 const void *from, size_t bytes, const char *what);

/*
 * For callers that write their data straight into pinned memory.  GpuNextQuarter() waits until no
 * copy uses the next quarter of the ring any more, makes the device the current one, and sets
 * *quarter to the number and *at to the address of the quarter, which has GPU_QUARTER bytes.
 * GpuSendQuarter() then copies the first "bytes" bytes of the quarter.
 */
extern cudaError_t GpuNextQuarter(GpuTeam *team, GpuDevice *device, int *quarter, char **at);
extern cudaError_t GpuSendQuarter(GpuDevice *device, int stream, int quarter, void *to, size_t bytes,
								const char *what);

#define GPU_SHARED		((size_t) 16 << 20) /* bytes of each half */

/*
 * The same for data that several devices are to get.  GpuNextHalf() waits until no copy uses
 * the next half of the buffer any more, and sets *half to its number and *at to its address.
 * GpuSendShared() copies the first "bytes" bytes of the half to a device, and makes this device
 * the current one.
 */
extern cudaError_t GpuNextHalf(GpuTeam *team, int *half, char **at);
extern cudaError_t GpuSendShared(GpuDevice *device, int stream, int half, void *to, size_t bytes,
								 const char *what);

/*
 * Copies into a half, to an address that must be a multiple of 16.  The stores bypass the
 * caches, because a device reads the half quickest if it is in no cache of a processor.
 */
extern void GpuStreamOut(void *to, const void *from, size_t bytes);

extern cudaError_t GpuOpenRing(GpuDevice *device);
extern void GpuCloseRing(GpuDevice *device);

/* The buffer is for all devices.  The device given is the one that an error is ascribed to. */
extern cudaError_t GpuOpenShared(const GpuDevice *device);
extern void GpuCloseShared(void);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_TEAM_H */
