/*-------------------------------------------------------------------------
 *
 * tensor_emit.c
 *	  From the members and tables of strategy "tensor" to the miner's output.
 *
 * If itemsets are listed, the host walks over what the device found, in the order of its
 * classes.  If they are only counted, the device counts them, if it has room for the counts,
 * and nothing but the counts comes back.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/itemsets/miner.h"
#include "itemsets/tensor.h"

/*
 * Memory for the classes of a level.
 */

static void
AllocMembers(Tensor *t, LevelMembers *to, const ClassPlace *end)
{
	const char *what = "listing the members of classes";
	uint64_t	nclasses = end->number;
	uint64_t	nmembers = end->member;

	to->classes = (FimCompaction *) AllocBottom(t, sizeof(FimCompaction) * nclasses, what);
	to->parts = (FimCompactionPart *) AllocBottom(t, sizeof(FimCompactionPart) * end->part, what);
	to->depth = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nclasses, what);
	to->nperfect = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nclasses, what);
	to->source = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nmembers, what);
	to->item = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nmembers, what);
	to->support = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nmembers, what);
	to->class_of = (uint32_t *) AllocBottom(t, sizeof(uint32_t) * nmembers, what);
}

/* Allocate what the host keeps of a level. */
static void
AllocOnHost(Tensor *t, ClassLevel *level)
{
	Arena	   *arena = &t->m->arena;
	size_t		nclasses = level->end.number;
	size_t		nmembers = level->end.member;

	level->classes = (FimCompaction *) ArenaAlloc(arena, sizeof(FimCompaction) * nclasses);
	level->depth = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nclasses);
	level->nperfect = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nclasses);
	level->parent_class = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nclasses);
	level->nfixed = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nclasses);
	level->fixed = (const uint32_t **) ArenaAlloc(arena, sizeof(uint32_t *) * nclasses);
	if (!t->m->spec->head.count_only)
	{
		level->item = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nmembers);
		level->support = (uint32_t *) ArenaAlloc(arena, sizeof(uint32_t) * nmembers);
	}
}

void
TensorAllocLevel(Tensor *t, ClassLevel *level, const ClassLevel *parent, const ClassPlace *end)
{
	memset(level, 0, sizeof(*level));
	level->parent = parent;
	level->end = *end;
	AllocMembers(t, &level->device, end);
	if (parent == NULL || t->counts.counts == NULL)
		AllocOnHost(t, level);
}

/* The sets of the tables that are made at a time may take one part in TABLES_PART of the free memory. */
#define TABLES_PART		8

#define BYTES_OF_SET	(sizeof(uint64_t) + sizeof(uint32_t))

#define MOST_TABLES		(UINT32_C(1) << 18) /* tables that one launch counts */
#define MOST_SETS		(UINT64_C(256) << 20)	/* bytes of sets that are brought to the host at once */
#define MOST_COUNTS		((size_t) 64 << 20) /* bytes of the device's counts of itemsets */

/* ---- members ---- */

/*
 * Push the path of a class and its parents, which may be many, so this is a loop: it begins with
 * the end of the path.
 */
static void
PushPath(Miner *m, const ClassLevel *level, uint32_t c)
{
	const uint32_t *name = FimItemNames(m->db);
	Output	   *out = &m->out;
	uint32_t	depth = level->depth[c];
	uint32_t	nperfect = level->nperfect[c];

	if (out->same > out->depth)
		out->same = out->depth;
	for (; level->parent != NULL; level = level->parent)
	{
		uint32_t	parent = level->parent_class[c];

		out->depth = level->parent->depth[parent];
		out->nperfect = level->parent->nperfect[parent];
		out->path[out->depth++] = name[level->parent->item[level->classes[c].prefix]];
		for (uint32_t i = 0; i < level->nfixed[c]; i++)
			if (m->spec->kind == FIM_ALL)
				out->perfect[out->nperfect++] = name[level->fixed[c][i]];
			else
				out->path[out->depth++] = name[level->fixed[c][i]];
		c = parent;
	}
	out->depth = depth;
	out->nperfect = nperfect;
}

/* The number of a class's members that belong to the step. */
static uint32_t
MembersIn(const ClassStep *step, uint32_t c)
{
	uint32_t	rows = step->level->classes[c].to.rows;

	return (step->end < rows ? step->end : rows) - step->begin;
}

