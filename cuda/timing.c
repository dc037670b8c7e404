/*-------------------------------------------------------------------------
 *
 * timing.c
 *	  How long the work of the devices takes, see team.h.
 *
 * Events before and after a piece of work say how long it took.  The time goes into the report,
 * and gives the pace from which the size of the next launches follows.
 *
 *-------------------------------------------------------------------------
 */
#include <time.h>

#include "device.h"
#include "team.h"

#define SPINS			3000	/* queries, of half a microsecond each, before the first sleep */
#define SLEEP_NS		20000

#define MAX_RUNNING		2		/* launches in a stream's queue */
#define MAX_GROWTH		4		/* a launch counts at most this many times what the one before did */
#define FIRST_AMOUNT	2e10	/* bits that a job's first launch counts, at most */

/* ---- timers ---- */

static void
AddTime(GpuDevice *device, const GpuTimer *timer, float ms)
{
	device->ms[timer->phase] += ms;
	device->amount[timer->phase] += timer->amount;
}

/* Add to the figures the time of a timer whose work is done. */
static cudaError_t
Settle(GpuDevice *device, GpuTimer *timer)
{
	float		ms = 0;

	timer->running = false;
	GPU_TRY(GpuCheck(device, cudaEventElapsedTime(&ms, timer->begin, timer->end), "reading a timer"));
	AddTime(device, timer, ms);
	if (timer->phase == FIM_GPU_COUNT)
		device->pace = timer->amount / (ms > 0.001 ? ms : 0.001);
	return cudaSuccess;
}

cudaError_t
GpuBegin(GpuDevice *device, int stream, FimGpuPhase phase, double amount, GpuTimer **result)
{
	GpuTimer   *timer = &device->timers[device->next_timer];

	device->next_timer = (device->next_timer + 1) % GPU_TIMERS;
	if (timer->running)
	{
		GPU_TRY(GpuCheck(device, cudaEventSynchronize(timer->end), "reading a timer"));
		GPU_TRY(Settle(device, timer));
	}
	timer->phase = phase;
	timer->amount = amount;
	if (phase == FIM_GPU_COUNT)
		device->launched = amount;
	*result = timer;
	return GpuCheck(device, cudaEventRecord(timer->begin, device->streams[stream]), "starting a timer");
}

cudaError_t
GpuEnd(GpuDevice *device, int stream, GpuTimer *timer)
{
	GPU_TRY(GpuCheck(device, cudaEventRecord(timer->end, device->streams[stream]), "stopping a timer"));
	timer->running = true;
	return cudaSuccess;
}

/*
 * Settle the timers whose work is done.  Sets *running to the number of launches that count and
 * are not done.
 */
static cudaError_t
SettleTimers(GpuDevice *device, int *running)
{
	*running = 0;
	/* the oldest first, so that the pace becomes that of the newest */
	for (int i = 0; i < GPU_TIMERS; i++)
	{
		GpuTimer   *timer = &device->timers[(device->next_timer + i) % GPU_TIMERS];
		cudaError_t error;

		if (!timer->running)
			continue;
		error = cudaEventQuery(timer->end);
		if (error == cudaErrorNotReady)
		{
			*running += timer->phase == FIM_GPU_COUNT;
			continue;
		}
		GPU_TRY(GpuCheck(device, error, "reading a timer"));
		GPU_TRY(Settle(device, timer));
	}
	return cudaSuccess;
}

void
GpuEndTimers(GpuDevice *device)
{
	for (int i = 0; i < GPU_TIMERS; i++)
	{
		GpuTimer   *timer = &device->timers[i];
		float		ms = 0;

		if (timer->running && !GpuIsDead() && cudaEventQuery(timer->end) == cudaSuccess)
		{
			cudaEventElapsedTime(&ms, timer->begin, timer->end);
			AddTime(device, timer, ms);
		}
		timer->running = false;
	}
}

/* ---- waiting ---- */

static cudaError_t
PollInTime(GpuTeam *team)
{
	return GpuMustStop(team) ? GPU_STOPPED : cudaSuccess;
}

/*
 * Let a moment pass, in the first SPINS calls without sleeping.  Returns GPU_STOPPED if the job
 * is to stop.
 */
static cudaError_t
Nap(GpuTeam *team, int *spins)
{
	struct timespec nap = {0, SLEEP_NS};

	if (++*spins > SPINS)
		nanosleep(&nap, NULL);
	return PollInTime(team);
}

cudaError_t
GpuThrottle(GpuTeam *team, GpuDevice *device, const char *what)
{
	int			spins = 0;
	int			running;

	GPU_TRY(GpuUse(device, what));
	for (;;)
	{
		GPU_TRY(SettleTimers(device, &running));
		if (running < MAX_RUNNING)
			return PollInTime(team);
		GPU_TRY(Nap(team, &spins));
	}
}

double
GpuLaunchAmount(const GpuDevice *device, double least, double first)
{
	double		amount = first < FIRST_AMOUNT ? first : FIRST_AMOUNT;

	if (device->pace > 0)
	{
		amount = device->pace * GPU_LAUNCH_MS;
		if (amount > device->launched * MAX_GROWTH && device->launched > 0)
			amount = device->launched * MAX_GROWTH;
	}
	return amount > least ? amount : least;
}

cudaError_t
GpuWaitEvent(GpuTeam *team, GpuDevice *device, cudaEvent_t event, const char *what)
{
	int			spins = 0;
	cudaError_t error;

	if (GpuLosesDevice())
		return GpuCheck(device, cudaErrorDevicesUnavailable, what);
	while ((error = cudaEventQuery(event)) == cudaErrorNotReady)
		GPU_TRY(Nap(team, &spins));
	GPU_TRY(GpuCheck(device, error, what));
	return PollInTime(team);
}

cudaError_t
GpuWait(GpuTeam *team, GpuDevice *device, int stream, const char *what)
{
	int			running;

	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, cudaEventRecord(device->reached[stream], device->streams[stream]), what));
	GPU_TRY(GpuWaitEvent(team, device, device->reached[stream], what));
	return SettleTimers(device, &running);
}

cudaError_t
GpuFollow(GpuDevice *device, int stream, int before, const char *what)
{
	GPU_TRY(GpuCheck(device, cudaEventRecord(device->reached[before], device->streams[before]), what));
	return GpuCheck(device, cudaStreamWaitEvent(device->streams[stream], device->reached[before], 0), what);
}

cudaError_t
GpuFollowDevice(GpuDevice *device, GpuDevice *before, const char *what)
{
	GPU_TRY(GpuCheck(before, cudaEventRecord(before->reached[GPU_COUNT], before->streams[GPU_COUNT]), what));
	return GpuCheck(device, cudaStreamWaitEvent(device->streams[GPU_COUNT], before->reached[GPU_COUNT], 0), what);
}

cudaError_t
GpuAllFollow(GpuDevice *device, int before, const char *what)
{
	GPU_TRY(GpuCheck(device, cudaEventRecord(device->reached[before], device->streams[before]), what));
	for (int s = 0; s < GPU_STREAMS; s++)
		if (s != before)
			GPU_TRY(GpuCheck(device, cudaStreamWaitEvent(device->streams[s], device->reached[before], 0), what));
	return cudaSuccess;
}
