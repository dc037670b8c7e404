/*-------------------------------------------------------------------------
 *
 * fim.c
 *	  The mining engine as a command-line program.
 *
 * Reads transactions in FIMI form (a line each, items as integers separated by
 * blanks) and prints the number of frequent itemsets, or writes them, a line
 * each: "item item ... (support)".
 *
 *-------------------------------------------------------------------------
 */
#include "cli.h"

#include "engine/engine.h"
#include "engine/kernels.h"
#include "engine/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define MAX_WORKERS		256

/* malloc() gives only blocks of at least this size back to the kernel. */
#define KEPT_MEMORY		(32 << 20)

/* What the command line asks for. */
typedef struct Request
{
	const char *in;
	const char *out;			/* NULL: itemsets are only counted */
	const char *minsup;
	FimItemsetsSpec spec;		/* without its minsup, which may be a fraction */
	uint32_t	workers;
	bool		by_length;
	bool		timed;
} Request;

/* A worker, and its share of the task. */
typedef struct Call
{
	FimHost		host;
	FimTask		task;
	Writer		writer;			/* used if itemsets are listed */
	FimResult	result;
	pthread_t	thread;
} Call;

static double
Seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

static void *
HostAlloc(FimHost *host, size_t bytes)
{
	return malloc(bytes);
}

static void
HostFree(FimHost *host, void *block)
{
	free(block);
}

static bool
HostPoll(FimHost *host)
{
	return false;
}

static void *
RunWorker(void *argument)
{
	Call	   *call = argument;

	call->result = FimMine(&call->task, &call->host, &call->writer.sink);
	/* others may be waiting for a part of the data */
	if (call->result != FIM_DONE)
		__atomic_store_n(&call->task.shared->cancel, 1, __ATOMIC_RELAXED);
	return NULL;
}

static double
ToDouble(FimCount c)
{
	return ldexp((double) c.high, 64) + (double) c.low;
}

static void
PrintCount(FimCount c)
{
	if (c.high == 0)
		printf("%llu\n", (unsigned long long) c.low);
	else if (c.high == UINT64_MAX && c.low == UINT64_MAX)
		puts("2^128 or more");
	else
		printf("%.17g\n", ToDouble(c));
}

static void
PrintCounts(const FimTally *tally, bool by_length)
{
	FimCount	sum = {0, 0};
	FimTally	total = {1, &sum};

	for (uint32_t n = 1; n < tally->lengths; n++)
	{
		FimTally	one = {1, &tally->counts[n]};

		FimTallyAdd(&total, &one);
		if (by_length && (tally->counts[n].low | tally->counts[n].high) != 0)
		{
			printf("%u: ", n);
			PrintCount(tally->counts[n]);
		}
	}
	PrintCount(sum);
}

static void
Usage(FILE *to)
{
	fputs("fim counts or lists the frequent itemsets of a file of transactions.\n\n"
		  "usage: fim [OPTION]... FILE [OUT]\n\n"
		  "FILE holds a transaction a line, items as whole numbers; - is standard input.\n"
		  "Without OUT the number of itemsets is printed; with it they are written there,\n"
		  "a line each, and their number is printed unless OUT is - (standard output).\n\n"
		  "  -s, --minsup=N        least support: a count, or a fraction below 1 (default 0.1)\n"
		  "  -k, --kind=KIND       all (default), closed or maximal\n"
		  "  -m, --min-length=N    shortest itemset (default 1)\n"
		  "  -n, --max-length=N    longest itemset (default: no limit)\n"
		  "  -w, --workers=N       threads (default 1)\n"
		  "  -c, --count           count without listing (default without OUT)\n"
		  "  -l, --by-length       count by length\n"
		  "  -t, --time            print what each phase took, to standard error\n"
		  "  -p, --part=I/N        only part I, from 0, of N parts, which together are the whole\n"
		  "  -S, --strategy=NAME   auto (default), bitmap, projected or rows\n"
		  "  -I, --isa=NAME        avx512, avx2 or portable (default: the best there is)\n"
		  "  -h, --help            this text\n", to);
}

static uint32_t
Number(const char *text, const char *what)
{
	char	   *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end != '\0' || n == 0 || n >= UINT32_MAX)
		Die("%s must be a whole number from 1 up, not \"%s\"", what, text);
	return (uint32_t) n;
}