/*
 * Give out the itemsets of a class's members.  fixed[] begins with the fixed items of these
 * members.  Returns where those of the next class begin.
 */
static const uint32_t *
EmitClass(Tensor *t, const ClassStep *step, uint32_t c, const uint32_t *marks, const uint32_t *supports,
		  const uint32_t *fixed)
{
	Miner	   *m = t->m;
	const ClassLevel *level = step->level;
	uint32_t	n = MembersIn(step, c);
	Output	   *out = &m->out;
	const uint32_t *name = FimItemNames(m->db);
	uint32_t	depth = out->depth;
	uint32_t	nperfect = out->nperfect;
	bool		list = !m->spec->head.count_only;

	if (list)
		PushPath(m, level, c);
	else
	{
		out->depth = level->depth[c];
		out->nperfect = level->nperfect[c];
	}

	uint32_t	path = out->depth;
	uint32_t	apart = out->nperfect;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	nfixed = marks[i] >> MARK_FIXED_SHIFT;
		uint32_t	x = level->classes[c].to.first + step->begin + i;
		uint32_t	support = 0;

		if (list)
			support = marks[i] & MARK_TOGETHER ? supports[i] : level->support[x];
		if (marks[i] & MARK_EMITTED)
		{
			if (list)
			{
				OutputPush(out, name[level->item[x]]);
				for (uint32_t j = 0; j < nfixed; j++)
					OutputFix(m, name[fixed[j]]);
			}
			else if (m->spec->kind == FIM_ALL)
			{
				out->depth++;
				out->nperfect += nfixed;
			}
			else
				out->depth += 1 + nfixed;
			if (m->spec->kind == FIM_ALL)
				OutputAll(m, support);
			else
				OutputOne(m, support);
			out->depth = path;
			out->nperfect = apart;
		}
		if (list)
			fixed += nfixed;
	}
	MinerWork(m, 8 * (uint64_t) n);
	out->depth = depth;
	out->nperfect = nperfect;
	return fixed;
}

static void
EmitMembers(Tensor *t, const ClassStep *step, const StepJudgement *judgement)
{
	const uint32_t *marks = judgement->marks;
	const uint32_t *supports = judgement->supports;
	const uint32_t *fixed = judgement->fixed;

	for (uint32_t c = step->from.number; c < step->to.number; c++)
	{
		fixed = EmitClass(t, step, c, marks, supports, fixed);
		marks += MembersIn(step, c);
		if (supports != NULL)
			supports += MembersIn(step, c);
	}
}

/*
 * Set the parent class, the depth and the fixed items of each class and table that is made of
 * the step's members.
 */
static void
Descend(Tensor *t, const ClassStep *step, const uint32_t *marks, const uint32_t *fixed,
		ClassLevel *classes, ClassLevel *tables)
{
	const ClassLevel *level = step->level;
	bool		all = t->m->spec->kind == FIM_ALL;
	uint32_t	nclasses = 0;
	uint32_t	ntables = 0;

	for (uint32_t c = step->from.number; c < step->to.number; c++)
		for (uint32_t i = MembersIn(step, c); i > 0; i--, marks++)
		{
			uint32_t	nfixed = *marks >> MARK_FIXED_SHIFT;

			if (*marks & (MARK_CLASS | MARK_TABLE))
			{
				ClassLevel *below = *marks & MARK_TABLE ? tables : classes;
				uint32_t	n = *marks & MARK_TABLE ? ntables++ : nclasses++;

				below->parent_class[n] = c;
				below->depth[n] = level->depth[c] + 1 + (all ? 0 : nfixed);
				below->nperfect[n] = level->nperfect[c] + (all ? nfixed : 0);
				below->fixed[n] = fixed;
				below->nfixed[n] = nfixed;
			}
			if (fixed != NULL)
				fixed += nfixed;
		}
	MinerWork(t->m, 2 * (uint64_t) MembersOf(step));
}

