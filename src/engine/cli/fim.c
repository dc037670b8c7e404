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
#include "engine/isa.h"
#include "engine/itemsets/itemsets.h"
#include "engine/minsup.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_ITEM		((UINT32_C(1) << 28) - 1)
#define MAX_WORKERS		256
#define TEXT_BUFFER		((size_t) 1 << 18)

static void
Die(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	fputs("fim: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static void *
Need(void *block)
{
	if (block == NULL)
		Die("out of memory");
	return block;
}

static double
Seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

/* ---- reading ---- */

typedef struct Transactions
{
	uint32_t   *items;			/* of all rows, as in the file, each once a row */
	uint64_t	nitems;
	uint64_t   *row_end;
	uint64_t	nrows;
	uint32_t   *support;		/* [MAX_ITEM + 1], untouched pages cost nothing */
	uint32_t	greatest;
} Transactions;

/* The whole file; a pipe is read to its end. */
static char *
ReadFile(const char *name, size_t *length)
{
	int			fd = strcmp(name, "-") == 0 ? 0 : open(name, O_RDONLY);
	struct stat st;
	size_t		room = 1 << 16;
	size_t		used = 0;
	char	   *text;
	ssize_t		n;

	if (fd < 0 || fstat(fd, &st) != 0)
		Die("could not open \"%s\": %s", name, strerror(errno));
	if (S_ISREG(st.st_mode) && st.st_size > 0)
	{
		text = mmap(NULL, (size_t) st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
		if (text != MAP_FAILED)
		{
			*length = (size_t) st.st_size;
			close(fd);
			return text;
		}
	}
	text = Need(malloc(room));
	while ((n = read(fd, text + used, room - used)) > 0)
	{
		used += (size_t) n;
		if (used == room)
			text = Need(realloc(text, room *= 2));
	}
	if (n < 0)
		Die("could not read \"%s\": %s", name, strerror(errno));
	close(fd);
	*length = used;
	return text;
}

static void *
LazyZeros(size_t bytes)
{
	void	   *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
							 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (block == MAP_FAILED)
		Die("out of memory");
	return block;
}

/* Memory that will be written from its start on: large pages take fewer faults. */
static void *
FilledZeros(size_t bytes)
{
	void	   *block = LazyZeros(bytes);

#ifdef MADV_HUGEPAGE
	(void) madvise(block, bytes, MADV_HUGEPAGE);
#endif
	return block;
}

/*
 * The number that a word of text begins with, and how many digits it has: 0, or
 * 8 if there may be more.  Digits are found and put together side by side.
 */
static inline uint32_t
LeadingNumber(const char *at, unsigned *ndigits)
{
	uint64_t	word;
	uint64_t	others;

	memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	word ^= UINT64_C(0x3030303030303030);
	/* the highest bit of bytes above 9, right up to the first such byte */
	others = (word | (word + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
	*ndigits = others == 0 ? 8 : (unsigned) __builtin_ctzll(others) / 8;
	if (*ndigits == 0)
		return 0;
	word <<= 64 - 8 * *ndigits;
	word = (word * 10 + (word >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
	word = (word * 100 + (word >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
	return (uint32_t) (word * 10000 + (word >> 32));
}

/* The number at *at, which is a digit, digit by digit. */
static uint32_t
LongNumber(const char *name, uint64_t line, const char **at, const char *end)
{
	uint32_t	number = 0;
	unsigned	c;

	for (; *at < end && (c = (unsigned char) **at - '0') <= 9; (*at)++)
	{
		number = number * 10 + c;
		if (number > MAX_ITEM)
			Die("\"%s\", line %llu: items must not exceed %u", name,
				(unsigned long long) line, MAX_ITEM);
	}
	return number;
}

static void
ReadTransactions(const char *name, Transactions *t)
{
	size_t		length;
	const char *at = ReadFile(name, &length);
	const char *end = at + length;
	uint32_t   *last_row = LazyZeros(sizeof(uint32_t) * ((size_t) MAX_ITEM + 1));
	uint32_t   *support = LazyZeros(sizeof(uint32_t) * ((size_t) MAX_ITEM + 1));
	uint32_t   *next;
	uint32_t	greatest = 0;
	uint64_t	nrows = 0;

	/* an item takes two characters at least, a row one */
	next = t->items = FilledZeros(sizeof(uint32_t) * (length / 2 + 2));
	t->row_end = LazyZeros(sizeof(uint64_t) * (length + 2));
	while (at < end)
	{
		unsigned	ndigits = 8;
		uint32_t	item = 0;

		if (end - at >= 8)
			item = LeadingNumber(at, &ndigits);
		if (ndigits == 0 || (unsigned char) *at - (unsigned) '0' > 9)
		{
			if (*at == '\n')
				t->row_end[nrows++] = (uint64_t) (next - t->items);
			else if (*at != ' ' && *at != '\t' && *at != '\r')
				Die("\"%s\", line %llu: an item must be a whole number", name,
					(unsigned long long) nrows + 1);
			at++;
			continue;
		}
		if (ndigits < 8)
		{
			at += ndigits;
			/* predicted, so that the next number need not wait for this one */
			if (*at == ' ')
				at++;
		}
		else
			item = LongNumber(name, nrows + 1, &at, end);
		if (last_row[item] == (uint32_t) nrows + 1)
			continue;
		last_row[item] = (uint32_t) nrows + 1;
		*next++ = item;
		support[item]++;
		if (item > greatest)
			greatest = item;
	}
	if (length > 0 && end[-1] != '\n')
		t->row_end[nrows++] = (uint64_t) (next - t->items);
	if (nrows >= FIM_MAX_TRANSACTIONS)
		Die("\"%s\" has too many transactions", name);
	munmap(last_row, sizeof(uint32_t) * ((size_t) MAX_ITEM + 1));
	t->nitems = (uint64_t) (next - t->items);
	t->nrows = nrows;
	t->support = support;
	t->greatest = greatest;
}

/* ---- writing ---- */

#define NAME_ROOM		16

typedef struct Name
{
	char		text[NAME_ROOM - 1];	/* "123 " */
	uint8_t		length;
} Name;

/*
 * A line repeats most of the line before.  Copying from that line would wait
 * for stores that have just been made, so the text of the path's stable part is
 * kept apart and the last few items are taken from their names each time.
 */
#define MAX_UNSTABLE	6

typedef struct Writer
{
	FimSink		sink;
	const Name *names;			/* by dense item */
	int			fd;
	char	   *buffer;
	size_t		used;
	uint32_t   *path;			/* the itemset of the last record */
	size_t		path_room;
	char	   *stable;			/* text of its first nstable items */
	size_t	   *stable_end;		/* [nstable + 1] */
	uint32_t	nstable;
	uint32_t	last_support;
	char		support_text[16];
	size_t		support_length;
	uint64_t	written;
} Writer;

static void
WriteOut(Writer *w)
{
	for (size_t done = 0; done < w->used;)
	{
		ssize_t		n = write(w->fd, w->buffer + done, w->used - done);

		if (n < 0 && errno != EINTR)
			Die("could not write: %s", strerror(errno));
		if (n > 0)
			done += (size_t) n;
	}
	w->used = 0;
}

static void
SetSupport(Writer *w, uint32_t support)
{
	char	   *at = w->support_text;
	char		digits[10];
	int			n = 0;

	w->last_support = support;
	do
		digits[n++] = (char) ('0' + support % 10);
	while ((support /= 10) > 0);
	*at++ = '(';
	while (n > 0)
		*at++ = digits[--n];
	*at++ = ')';
	*at++ = '\n';
	w->support_length = (size_t) (at - w->support_text);
}

static void
GrowPath(Writer *w, size_t room)
{
	w->path_room = room * 2;
	w->path = Need(realloc(w->path, sizeof(uint32_t) * w->path_room));
	w->stable = Need(realloc(w->stable, NAME_ROOM * w->path_room + 64));
	w->stable_end = Need(realloc(w->stable_end, sizeof(size_t) * (w->path_room + 1)));
	w->stable_end[0] = 0;
}

/* Make all but the last two of the path's n items stable. */
static void
Stabilize(Writer *w, uint32_t n)
{
	for (; w->nstable + 2 < n; w->nstable++)
	{
		uint32_t	item = w->path[w->nstable];
		size_t		end = w->stable_end[w->nstable];

		memcpy(w->stable + end, &w->names[item], NAME_ROOM);
		w->stable_end[w->nstable + 1] = end + w->names[item].length;
	}
}

static bool
WriteText(FimSink *sink, const uint32_t *words, size_t nwords, size_t nitemsets)
{
	Writer	   *w = (Writer *) sink;
	const uint32_t *end = words + nwords;

	w->written += nitemsets;
	while (words < end)
	{
		uint32_t	keep = words[0];
		uint32_t	n = keep + words[1];
		const Name *names = w->names;
		const uint32_t *path;
		const char *stable;
		size_t		prefix;
		char	   *to;

		if (n + 1 > w->path_room)
			GrowPath(w, n + 1);
		for (uint32_t i = keep; i < n; i++)
			w->path[i] = words[2 + i - keep];
		words += 2 + n - keep;
		if (keep < w->nstable)
			w->nstable = keep;
		if (n - w->nstable > MAX_UNSTABLE)
			Stabilize(w, n);
		prefix = w->stable_end[w->nstable];

		if (w->used + prefix + NAME_ROOM * (MAX_UNSTABLE + 2) + 32 > TEXT_BUFFER)
			WriteOut(w);
		if (prefix + NAME_ROOM * (MAX_UNSTABLE + 2) + 32 > TEXT_BUFFER)
			Die("an itemset is too long to be written");
		to = w->buffer + w->used;
		stable = w->stable;
		for (size_t i = 0; i < prefix; i += 32)
			memcpy(to + i, stable + i, 32);
		to += prefix;
		path = w->path;
		for (uint32_t i = w->nstable; i < n; i++)
		{
			const Name *name = &names[path[i]];

			memcpy(to, name, NAME_ROOM);
			to += name->length;
		}
		if (*words != w->last_support)
			SetSupport(w, *words);
		memcpy(to, w->support_text, 16);
		to += w->support_length;
		words++;
		w->used = (size_t) (to - w->buffer);
	}
	return true;
}

/* ---- mining ---- */

typedef struct Call
{
	FimHost		host;
	FimItemsetsJob job;
	const FimDatabase *db;
	FimShared  *shared;
	FimTally	tally;
	Writer		writer;
	FimResult	result;
	pthread_t	thread;
} Call;

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

	FimTask		task = FimItemsetsTask(&call->job, call->db, call->shared, call->tally.counts);

	call->result = FimItemsetsFamily.mine(&task, &call->host, &call->writer.sink);
	return NULL;
}

static FimDatabase *
Encode(const Transactions *t, uint32_t minsup, FimHost *host, uint32_t **values)
{
	uint32_t   *dense = LazyZeros(sizeof(uint32_t) * ((size_t) t->greatest + 1));
	uint32_t   *support;
	uint32_t   *row;
	uint32_t	nitems = 0;
	uint64_t	entries = 0;
	uint64_t	from = 0;
	uint64_t	longest = 1;
	size_t		size;
	FimDatabase *db;

	for (uint32_t i = 0; i <= t->greatest; i++)
		nitems += t->support[i] >= minsup;
	*values = Need(malloc(sizeof(uint32_t) * ((size_t) nitems + 1)));
	support = Need(malloc(sizeof(uint32_t) * ((size_t) nitems + 1)));
	nitems = 0;
	for (uint32_t i = 0; i <= t->greatest; i++)
		if (t->support[i] >= minsup)
		{
			entries += support[nitems] = t->support[i];
			(*values)[nitems] = i;
			dense[i] = ++nitems;
		}
	for (uint64_t r = 0; r < t->nrows; r++)
	{
		if (t->row_end[r] - from > longest)
			longest = t->row_end[r] - from;
		from = t->row_end[r];
	}
	row = Need(malloc(sizeof(uint32_t) * (longest + 1)));
	size = FimDatabaseIndexedBound(t->nrows, entries, nitems);
	db = FilledZeros(size);
	FimDatabaseBegin(db, size, t->nrows, entries, nitems, support);
	from = 0;
	for (uint64_t r = 0; r < t->nrows; r++)
	{
		uint32_t	n = 0;

		for (; from < t->row_end[r]; from++)
		{
			uint32_t	number = dense[t->items[from]];

			/* without a branch: which items are infrequent follows no pattern */
			row[n] = number - 1;
			n += number != 0;
		}
		FimDatabaseAdd(db, row, n);
	}
	if (!FimDatabaseFinish(db, host) || !FimDatabaseIndex(db, host))
		Die("out of memory");
	munmap(dense, sizeof(uint32_t) * ((size_t) t->greatest + 1));
	free(row);
	free(support);
	return db;
}

static Name *
MakeNames(const uint32_t *values, uint32_t nitems)
{
	Name	   *names = Need(calloc((size_t) nitems + 1, sizeof(Name)));

	for (uint32_t i = 0; i < nitems; i++)
		names[i].length = (uint8_t) snprintf(names[i].text, sizeof(names[i].text), "%u ", values[i]);
	return names;
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

/* The index of name among the names, or the end of the program. */
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

int
main(int argc, char **argv)
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
		{"strategy", required_argument, NULL, 'S'},
		{"isa", required_argument, NULL, 'I'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}
	};
	static const char *const kinds[] = {"all", "closed", "maximal", NULL};
	static Call calls[MAX_WORKERS];
	FimHost		host = {HostAlloc, HostFree, HostPoll};
	FimItemsetsJob job = {.kind = FIM_ALL, .min_length = 1, .max_length = FIM_NO_LIMIT};
	const char *minsup = "0.1";
	bool		by_length = false;
	bool		timed = false;
	uint32_t	workers = 1;
	int			out = -1;
	int			option;
	uint32_t   *values;
	uint64_t	written = 0;
	double		start;
	double		loaded;
	double		encoded;
	Transactions t;
	FimDatabase *db;
	FimTask		task;
	Name	   *names;

	while ((option = getopt_long(argc, argv, "s:k:m:n:w:cltS:I:h", options, NULL)) != -1)
		switch (option)
		{
			case 's':
				minsup = optarg;
				break;
			case 'k':
				job.kind = (FimKind) OneOf(optarg, kinds, "kind");
				break;
			case 'm':
				job.min_length = Number(optarg, "the least length");
				break;
			case 'n':
				job.max_length = Number(optarg, "the greatest length");
				break;
			case 'w':
				workers = Number(optarg, "the number of workers");
				if (workers > MAX_WORKERS)
					Die("there are at most %d workers", MAX_WORKERS);
				break;
			case 'c':
				job.head.count_only = true;
				break;
			case 'l':
				by_length = job.head.count_only = true;
				break;
			case 't':
				timed = true;
				break;
			case 'S':
				job.head.strategy = (FimStrategy) OneOf(optarg, FimItemsetsFamily.strategies, "strategy");
				break;
			case 'I':
				if (!FimSetIsa(optarg))
					Die("this processor does not have \"%s\"", optarg);
				break;
			case 'h':
				Usage(stdout);
				return 0;
			default:
				Usage(stderr);
				return 2;
		}
	if (optind >= argc || argc - optind > 2)
	{
		Usage(stderr);
		return 2;
	}
	if (argc - optind == 1)
		job.head.count_only = true;
	else if (!job.head.count_only)
	{
		out = strcmp(argv[optind + 1], "-") == 0 ? 1 :
			open(argv[optind + 1], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
		if (out < 0)
			Die("could not open \"%s\": %s", argv[optind + 1], strerror(errno));
	}

	start = Seconds();
	ReadTransactions(argv[optind], &t);
	loaded = Seconds();
	job.minsup = Threshold(minsup, t.nrows);
	db = Encode(&t, job.minsup, &host, &values);
	encoded = Seconds();
	names = MakeNames(values, db->nitems);
	task = FimItemsetsTask(&job, db, NULL, NULL);
	task.shared = LazyZeros(FimSharedSize(&task));
	FimSharedInit(&task);
	(void) FimIsa();			/* chosen before there are threads */
	for (uint32_t n = 0; n < workers; n++)
	{
		Call	   *call = &calls[n];

		call->host = host;
		call->job = job;
		call->db = db;
		call->shared = task.shared;
		call->tally.lengths = FimTallyLengths(&job, db);
		call->tally.counts = Need(calloc(call->tally.lengths, sizeof(FimCount)));
		call->writer.sink.write = WriteText;
		call->writer.names = names;
		call->writer.fd = out;
		if (!job.head.count_only)
		{
			call->writer.buffer = Need(malloc(TEXT_BUFFER + 64));
			GrowPath(&call->writer, 64);
		}
		if (n > 0 && pthread_create(&call->thread, NULL, RunWorker, call) != 0)
			Die("could not start a thread");
	}
	RunWorker(&calls[0]);
	for (uint32_t n = 0; n < workers; n++)
	{
		if (n > 0)
			pthread_join(calls[n].thread, NULL);
		if (calls[n].result != FIM_DONE)
			Die("out of memory");
		if (n > 0)
			FimTallyAdd(&calls[0].tally, &calls[n].tally);
		if (!job.head.count_only)
			WriteOut(&calls[n].writer);
		written += calls[n].writer.written;
	}
	if (timed)
		fprintf(stderr, "read %.4f s, encode %.4f s, mine %.4f s, %llu nodes\n",
				loaded - start, encoded - loaded, Seconds() - encoded,
				(unsigned long long) task.shared->nodes);
	if (job.head.count_only)
		PrintCounts(&calls[0].tally, by_length);
	else if (out != 1)
		printf("%llu\n", (unsigned long long) written);
	return 0;
}
