/*-------------------------------------------------------------------------
 *
 * isa.c
 *	  Which kernels this processor runs best.
 *
 *-------------------------------------------------------------------------
 */
#include "isa.h"
#include "kernels.h"

#include <string.h>

static const FimKernels *current = NULL;

static bool
Runs(const FimKernels *kernels)
{
#ifdef FIM_X86_KERNELS
	__builtin_cpu_init();
	if (kernels == &FimKernelsAvx512)
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
			__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2");
	if (kernels == &FimKernelsAvx2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
			__builtin_cpu_supports("popcnt");
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