void
TensorEmitStep(Tensor *t, const ClassStep *step, StepJudgement *judgement)
{
	if (judgement->marks == NULL)
		return;
	if (GivesOut(t, step, judgement->classes.sharing))
		EmitMembers(t, step, judgement);
	Descend(t, step, judgement->marks, judgement->fixed, &judgement->classes, &judgement->tables);
}

/*
 * Give out all sets of a table's members that are frequent.  They come in ascending order, so
 * the set without its lowest member has been given out before, and its path is extended by that
 * member.
 */
static void
EmitAllSets(Miner *m, const uint32_t *item, const uint64_t *pattern, const uint32_t *support,
			uint64_t n)
{
	const uint32_t *name = FimItemNames(m->db);
	Output	   *out = &m->out;
	uint32_t	length[FIM_TABLE_MEMBERS + 1]; /* the length of the path that ends with each member */

	length[FIM_TABLE_MEMBERS] = out->depth;
	for (uint64_t i = 0; i < n; i++)
	{
		uint32_t	set = (uint32_t) pattern[i];
		uint32_t	lowest = (uint32_t) __builtin_ctz(set);
		uint32_t	parent = (set & (set - 1)) | 1u << FIM_TABLE_MEMBERS;

		out->depth = length[__builtin_ctz(parent)];
		OutputPush(out, name[item[lowest]]);
		length[lowest] = out->depth;
		OutputAll(m, support[i]);
	}
}

/* Give out the sets of a table's members that are closed or maximal. */
static void
EmitClosedSets(Miner *m, const uint32_t *item, const uint64_t *pattern, const uint32_t *support,
			   uint64_t n)
{
	const uint32_t *name = FimItemNames(m->db);
	uint32_t	depth = m->out.depth;

	for (uint64_t i = 0; i < n; i++)
	{
		for (uint32_t set = (uint32_t) pattern[i]; set != 0; set &= set - 1)
			OutputPush(&m->out, name[item[__builtin_ctz(set)]]);
		OutputOne(m, support[i]);
		m->out.depth = depth;
	}
}

static void
EmitTable(Miner *m, const ClassLevel *tables, uint32_t c, const uint64_t *pattern,
		  const uint32_t *support, uint64_t n)
{
	const FimCompaction *class_ = &tables->classes[c];
	const uint32_t *item = tables->item + class_->to.first + class_->to.skip;
	uint32_t	depth = m->out.depth;
	uint32_t	nperfect = m->out.nperfect;

	PushPath(m, tables, c);
	if (m->spec->kind == FIM_ALL)
		EmitAllSets(m, item, pattern, support, n);
	else
		EmitClosedSets(m, item, pattern, support, n);
	MinerWork(m, 8 * n);
	m->out.depth = depth;
	m->out.nperfect = nperfect;
}

/* ---- tables ---- */

/* The number of tables that there is room for, if all of their sets are found. */
static uint32_t
TablesAtOnce(const Tensor *t)
{
	uint64_t	bytes = Room(t) / TABLES_PART < MOST_SETS ? Room(t) / TABLES_PART : MOST_SETS;
	uint64_t	n = bytes / (BYTES_OF_SET << FIM_TABLE_MEMBERS);

	return n > 0 ? (uint32_t) n : 1;
}

/* Bring sets to the host.  Nothing else is under way, so the time measured is that of the copies. */
static void
BringSets(Tensor *t, const FimPatterns *patterns, uint64_t n, uint64_t *pattern, uint32_t *support)
{
	double		begin = Milliseconds();

	ToHost(t, pattern, patterns->pattern, sizeof(uint64_t) * n);
	ToHost(t, support, patterns->support, sizeof(uint32_t) * n);
	Wait(t, "listing tables");
	t->device->returned += BYTES_OF_SET * n;
	t->device->return_ms += Milliseconds() - begin;
}

