/*-------------------------------------------------------------------------
 *
 * check_devices.c
 *	  What the GPU library does with devices for any family, on a stand-in for the
 *	  CUDA runtime: a job that knows no itemsets, and what it leaves when calls fail.
 *
 * The job takes memory on two devices, sends data there in each way that there is,
 * waits, and brings them back.  It is done once as it should be, and then again and
 * again: with each CUDA call failing in turn, with an error that leaves the context
 * intact and with one that does not; stopped at each poll; and with each allocation of
 * host memory refused.  Whatever happens, the result must say so, a fault must be
 * recorded if and only if a call has failed, and nothing may be held at the end.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_standin.h"
#include "device.h"
#include "harness.h"
#include "team.h"

#define MOST_PARTS	64
#define LAUNCHES	(GPU_TIMERS + 2)	/* on each device: more than there are timers */

/* What the job works on. */
typedef struct Work
{
	GpuTeam		team;
	size_t		bytes;
	char	   *from;
	char	   *to;
	uint32_t	done[MOST_PARTS]; /* how many times each part of the host's work was done */
	const char *wrong;			/* what was not as it should be, or NULL */
} Work;

static int	failures;

static void
Fail(const char *when, uint64_t number, const char *what)
{
	if (failures++ < 20)
		printf("%s %llu: %s\n", when, (unsigned long long) number, what);
}

/* ---- the job ---- */

static void
DoPart(void *of, uint32_t part, uint32_t thread)
{
	Work	   *work = (Work *) of;

	work->done[part]++;
	if (thread >= HostThreads())
		work->wrong = "a thread has too high a number";
}

static void
Expect(Work *work, bool as_expected, const char *what)
{
	if (!as_expected && work->wrong == NULL)
		work->wrong = what;
}

/* Send data to a device's memory by its ring, piece by piece, and bring them back. */
static cudaError_t
UseRing(Work *work, GpuDevice *device, void *memory)
{
	GpuTeam    *team = &work->team;
	char	   *ring;
	int			piece;

	GPU_TRY(GpuSend(team, device, GPU_COUNT, memory, work->from, work->bytes, "sending"));
	GPU_TRY(GpuNextQuarter(team, device, &piece, &ring));
	memcpy(ring, work->from, 10);
	GPU_TRY(GpuSendQuarter(device, 1, piece, memory, 10, "sending"));
	GPU_TRY(GpuFollow(device, GPU_COUNT, 1, "waiting"));
	standin.not_ready = 3;
	GPU_TRY(GpuReceive(team, device, work->to, memory, work->bytes, "receiving"));
	Expect(work, memcmp(work->from, work->to, work->bytes) == 0, "other data came back");
	memset(work->to, 0, work->bytes);
	return cudaSuccess;
}

/* What would be a kernel. */
static cudaError_t
Launch(Work *work, GpuDevice *device)
{
	GpuTimer   *timer;

	GPU_TRY(GpuThrottle(&work->team, device, "counting"));
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, 1000, &timer));
	GPU_TRY(GpuLaunched(device, "counting"));
	return GpuEnd(device, GPU_COUNT, timer);
}

/* Arrays that are taken at once lie beside one another, and all go with the first. */
static cudaError_t
UseArrays(Work *work, GpuDevice *device)
{
	char	   *of[3];
	const GpuArray arrays[] = {{(void **) &of[0], 1}, {(void **) &of[1], 0}, {(void **) &of[2], work->bytes}};
	uint64_t	used = device->used;

	GPU_TRY(GpuAllocArrays(device, arrays, 3, "allocating"));
	Expect(work, of[0] < of[1] && of[1] == of[2], "arrays lie in one another");
	Expect(work, device->used == used + GpuArraysBytes(arrays, 3), "arrays take something else than was said");
	memset(of[2], 1, work->bytes);
	GPU_TRY(GpuFree(device, of[0]));
	Expect(work, device->used == used, "arrays count that were given back");
	return cudaSuccess;
}

