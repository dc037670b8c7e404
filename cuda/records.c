/*-------------------------------------------------------------------------
 *
 * records.c
 *	  Results on their way to the sink, see records.h.
 *
 *-------------------------------------------------------------------------
 */
#include "fault.h"
#include "records.h"
#include "stopping.h"

cudaError_t
GpuWriteRecords(GpuRecords *records)
{
	return FimWriteBatch(records->sink, records->words, &records->nwords, &records->n) ? cudaSuccess : GPU_STOPPED;
}

cudaError_t
GpuAddRecord(GpuTeam *team, GpuRecords *records, size_t words, uint32_t **to)
{
	if (records->nwords + words > FIM_BATCH_WORDS)
		GPU_TRY(GpuWriteRecords(records));
	GPU_TRY(GpuHostRoom(team, (void **) &records->words, records->nwords,
						GpuGreater(records->nwords + words, FIM_BATCH_WORDS), &records->room, sizeof(uint32_t)));
	*to = records->words + records->nwords;
	records->nwords += words;
	records->n++;
	GpuCountResult(team);
	return GpuWork(team, words * 4) ? GPU_STOPPED : cudaSuccess;
}

cudaError_t
GpuEndRecords(GpuTeam *team, GpuRecords *records)
{
	GPU_TRY(GpuWriteRecords(records));
	GpuHostFree(team, records->words);
	*records = (GpuRecords) {records->sink, NULL, 0, 0, 0};
	return cudaSuccess;
}
