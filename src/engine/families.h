/*-------------------------------------------------------------------------
 *
 * families.h
 *	  The list of families, one line for each.
 *
 * FIM_FAMILY(Name) stands for FimNameFamily, a FimFamily (family.h), in gpufim.so
 * and for FimNameGpuFamily, a FimGpuFamily (gpu.h), in the GPU library.  The order
 * of the lines gives families their numbers.
 *
 * Therefore it has no guard.
 *
 *-------------------------------------------------------------------------
 */
FIM_FAMILY(Itemsets)
FIM_FAMILY(Probable)
FIM_FAMILY(Episodes)
FIM_FAMILY(Sets)
