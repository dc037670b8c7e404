/*-------------------------------------------------------------------------
 *
 * fake_gpu.h
 *	  What a family's fake in the stand-in for the GPU library is made of.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FAKE_GPU_H
#define FAKE_GPU_H

#include "engine/gpu.h"

#define FIM_FAMILY(name)	extern const FimGpuFamily Fim##name##GpuFamily;
#include "engine/families.h"
#undef FIM_FAMILY

/*
 * Do the whole task on the CPU, with the family's CPU engine and with the job given
 * for it, which may have another strategy than the task's.  What is injected goes
 * wrong.  The report names the given strategy of the GPU, or, if that is 0, those that the CPU
 * engine has used, where both engines have the same.
 */
extern FimResult FakeMine(const FimTask *task, const FimFamily *family,
						  const FimSpec *cpu_spec, int strategy,
						  FimHost *host, FimSink *sink);

/* A task wants as much device memory as its data take, and a quarter at least. */
extern void FakeEstimate(const FimTask *task, uint64_t *wanted, uint64_t *least);

#endif							/* FAKE_GPU_H */
