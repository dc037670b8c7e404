/*-------------------------------------------------------------------------
 *
 * isa.h
 *	  Which of the processor's instruction sets the CPU engine uses.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ISA_H
#define FIM_ISA_H

#include <stdbool.h>

/* The name of the instruction set in use: "avx512", "avx2" or "portable". */
extern const char *FimIsa(void);

/*
 * From now on, use the named instruction set, or the best one that the processor has if the name
 * is NULL. Returns false if the processor does not have it.
 */
extern bool FimSetIsa(const char *name);

#endif							/* FIM_ISA_H */