static void
ListTables(Tensor *t, const ClassLevel *tables, const char *lines)
{
	const char *what = "listing tables";
	uint32_t	last = tables->end.number;
	uint32_t	at_once = TablesAtOnce(t);
	uint64_t	room = (uint64_t) at_once << FIM_TABLE_MEMBERS;

	for (uint32_t first = 0; first < last; first += at_once)
	{
		uint32_t	end = last - first < at_once ? last : first + at_once;
		ArenaMark	mark = ArenaGetMark(&t->m->arena);
		uint64_t	top = t->memory.top;
		FimPatterns patterns;
		unsigned long long n;
		uint64_t   *pattern;
		uint32_t   *support;

		patterns.pattern = (uint64_t *) AllocTop(t, sizeof(uint64_t) * room, what);
		patterns.support = (uint32_t *) AllocTop(t, sizeof(uint32_t) * room, what);
		patterns.count = t->counter;
		Check(t, cudaMemsetAsync(t->counter, 0, sizeof(*t->counter), t->stream), what);
		Check(t, FimMineTables(lines, tables->device.classes, tables->device.source, first, end,
							   t->m->spec->minsup, t->m->spec->kind,
							   &patterns, &t->counts, t->stream), what);
		ToHost(t, &n, t->counter, sizeof(n));
		Wait(t, what);
		pattern = (uint64_t *) ArenaAlloc(&t->m->arena, sizeof(uint64_t) * n);
		support = (uint32_t *) ArenaAlloc(&t->m->arena, sizeof(uint32_t) * n);
		BringSets(t, &patterns, n, pattern, support);
		t->memory.top = top;
		for (uint64_t i = 0, next; i < n; i = next)
		{
			for (next = i + 1; next < n && pattern[next] >> 32 == pattern[i] >> 32;)
				next++;
			EmitTable(t->m, tables, (uint32_t) (pattern[i] >> 32), pattern + i, support + i, next - i);
		}
		ArenaRelease(&t->m->arena, mark);
	}
}

static void
CountTables(Tensor *t, const ClassLevel *tables, const char *lines)
{
	const char *what = "counting itemsets";
	FimPatternCounts counts = t->counts;
	FimPatterns none = {};
	uint32_t	last = tables->end.number;

	counts.depth = tables->device.depth;
	counts.nperfect = tables->device.nperfect;
	for (uint32_t first = 0; first < last; first += MOST_TABLES)
	{
		uint32_t	end = last - first < MOST_TABLES ? last : first + MOST_TABLES;

		Check(t, FimMineTables(lines, tables->device.classes, tables->device.source, first, end,
							   t->m->spec->minsup, t->m->spec->kind,
							   &none, &counts, t->stream), what);
		if (end < last)
			Wait(t, what);
	}
}

void
TensorMineTables(Tensor *t, const ClassLevel *tables, const char *lines)
{
	if (t->m->spec->head.count_only)
		CountTables(t, tables, lines);
	else
		ListTables(t, tables, lines);
}

/* ---- counts of the device ---- */

void
TensorCollectCounts(Tensor *t)
{
	uint32_t	lengths = t->counts.lengths;
	size_t		size = sizeof(unsigned long long) * lengths * lengths;
	unsigned long long *counts;
	uint32_t	nperfect = t->m->out.nperfect;

	if (t->counts.counts == NULL)
		return;
	counts = (unsigned long long *) ArenaAlloc(&t->m->arena, size);
	ToHost(t, counts, t->counts.counts, size);
	Wait(t, "counting itemsets");
	for (uint32_t e = 0; e < lengths; e++)
		for (uint32_t d = 0; d < lengths; d++)
			if (counts[(size_t) e * lengths + d] > 0)
			{
				t->m->out.nperfect = e;
				OutputCounts(t->m)[d] += counts[(size_t) e * lengths + d];
				t->m->out.results += counts[(size_t) e * lengths + d] << (e < 20 ? e : 20);
			}
	t->m->out.nperfect = nperfect;
}

/*
 * If itemsets are only counted, the device counts all of them, provided that it has room for
 * the counts.  If it has not, the host counts them, and there are no tables.
 */
void
TensorPrepareCounts(Tensor *t)
{
	size_t		lengths = (size_t) t->m->db->max_row + 1;
	size_t		size = sizeof(unsigned long long) * lengths * lengths;

	t->tables = !t->m->spec->head.count_only || size <= MOST_COUNTS;
	if (!t->tables || !t->m->spec->head.count_only)
		return;
	t->counts.lengths = (uint32_t) lengths;
	t->counts.counts = (unsigned long long *) AllocBottom(t, size, "counting itemsets");
	Check(t, cudaMemsetAsync(t->counts.counts, 0, size, t->stream), "counting itemsets");
}