/* Returns the index of a name among the names.  Ends the program if it is not there. */
static int
OneOf(const char *name, const char *const *names, const char *what)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	Die("there is no %s \"%s\"; see fim --help", what, name);
	return -1;
}

/* The threshold that an argument means. */
static uint32_t
Threshold(const char *text, uint64_t transactions)
{
	char	   *end;
	double		minsup = strtod(text, &end);

	if (end == text || *end != '\0' || !(minsup > 0) || minsup >= UINT32_MAX)
		Die("minsup must be a positive number, not \"%s\"", text);
	if (minsup >= 1 && minsup != floor(minsup))
		Die("minsup must be a whole number from 1 up, or a fraction below 1");
	return FimThreshold(minsup, transactions);
}

/* The part of an argument, as "0/4". */
static void
TakePart(const char *text, FimPart *part)
{
	char		rest;

	if (sscanf(text, "%" SCNu32 "/%" SCNu32 "%c", &part->number, &part->of, &rest) != 2 ||
		part->number >= part->of || part->of > FIM_MOST_PARTS)
		Die("a part must be two numbers as in 0/4, the first one below the second, not \"%s\"", text);
}

/* Take an option, whose argument is in optarg.  Ends the program if it is not valid. */
static void
TakeOption(int option, Request *request)
{
	static const char *const kinds[] = {"all", "closed", "maximal", NULL};
	FimItemsetsSpec *spec = &request->spec;

	switch (option)
	{
		case 's':
			request->minsup = optarg;
			break;
		case 'k':
			spec->kind = (FimKind) OneOf(optarg, kinds, "kind");
			break;
		case 'm':
			spec->min_length = Number(optarg, "the least length");
			break;
		case 'n':
			spec->max_length = Number(optarg, "the greatest length");
			break;
		case 'w':
			request->workers = Number(optarg, "the number of workers");
			if (request->workers > MAX_WORKERS)
				Die("there are at most %d workers", MAX_WORKERS);
			break;
		case 'c':
			spec->head.count_only = true;
			break;
		case 'l':
			request->by_length = spec->head.count_only = true;
			break;
		case 't':
			request->timed = true;
			break;
		case 'p':
			TakePart(optarg, &spec->head.part);
			break;
		case 'S':
			spec->head.strategy = (FimItemsetsStrategy) OneOf(optarg, FimItemsetsFamily.strategies, "strategy");
			break;
		case 'I':
			if (!FimSetIsa(optarg))
				Die("this processor does not have \"%s\"", optarg);
			break;
		case 'h':
			Usage(stdout);
			exit(0);
		default:
			Usage(stderr);
			exit(2);
	}
}

/* Read the command line.  Ends the program if it is not valid. */
static void
ReadArguments(int argc, char **argv, Request *request)
{
	static const struct option options[] = {
		{"minsup", required_argument, NULL, 's'},
		{"kind", required_argument, NULL, 'k'},
		{"min-length", required_argument, NULL, 'm'},
		{"max-length", required_argument, NULL, 'n'},
		{"workers", required_argument, NULL, 'w'},
		{"count", no_argument, NULL, 'c'},
		{"by-length", no_argument, NULL, 'l'},
		{"time", no_argument, NULL, 't'},
		{"part", required_argument, NULL, 'p'},
		{"strategy", required_argument, NULL, 'S'},
		{"isa", required_argument, NULL, 'I'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}
	};
	int			option;

	while ((option = getopt_long(argc, argv, "s:k:m:n:w:cltp:S:I:h", options, NULL)) != -1)
		TakeOption(option, request);
	if (optind >= argc || argc - optind > 2)
	{
		Usage(stderr);
		exit(2);
	}
	request->in = argv[optind];
	if (argc - optind == 1)
		request->spec.head.count_only = true;
	else if (!request->spec.head.count_only)
		request->out = argv[optind + 1];
}

static int
OpenOutput(const char *name)
{
	int			fd = strcmp(name, "-") == 0 ? 1 : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);

	if (fd < 0)
		Die("could not open \"%s\": %s", name, strerror(errno));
	return fd;
}