/* Memory of no bytes is there, too. */
static cudaError_t
UseNothing(Work *work, GpuDevice *device)
{
	void	   *nothing;

	GPU_TRY(GpuAlloc(device, 0, "allocating nothing", &nothing));
	return GpuFree(device, nothing);
}

/* Only those devices get anything that have an array. */
static cudaError_t
SendToLast(Work *work, void *const *memory)
{
	int			last = work->team.ndevices - 1;
	void	   *to[FIM_GPU_MAX_DEVICES] = {NULL};

	to[last] = memory[last];
	GPU_TRY(GpuSendAll(&work->team, GPU_COUNT, to, work->from, work->bytes, "sending"));
	Expect(work, memcmp(memory[last], work->from, work->bytes) == 0, "other data arrived at the last device");
	memset(memory[last], 0, work->bytes);
	return cudaSuccess;
}

/* What the first device has goes to the last one. */
static cudaError_t
CopyToLast(Work *work, void *const *memory)
{
	GpuTeam    *team = &work->team;
	int			last = team->ndevices - 1;

	GPU_TRY(GpuSend(team, team->devices[0], GPU_COUNT, memory[0], work->from, work->bytes, "sending"));
	GPU_TRY(GpuCopyAcross(team, team->devices[last], memory[last], team->devices[0], memory[0], work->bytes, "copying"));
	Expect(work, memcmp(memory[last], work->from, work->bytes) == 0, "other data went across");
	memset(memory[last], 0, work->bytes);
	return cudaSuccess;
}

static cudaError_t
DoJob(Work *work)
{
	GpuTeam    *team = &work->team;
	void	   *memory[FIM_GPU_MAX_DEVICES];
	void	   *more;

	for (int d = 0; d < team->ndevices; d++)
		GPU_TRY(GpuAlloc(team->devices[d], work->bytes, "allocating", &memory[d]));
	GPU_TRY(UseArrays(work, team->devices[0]));
	GPU_TRY(UseNothing(work, team->devices[0]));
	GPU_TRY(GpuTryAlloc(team->devices[0], SIZE_MAX / 2, "allocating", &more));
	Expect(work, more == NULL, "more memory than there is was given");
	GPU_TRY(GpuTeamHoldBack(team, 0));
	GPU_TRY(GpuTeamCall(team));
	GPU_TRY(GpuLetReach(team->devices[0], team->devices[team->ndevices - 1]));
	GPU_TRY(SendToLast(work, memory));
	GPU_TRY(CopyToLast(work, memory));
	GPU_TRY(GpuSendAll(team, GPU_COUNT, memory, work->from, work->bytes, "sending"));
	for (int d = 0; d < team->ndevices; d++)
	{
		Expect(work, memcmp(memory[d], work->from, work->bytes) == 0, "other data arrived");
		memset(memory[d], 0, work->bytes);
		GPU_TRY(UseRing(work, team->devices[d], memory[d]));
		for (int i = 0; i < LAUNCHES; i++)
			GPU_TRY(Launch(work, team->devices[d]));
		GPU_TRY(GpuWait(team, team->devices[d], GPU_COUNT, "waiting"));
	}
	GPU_TRY(HostRun(team, MOST_PARTS, DoPart, work));
	for (int i = 0; i < MOST_PARTS; i++)
		Expect(work, work->done[i] == 1, "a part was not done once");
	GPU_TRY(GpuFree(team->devices[0], memory[0]));
	Expect(work, team->devices[0]->used == 0, "memory counts that was given back");
	return cudaSuccess;
}

/* Host memory: blocks that are freed, that grow, and that the end has to free. */
static cudaError_t
UseHost(Work *work)
{
	GpuTeam    *team = &work->team;
	void	   *first;
	void	   *second;
	uint64_t	room = 50;

	GPU_TRY(GpuHostTake(team, 100, &first));
	GPU_TRY(GpuHostTake(team, 50, &second));
	memset(second, 7, 50);
	GpuHostFree(team, first);
	GPU_TRY(GpuHostRoom(team, &second, 50, 60, &room, 1));
	Expect(work, room >= 60 && ((char *) second)[49] == 7, "an array that has grown is another one");
	return cudaSuccess;
}

