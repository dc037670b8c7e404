/*-------------------------------------------------------------------------
 *
 * isa.c
 *	  Which kernels this processor runs best.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.h"

#ifdef FIM_X86_KERNELS
#include <cpuid.h>
#endif
#include <string.h>

static const FimKernels *current = NULL;

#ifdef FIM_X86_KERNELS
/*
 * A virtual machine may hide LZCNT, and then what the compiler made of __builtin_clzll() runs as BSR,
 * which gives another number.  Not every compiler's __builtin_cpu_supports() knows "lzcnt".
 */
static bool
HasLzcnt(void)
{
	unsigned int a,
				b,
				c,
				d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c >> 5 & 1) != 0;
}

/* What both sets of kernels are compiled for. */
static bool
HasAvx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt") &&
		__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && HasLzcnt();
}
#endif

/* Has the processor all that the set's files of kernels name in their pragmas? */
static bool
Runs(const FimKernels *kernels)
{
#ifdef FIM_X86_KERNELS
	__builtin_cpu_init();
	if (kernels == &FimKernelsAvx512)
		return HasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
			__builtin_cpu_supports("avx512vpopcntdq");
	if (kernels == &FimKernelsAvx2)
		return HasAvx2();
#endif
	return kernels == &FimKernelsPortable;
}

bool
FimSetIsa(const char *name)
{
	static const FimKernels *const best_first[] = {
#ifdef FIM_X86_KERNELS
		&FimKernelsAvx512, &FimKernelsAvx2,
#endif
		&FimKernelsPortable
	};

	for (size_t i = 0; i < sizeof(best_first) / sizeof(best_first[0]); i++)
		if ((name == NULL || strcmp(name, best_first[i]->name) == 0) && Runs(best_first[i]))
		{
			current = best_first[i];
			return true;
		}
	return false;
}

const FimKernels *
FimCurrentKernels(void)
{
	if (current == NULL)
		FimSetIsa(NULL);
	return current;
}

const char *
FimIsa(void)
{
	return FimCurrentKernels()->name;
}