static void
StartWorker(Call *call, const FimTask *task, const Name *names, int fd, bool here)
{
	call->host = (FimHost) {HostAlloc, HostFree, HostPoll, NULL};
	call->task = *task;
	if (task->spec->count_only)
		call->task.summary = Need(calloc(1, FimSummarySize(task)));
	else
		BeginWriting(&call->writer, names, fd);
	if (here)
		RunWorker(call);
	else if (pthread_create(&call->thread, NULL, RunWorker, call) != 0)
		Die("could not start a thread");
}

static void
FinishWorker(Call *call, bool here)
{
	if (!here)
		pthread_join(call->thread, NULL);
	if (call->result != FIM_DONE)
		Die("out of memory");
	if (!call->task.spec->count_only)
		EndWriting(&call->writer);
}

/*
 * Mine with several threads, including this one.  Returns the number of itemsets listed.  If
 * itemsets are only counted, sets task->summary to the counts, which the caller frees.
 */
static uint64_t
MineByWorkers(FimTask *task, uint32_t workers, const Name *names, int fd)
{
	static Call calls[MAX_WORKERS];
	uint64_t	written = 0;

	(void) FimIsa();			/* chooses the instruction set before there are threads */
	for (uint32_t n = workers; n-- > 0;)
		StartWorker(&calls[n], task, names, fd, n == 0);
	for (uint32_t n = 0; n < workers; n++)
	{
		FinishWorker(&calls[n], n == 0);
		written += calls[n].writer.written;
		if (n > 0 && task->spec->count_only)
		{
			FimItemsetsFamily.summary_add(task, calls[0].task.summary, calls[n].task.summary);
			free(calls[n].task.summary);
		}
	}
	task->summary = calls[0].task.summary;
	return written;
}

static void
PrintResult(const Request *request, const FimTask *task, const FimDatabase *db, uint64_t written)
{
	if (request->out == NULL)
	{
		FimTally	tally = {FimTallyLengths(&request->spec, db), task->summary};

		PrintCounts(&tally, request->by_length);
	}
	else if (strcmp(request->out, "-") != 0)
		printf("%llu\n", (unsigned long long) written);
}

/*
 * Make malloc() keep freed memory.  Otherwise it would give blocks as large as a hash table of
 * rows or a miner's chunk back to the kernel, and the next such block would cause page faults
 * again.
 */
static void
KeepFreedMemory(void)
{
#ifdef M_TRIM_THRESHOLD
	(void) mallopt(M_MMAP_THRESHOLD, KEPT_MEMORY);
	(void) mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
#endif
}

int
main(int argc, char **argv)
{
	Request		request = {.minsup = "0.1",.workers = 1,
	.spec = {.kind = FIM_ALL,.min_length = 1,.max_length = FIM_NO_LIMIT}};
	FimHost		host = {HostAlloc, HostFree, HostPoll, NULL};
	int			fd = -1;
	double		start;
	double		loaded;
	double		encoded;
	uint64_t	written;
	Transactions transactions;
	Encoded		data;
	FimTask		task;
	Name	   *names;

	KeepFreedMemory();
	ReadArguments(argc, argv, &request);
	if (request.out != NULL)
		fd = OpenOutput(request.out);
	start = Seconds();
	ReadTransactions(request.in, &transactions);
	loaded = Seconds();
	request.spec.minsup = Threshold(request.minsup, transactions.lines);
	EncodeTransactions(&transactions, request.spec.minsup, &host, &data);
	encoded = Seconds();
	names = request.spec.head.count_only ? NULL : MakeNames(data.values, data.db->nitems);
	task = FimItemsetsTask(&request.spec, data.db, NULL);
	task.shared = LazyZeros(FimSharedSize(&task));
	FimSharedInit(&task);
	written = MineByWorkers(&task, request.workers, names, fd);
	if (request.timed)
		fprintf(stderr, "read %.4f s, encode %.4f s, mine %.4f s, %llu nodes\n",
				loaded - start, encoded - loaded, Seconds() - encoded,
				(unsigned long long) task.shared->nodes);
	PrintResult(&request, &task, data.db, written);
	FreeZeros(task.shared, FimSharedSize(&task));
	free(task.summary);
	free(names);
	FreeEncoded(&data);
	return 0;
}