static FimResult
Mine(Work *work, TestHost *host)
{
	FimShared	shared = {0};
	FimResult	result;

	memset(work->done, 0, sizeof(work->done));
	work->wrong = NULL;
	result = GpuResult(GpuTeamBegin(&work->team, &shared, &host->base));
	if (result == FIM_DONE)
		result = GpuResult(UseHost(work));
	if (work->team.no_memory)
		result = FIM_OUT_OF_MEMORY;
	if (result == FIM_DONE)
		result = GpuResult(DoJob(work));
	GpuTeamEnd(&work->team);
	return result;
}

/* ---- what must hold afterwards ---- */

static void
CheckEnd(const char *when, uint64_t number, const Work *work, const TestHost *host)
{
	if (work->wrong != NULL)
		Fail(when, number, work->wrong);
	if (host->live != 0)
		Fail(when, number, "host memory is held");
	if (!GpuIsDead() && standin.live != 0)
		Fail(when, number, "device memory is held");
	for (int d = 0; d < work->team.ndevices; d++)
		if (work->team.devices[d]->used != 0 || work->team.devices[d]->memory != NULL)
			Fail(when, number, "a device's figures say that memory is held");
}

static void
CheckResult(const char *when, uint64_t number, FimResult result, FimResult expected)
{
	bool		faulty = GpuFault()->error[0] != '\0';

	if (result != expected)
		Fail(when, number, ResultName(result));
	if (faulty != (expected == FIM_DEVICE_FAULT))
		Fail(when, number, faulty ? "a fault is recorded" : "no fault is recorded");
	if (faulty && GpuFault()->what[0] == '\0')
		Fail(when, number, "the fault does not say what was being done");
}

static void
SetOptions(int allocation, int launch, int device)
{
	FimGpuOptions options;

	memset(&options, 0, sizeof(options));
	options.inject.allocation = allocation;
	options.inject.launch = launch;
	options.inject.device = device;
	GpuSetOptions(&options);
}

/* The job as it should be. */
static void
CheckDone(const char *when, Work *work)
{
	TestHost	host;

	HostInit(&host);
	SetOptions(0, 0, 0);
	CheckResult(when, 0, Mine(work, &host), FIM_DONE);
	CheckEnd(when, 0, work, &host);
	if (GpuReport()->ndevices != STANDIN_DEVICES || GpuReport()->peak_memory < work->bytes)
		Fail(when, 0, "the report is wrong");
	if (GpuReport()->amount[FIM_GPU_COUNT] != STANDIN_DEVICES * LAUNCHES * 1000.0)
		Fail(when, 0, "the amount that was counted is wrong");
}

/* ---- what can go wrong ---- */

/* The n-th call fails; returns false if there are not so many. */
static bool
FailCall(Work *work, uint64_t n, cudaError_t error)
{
	const char *when = error == cudaErrorInvalidValue ? "harmless error of call" : "sticky error of call";
	TestHost	host;
	FimResult	result;

	HostInit(&host);
	SetOptions(0, 0, 0);
	standin.calls = 0;
	standin.failed = false;
	standin.fail_at = n;
	standin.error = error;
	result = Mine(work, &host);
	standin.fail_at = 0;
	if (!standin.failed)
		return false;
	/* the last calls are those of the end, whose errors nobody needs to know */
	if (result != FIM_DONE)
		CheckResult(when, n, result, FIM_DEVICE_FAULT);
	CheckEnd(when, n, work, &host);
	if (result != FIM_DONE && error != cudaErrorInvalidValue)
	{
		HostInit(&host);
		if (!GpuFault()->sticky || Mine(work, &host) != FIM_DEVICE_FAULT)
			Fail(when, n, "a job was begun after it");
	}
	return true;
}

