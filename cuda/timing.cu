/*-------------------------------------------------------------------------
 *
 * timing.cu
 *	  How long what the devices do takes, and waiting for it.
 *
 * Events before and after a piece of work say how long it took.  That is for the
 * report, and it gives the pace by which launches are cut: one that is under way
 * cannot be stopped, so each is to be short and few are queued.
 *
 *-------------------------------------------------------------------------
 */
#include <time.h>

#include "device.h"

#define SPINS			200		/* queries before the first sleep */
#define SLEEP_NS		20000

#define MAX_RUNNING		2		/* launches in a stream's queue */
#define MAX_GROWTH		4		/* of a launch over the one before */
#define FIRST_AMOUNT	2e10	/* bits that the first launch counts, at most */

/* ---- timing ---- */

static void
AddTime(GpuDevice *device, const GpuTimer *timer, float ms)
{
	device->ms[timer->phase] += ms;
	device->amount[timer->phase] += timer->amount;
}

static void
Settle(GpuDevice *device, GpuTimer *timer)
{
	float		ms = 0;

	timer->running = false;
	GpuCheck(device, cudaEventElapsedTime(&ms, timer->begin, timer->end), "reading a timer");
	AddTime(device, timer, ms);
	if (timer->phase == FIM_GPU_COUNT)
		device->pace = timer->amount / (ms > 0.001 ? ms : 0.001);
}

static bool
HasEnded(GpuDevice *device, const GpuTimer *timer)
{
	cudaError_t error = cudaEventQuery(timer->end);

	if (error == cudaErrorNotReady)
		return false;
	GpuCheck(device, error, "reading a timer");
	return true;
}

GpuTimer *
GpuBegin(GpuDevice *device, int stream, FimGpuPhase phase, double amount)
{
	GpuTimer   *timer = &device->timers[device->next_timer];

	device->next_timer = (device->next_timer + 1) % GPU_TIMERS;
	if (timer->running)
	{
		GpuCheck(device, cudaEventSynchronize(timer->end), "reading a timer");
		Settle(device, timer);
	}
	timer->phase = phase;
	timer->amount = amount;
	if (phase == FIM_GPU_COUNT)
		device->launched = amount;
	GpuCheck(device, cudaEventRecord(timer->begin, device->streams[stream]), "starting a timer");
	return timer;
}

void
GpuEnd(GpuDevice *device, int stream, GpuTimer *timer)
{
	GpuCheck(device, cudaEventRecord(timer->end, device->streams[stream]), "stopping a timer");
	timer->running = true;
}

/* Settles what has ended; returns how many launches that count have not. */
static int
SettleTimers(GpuDevice *device)
{
	int			running = 0;

	/* from the oldest on, so that the pace is the last one's */
	for (int i = 0; i < GPU_TIMERS; i++)
	{
		GpuTimer   *timer = &device->timers[(device->next_timer + i) % GPU_TIMERS];

		if (!timer->running)
			continue;
		if (HasEnded(device, timer))
			Settle(device, timer);
		else
			running += timer->phase == FIM_GPU_COUNT;
	}
	return running;
}

/* The end of a job: what has ended counts, the rest is forgotten. */
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

static void
PollInTime(GpuJob *job)
{
	if (GpuMustStop(job))
		GpuLeave(FIM_STOPPED);
}

static void
Nap(GpuJob *job, int *spins)
{
	struct timespec nap = {0, SLEEP_NS};

	if (++*spins > SPINS)
		nanosleep(&nap, NULL);
	PollInTime(job);
}

/* Before a launch: few are to be under way, since nothing stops them. */
void
GpuThrottle(GpuJob *job, GpuDevice *device, const char *what)
{
	int			spins = 0;

	GpuCheck(device, cudaSetDevice(device->number), what);
	while (SettleTimers(device) >= MAX_RUNNING)
		Nap(job, &spins);
	PollInTime(job);
}

/* How much the next launch may count, to take GPU_LAUNCH_MS; of the first it is guessed. */
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

void
GpuWaitEvent(GpuJob *job, GpuDevice *device, cudaEvent_t event, const char *what)
{
	int			spins = 0;
	cudaError_t error;

	if (GpuLosesDevice())
		GpuFail(device, cudaErrorDevicesUnavailable, what);
	while ((error = cudaEventQuery(event)) == cudaErrorNotReady)
		Nap(job, &spins);
	GpuCheck(device, error, what);
	PollInTime(job);
}

void
GpuWait(GpuJob *job, GpuDevice *device, int stream, const char *what)
{
	GpuCheck(device, cudaSetDevice(device->number), what);
	GpuCheck(device, cudaEventRecord(device->reached[stream], device->streams[stream]), what);
	GpuWaitEvent(job, device, device->reached[stream], what);
	SettleTimers(device);
}

/* What the stream does from now on comes after what the other one was given. */
void
GpuFollow(GpuDevice *device, int stream, int before, const char *what)
{
	GpuCheck(device, cudaEventRecord(device->reached[before], device->streams[before]), what);
	GpuCheck(device, cudaStreamWaitEvent(device->streams[stream], device->reached[before], 0), what);
}
