/*-------------------------------------------------------------------------
 *
 * cli.h
 *	  What the files of the command-line program share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CLI_H
#define FIM_CLI_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Print a message and end the program. */
static inline __attribute__((format(printf, 1, 2), noreturn)) void
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

static inline void *
Need(void *block)
{
	if (block == NULL)
		Die("out of memory");
	return block;
}

/* Allocate zeros that take memory only where they are written.  FreeZeros() frees them. */
static inline void *
LazyZeros(size_t bytes)
{
	void	   *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
							 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (block == MAP_FAILED)
		Die("out of memory");
	return block;
}

static inline void
FreeZeros(void *block, size_t bytes)
{
	(void) munmap(block, bytes);
}

#define LARGE_PAGE		((size_t) 2 << 20)

/* Round a size up to whole large pages, unless it is below a quarter of one. */
static inline size_t
WholePages(size_t bytes)
{
	return bytes < LARGE_PAGE / 4 ? bytes : (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/*
 * Allocate zeros that will be written from the start on.  They get large pages where possible,
 * which cause fewer page faults; the size should be one that WholePages() returns.
 */
static inline void *
FilledZeros(size_t bytes)
{
	void	   *block = LazyZeros(bytes);

#ifdef MADV_HUGEPAGE
	(void) madvise(block, bytes, MADV_HUGEPAGE);
#endif
	return block;
}

/* Allocate zeros all of which will be written soon.  Their pages are made at once. */
static inline void *
MadeZeros(size_t bytes)
{
	void	   *block = bytes < LARGE_PAGE ? LazyZeros(bytes) : FilledZeros(bytes);

#ifdef MADV_POPULATE_WRITE
	(void) madvise(block, bytes, MADV_POPULATE_WRITE);
#endif
	return block;
}

#endif							/* FIM_CLI_H */