/* In a process of its own, since nothing can be done after a sticky error. */
static bool
FailCallForGood(Work *work, uint64_t n)
{
	int			status;
	pid_t		process;

	fflush(stdout);
	process = fork();
	if (process == 0)
	{
		bool		called;

		failures = 0;
		called = FailCall(work, n, cudaErrorIllegalAddress);
		fflush(stdout);
		_exit(failures > 0 ? 1 : called ? 0 : 2);
	}
	waitpid(process, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) == 1)
		failures++;
	return WIFEXITED(status) && WEXITSTATUS(status) != 2;
}

/* Have the next poll say stop, and let it come to be due. */
static void
StopSoon(TestHost *host)
{
	host->stop_at = 1;
	usleep(2000);
}

static void
DoStoppingPart(void *of, uint32_t part, uint32_t thread)
{
	StopSoon((TestHost *) of);
}

/* Work of the host, a wait, a launch and an array that grows are left when the job is to stop. */
static void
CheckLeft(Work *work)
{
	FimShared	shared = {0};

	for (int way = 0; way < 4; way++)
	{
		TestHost	host;
		GpuTeam    *team = &work->team;
		uint64_t	room = 0;
		void	   *array = NULL;
		cudaError_t error;

		HostInit(&host);
		if (GpuTeamBegin(team, &shared, &host.base) != cudaSuccess)
			Fail("stop in way", way, "no team");
		if (way > 0)
			StopSoon(&host);
		if (way == 0)
			error = HostRun(team, 1, DoStoppingPart, &host);
		else if (way == 1)
			error = GpuWait(team, team->devices[0], GPU_COUNT, "waiting");
		else if (way == 2)
			error = GpuThrottle(team, team->devices[0], "counting");
		else
		{
			error = GpuHostRoom(team, &array, 0, 1, &room, 1);
			if (error == cudaSuccess)
				error = GpuHostRoom(team, &array, room, room + 1, &room, 1);
		}
		if (error != GPU_STOPPED)
			Fail("stop in way", way, "the job went on");
		GpuTeamEnd(team);
	}
}

/* How devices are held back and called. */
typedef enum CallingWay
{
	CALL_LATER,
	CALL_AT_ONCE,
	NO_ROOM,
	NEAR,						/* the first device has a pool, and the other one can reach it */
	CALLING_WAYS
} CallingWay;

/* Devices that are held back are called when the first one has counted for long, or at once; or have no room. */
static void
CheckCalling(Work *work)
{
	for (CallingWay way = CALL_LATER; way < CALLING_WAYS; way++)
	{
		FimGpuOptions options = {.call_at_once = way == CALL_AT_ONCE,.ndevices = STANDIN_DEVICES,
		.devices = {way == NEAR, way != NEAR}};
		FimShared	shared = {0};
		TestHost	host;
		GpuTeam    *team = &work->team;
		double	   *counted;

		HostInit(&host);
		GpuSetOptions(&options);
		standin.reaching = -1;
		if (GpuTeamBegin(team, &shared, &host.base) != cudaSuccess ||
			GpuTeamHoldBack(team, way == NO_ROOM ? UINT64_MAX : work->bytes) != cudaSuccess)
			Fail("calling in way", way, "no team");
		counted = &team->devices[0]->ms[FIM_GPU_COUNT];
		if (team->ndevices != 1 || GpuTeamIsToCall(team, 0) != (way == CALL_AT_ONCE))
			Fail("calling in way", way, "the others are called too early");
		/* so many bytes take ten times as long by way of the host */
		*counted = 1e6;
		if (GpuTeamIsToCall(team, UINT64_C(100000000000000)) != (way == CALL_AT_ONCE || way == NEAR))
			Fail("calling in way", way, "copies take as long by another way");
		*counted = 1e9;
		if (GpuTeamIsToCall(team, 0) != (way != NO_ROOM))
			Fail("calling in way", way, "the others are not called when they should be");
		usleep(60000);
		*counted = 25;
		if (GpuTeamIsToCall(team, 0) != (way == CALL_AT_ONCE))
			Fail("calling in way", way, "the others are called when the host has more to do");
		if (GpuTeamCall(team) != cudaSuccess || standin.reaching != (way == NEAR ? 0 : -1))
			Fail("calling in way", way, "the wrong device is let reach the first one");
		*counted = 1e9;
		if (team->ndevices != (way == NO_ROOM ? 1 : STANDIN_DEVICES) || GpuTeamIsToCall(team, 0))
			Fail("calling in way", way, "there are too many devices, or too few");
		GpuTeamEnd(team);
	}
}

/* Each poll in turn says stop. */
static void
CheckStops(Work *work)
{
	TestHost	host;

	SetOptions(0, 0, 0);
	for (uint64_t n = 1; n < 4; n++)
	{
		HostInit(&host);
		host.stop_at = n;
		if (Mine(work, &host) == FIM_DONE && host.polls >= n)
			Fail("stop at poll", n, "the job went on");
		CheckEnd("stop at poll", n, work, &host);
	}
	CheckLeft(work);
	HostInit(&host);
	host.stop_at = 1;
	CheckResult("stop at once", 0, Mine(work, &host), FIM_STOPPED);
}

static void
CheckHostMemory(Work *work)
{
	TestHost	host;

	SetOptions(0, 0, 0);
	for (uint64_t n = 1; n <= 3; n++)
	{
		HostInit(&host);
		host.fail_at = n;
		CheckResult("host allocation", n, Mine(work, &host), FIM_OUT_OF_MEMORY);
		CheckEnd("host allocation", n, work, &host);
	}
}

/* Injected faults; the sticky ones in processes of their own. */
static void
CheckInjection(Work *work)
{
	TestHost	host;

	HostInit(&host);
	SetOptions(2, 0, 0);
	CheckResult("injected allocation", 2, Mine(work, &host), FIM_DEVICE_FAULT);
	CheckEnd("injected allocation", 2, work, &host);
	if (!GpuFault()->out_of_memory || GpuFault()->needed < work->bytes || GpuFault()->sticky)
		Fail("injected allocation", 2, "the fault is wrong");
	for (int i = 0; i < 2; i++)
	{
		int			status;
		pid_t		process;

		fflush(stdout);
		process = fork();
		if (process == 0)
		{
			HostInit(&host);
			SetOptions(0, i == 0 ? 3 : 0, i == 1 ? 3 : 0);
			CheckResult("injected fault", i, Mine(work, &host), FIM_DEVICE_FAULT);
			fflush(stdout);
			_exit(failures > 0 || !GpuFault()->sticky);
		}
		waitpid(process, &status, 0);
		if (status != 0)
			Fail("injected fault", i, "is not as it should be");
	}
}

static void
NewWork(Work *work, size_t bytes)
{
	memset(work, 0, sizeof(*work));
	work->bytes = bytes;
	work->from = malloc(bytes);
	work->to = malloc(bytes);
	for (size_t i = 0; i < bytes; i++)
		work->from[i] = (char) (i * 7 + i / 251);
}

static void
FreeWork(Work *work)
{
	free(work->from);
	free(work->to);
}

int
main(void)
{
	Work		large;
	Work		small;
	uint64_t	n = 1;

	/* more than both halves of the shared buffer, and more than the ring */
	NewWork(&large, 2 * GPU_SHARED + 4321);
	CheckDone("large data", &large);
	FreeWork(&large);

	NewWork(&small, 4321);
	CheckDone("small data", &small);
	CheckStops(&small);
	CheckHostMemory(&small);
	CheckCalling(&small);
	CheckInjection(&small);
	GpuCloseAll();
	while (FailCallForGood(&small, n))
		n++;
	printf("each of %llu CUDA calls failed for good\n", (unsigned long long) n - 1);
	for (n = 1; FailCall(&small, n, cudaErrorInvalidValue); n++)
		GpuCloseAll();
	printf("each of %llu CUDA calls failed once\n", (unsigned long long) n - 1);
	CheckDone("after all faults", &small);
	GpuCloseAll();
	FreeWork(&small);
	if (failures > 0)
		printf("%d failures\n", failures);
	fflush(stdout);
	return failures > 0;
}
