# gpufim: frequent itemset mining inside PostgreSQL
#
#   make                  build the extension against pg_config (or PG_CONFIG=...)
#   make install          install it there
#   make installcheck     SQL and isolation tests against a running server
#   make demo             the whole thing on a throwaway server, nothing needed
#   make psql             the same server with the demo's data, and a prompt
#   make test             every test on a throwaway server
#   make test-gpu         every test that can run against a server given by PGHOST
#                         and its like, with whatever devices that server has
#   make unit             tests of the mining engine alone, under ASan and UBSan
#   make fim              the engine's command-line program; needs no PostgreSQL
#   make bench            side-by-side measurements, see bench/
#   make bench-gpu        those of the GPU engine, on a machine with a GPU
#   make dist             an archive for PGXN

EXTENSION = gpufim
EXTVERSION = 1.0.0

MODULE_big = $(EXTENSION)
DATA_built = sql/$(EXTENSION)--$(EXTVERSION).sql
DATA = $(filter-out $(DATA_built),$(wildcard sql/$(EXTENSION)--*.sql))
PGFILEDESC = "gpufim - frequent itemset mining"

# Sources may lie in folders of folders.  The engine's are all but its program.
ENGINE_SOURCES = $(filter-out src/engine/cli/%,$(wildcard $(addprefix src/engine/,*.c */*.c */*/*.c)))
ENGINE_OBJS = $(ENGINE_SOURCES:.c=.o)
include src/engine/kissfft.mk
FFT_OBJS = $(if $(filter yes,$(KISSFFT)),src/engine/ancestors/papriori/fft.o)
OBJS = $(FFT_OBJS) $(patsubst %.c,%.o,$(filter-out src/engine/%,$(wildcard $(addprefix src/,*.c */*.c */*/*.c)))) \
	$(ENGINE_OBJS)

TESTS = $(wildcard test/sql/*.sql)
# setup first: it makes what the other tests share.
REGRESS = setup $(filter-out setup,$(sort $(patsubst test/sql/%.sql,%,$(TESTS))))
REGRESS_OPTS = --inputdir=test --load-extension=$(EXTENSION)
ISOLATION = $(patsubst test/specs/%.spec,%,$(wildcard test/specs/*.spec))
ISOLATION_OPTS = --inputdir=test --load-extension=$(EXTENSION)
# Tests have databases of their own, whatever the cluster's locale and encoding.
NO_LOCALE = 1
ENCODING = UTF8

# The engine picks its instruction set at run time, so a package built without
# OPTFLAGS is as fast as one built with -march=native.
OPTFLAGS =

# Where a loop lies within cache lines decides up to a fifth of its time, and any change of
# the code before it would move it.
ALIGNMENT = -falign-functions=64 -falign-loops=32
PG_CPPFLAGS = -Isrc $(FFT_CPPFLAGS)
SHLIB_LINK = $(FFT_LIBS)
PG_CFLAGS = $(ALIGNMENT) $(OPTFLAGS) -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers

# Device code is a library of its own, which the GPU worker loads if it is there.
# CUDA_ARCH says which GPUs it is built for: native, major, all or numbers, see
# scripts/cuda-arch.  nvcc's options for that are kept in cuda/built_for, so that
# "make CUDA_ARCH=all" and "make install" build once.
CUDA_HOME ?= /usr/local/cuda
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard $(CUDA_HOME)/bin/nvcc \
	/usr/local/cuda/bin/nvcc))
CUDA ?= $(if $(NVCC),yes,no)
CUDA_SOURCES = $(wildcard $(addprefix cuda/,*.cu */*.cu */*/*.cu *.c */*.c */*/*.c))
CUDA_OBJS = $(addsuffix .o,$(basename $(CUDA_SOURCES)))
CUDA_SHARED = $(filter $(addprefix src/engine/,arena.o isa.o kernels_portable.o kernels_avx2.o kernels_avx512.o parts.o \
	$(addprefix itemsets/,best.o class_parts.o miner.o) \
	$(addprefix probable/,class_parts.o bounds.o workspace.o convolution.o convolution_portable.o \
	convolution_avx2.o convolution_avx512.o tilt.o tree.o precise.o exact.o tail.o) \
	sets/best.o sets/measure.o),$(ENGINE_OBJS))
CUDA_LIBRARY = $(if $(filter yes,$(CUDA)),$(if $(CUDA_SOURCES),gpufim_cuda.so))
NVCC_FLAGS = -std=c++17 -O3 -lineinfo -Icuda -Isrc -Xcompiler -fPIC --options-file cuda/built_for \
	$(if $(filter -Werror,$(COPT)),-Werror all-warnings)

# What has no device code is C, so that it is compiled once and not for each
# architecture; nvcc knows where CUDA's headers are.
CUDA_CFLAGS = -O3 -g -Icuda -Isrc -Xcompiler -fPIC,-std=gnu99,-Wall,-Wextra \
	-Xcompiler -Wno-unused-parameter,-Wno-sign-compare,-Wno-missing-field-initializers \
	$(if $(filter -Werror,$(COPT)),-Xcompiler -Werror)

# What TAP tests load in its place.
FAKE_GPU = test/modules/fake_gpu/fake_gpu.so
FAKE_FAMILIES = $(addprefix test/modules/fake_gpu/,fake_itemsets.o fake_probable.o fake_episodes.o fake_sets.o)
FAKE_GPU_OBJS = test/modules/fake_gpu/fake_gpu.o $(FAKE_FAMILIES)

# And a gpufim with one more family, which only a test has, on all of its floors: the
# very objects, but for the two that expand families.h with one line more.
SUMS = test/modules/sums
SUMS_OBJS = $(addprefix $(SUMS)/,column_sums.o sums.o)
SUMS_TABLES = $(addprefix $(SUMS)/,family.o fake_gpu.o)
SUMS_LIBRARIES = $(SUMS)/gpufim.so $(SUMS)/fake_gpu.so

# The compilers write down which headers each source includes: those of run.c stand in
# run.c.d, so that nothing is left over from a run.cu that was there before.
C_OBJS = $(filter-out $(FFT_OBJS),$(OBJS)) $(FAKE_GPU_OBJS) $(SUMS_OBJS) $(SUMS)/fake_sums.o
TRACKED = $(C_OBJS:.o=.c) $(CUDA_SOURCES)
DEPENDENCIES = $(TRACKED:=.d)

# Sources that are gone leave objects, too.
LEFT_OVER = $(wildcard $(foreach folder,src cuda test/modules,$(foreach suffix,o d bc,\
	$(addprefix $(folder)/,*.$(suffix) */*.$(suffix) */*/*.$(suffix) */*/*/*.$(suffix)))))

EXTRA_CLEAN = $(DATA_built) gpufim_cuda.so $(FAKE_GPU) $(SUMS_LIBRARIES) $(SUMS)/include $(LEFT_OVER) \
	src/built_for cuda/built_for $(PROGRAMS) bench/quest bench/webdocs bench/product test/unit/build \
	test/gpu/build \
	results log tmp_check output_iso regression.diffs regression.out

.DEFAULT_GOAL = all
.PHONY: all install installcheck installdirs uninstall clean \
	demo psql test test-gpu prove_installcheck unit test-programs bench bench-gpu dist

# Bitcode serves to inline functions into JIT-compiled expressions, which never
# happens to functions that return sets; so clang is needed only by who asks.
override with_llvm := $(if $(filter command,$(origin with_llvm)),$(with_llvm),no)

# PostgreSQL's own way of tracking headers confuses files of the same name.
override autodepend := no

PG_CONFIG ?= pg_config
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))

ifneq ($(PGXS),)
include $(PGXS)

# Upgrade scripts are written by hand; the current version's is gpufim.sql.
sql/$(EXTENSION)--$(EXTVERSION).sql: sql/$(EXTENSION).sql
	cp $< $@

BUILT_FOR = $(PG_CONFIG) --version --configure
CHECK_HEADERS = @test -f '$(includedir_server)/postgres.h' || { \
	echo 'PostgreSQL has no header "postgres.h" in $(includedir_server).' >&2; \
	echo 'Install its development files (on Debian: postgresql-server-dev-NN).' >&2; exit 1; }

$(OBJS:.o=.bc): src/built_for $(wildcard $(addprefix src/,*.h */*.h */*/*.h */*/*/*.h))

$(FAKE_GPU): $(FAKE_GPU_OBJS) $(ENGINE_OBJS) $(FFT_OBJS)
	$(CC) $(CFLAGS) -shared -Wl,-Bsymbolic -o $@ $^ $(LDFLAGS) $(FFT_LIBS)

$(SUMS)/include/engine/families.h: src/engine/families.h
	@mkdir -p $(@D)
	{ cat $< && echo 'FIM_FAMILY(Sums)'; } >$@

# This families.h is found before that of src.
$(SUMS)/family.o: src/engine/family.c
$(SUMS)/fake_gpu.o: test/modules/fake_gpu/fake_gpu.c
$(SUMS_TABLES): $(SUMS)/include/engine/families.h src/built_for $(wildcard src/engine/*.h test/modules/*/*.h)
	$(CC) -I$(SUMS)/include $(CFLAGS) $(CPPFLAGS) -c -o $@ $(filter %.c,$^)

$(SUMS)/gpufim.so: $(SUMS_OBJS) $(SUMS)/family.o $(filter-out src/engine/family.o,$(OBJS))
	$(CC) $(CFLAGS) -shared -o $@ $^ $(LDFLAGS) $(FFT_LIBS)

$(SUMS)/fake_gpu.so: $(SUMS_TABLES) $(addprefix $(SUMS)/,sums.o fake_sums.o) \
		$(FAKE_FAMILIES) $(filter-out src/engine/family.o,$(ENGINE_OBJS)) $(FFT_OBJS)
	$(CC) $(CFLAGS) -shared -Wl,-Bsymbolic -o $@ $^ $(LDFLAGS) $(FFT_LIBS)

prove_installcheck: $(FAKE_GPU) $(SUMS_LIBRARIES)
	rm -rf '$(CURDIR)/tmp_check'
	cd $(srcdir) && TESTDIR='$(CURDIR)' TESTDATADIR='$(CURDIR)/tmp_check' \
		TESTLOGDIR='$(CURDIR)/tmp_check/log' PATH="$(bindir):$$PATH" \
		PGPORT='6$(DEF_PGPORT)' \
		PG_REGRESS='$(top_builddir)/src/test/regress/pg_regress' \
		$(PROVE) -I $(top_builddir)/src/test/perl -I test/perl $(PROVE_FLAGS) \
		$(if $(PROVE_TESTS),$(PROVE_TESTS),test/t/*.pl)

ifneq ($(CUDA_LIBRARY),)
all: $(CUDA_LIBRARY)

# -Bsymbolic: gpufim.so has what both link, too, and is loaded first.  -z defs: what is missing shows here and not when
# the worker loads the library.
$(CUDA_LIBRARY): $(CUDA_OBJS) $(CUDA_SHARED)
	$(NVCC) -shared -cudart static -Xlinker -Bsymbolic,-z,defs -o $@ $^ -lpthread -ldl -lm

$(patsubst %.cu,%.o,$(filter %.cu,$(CUDA_SOURCES))): %.o: %.cu cuda/built_for
	$(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $<.d -c -o $@ $<

$(patsubst %.c,%.o,$(filter %.c,$(CUDA_SOURCES))): %.o: %.c
	$(NVCC) $(CUDA_CFLAGS) -MMD -MP -MF $<.d -c -o $@ $<

ifneq ($(strip $(CUDA_ARCH)),)
ifneq ($(shell scripts/cuda-arch '$(NVCC)' $(CUDA_ARCH) | cmp -s - cuda/built_for && echo same),same)
cuda/built_for: FORCE
endif
endif
cuda/built_for:
	@scripts/cuda-arch '$(NVCC)' $(CUDA_ARCH) >$@.new && mv $@.new $@

install: install-cuda
.PHONY: install-cuda
install-cuda: $(CUDA_LIBRARY) installdirs
	$(INSTALL_SHLIB) $(CUDA_LIBRARY) '$(DESTDIR)$(pkglibdir)/$(CUDA_LIBRARY)'
endif

else
# No PostgreSQL to build against: the targets below still work.
BUILT_FOR = echo 'no PostgreSQL'
CPPFLAGS = $(PG_CPPFLAGS)
CFLAGS = -std=gnu99 -g -fPIC -Wall $(PG_CFLAGS)

all install installcheck uninstall prove_installcheck:
	@echo "$(PG_CONFIG) was not found, or PostgreSQL's development files are not installed." >&2
	@echo "Install them (on Debian: postgresql-server-dev-NN) or set PG_CONFIG=/path/to/pg_config." >&2
	@exit 1

clean:
	rm -rf $(EXTRA_CLEAN) $(OBJS) $(EXTENSION).so
endif

COMPILE.c = $(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -MF $<.d -c

# Objects are good for what they were built for.
IDENTITY = { $(BUILT_FOR); echo 'KissFFT: $(KISSFFT)'; }
ifneq ($(shell $(IDENTITY) | cmp -s - src/built_for && echo same),same)
src/built_for: FORCE
endif
src/built_for:
	$(CHECK_HEADERS)
	@$(IDENTITY) >$@

$(C_OBJS) $(FFT_OBJS): src/built_for

# The engine is C99 without PostgreSQL's headers and is all inner loops.
$(ENGINE_OBJS): CFLAGS += -O3 -Wno-declaration-after-statement

src/engine/ancestors/papriori/fft.o: src/engine/ancestors/papriori/fft.cc src/engine/ancestors/papriori/fft.h
	$(CXX) $(CPPFLAGS) $(FFT_CXXFLAGS) -c -o $@ $<

# An object is built again if nobody knows what it includes.
-include $(wildcard $(DEPENDENCIES))
$(addsuffix .o,$(basename $(foreach source,$(TRACKED),$(if $(wildcard $(source).d),,$(source))))): FORCE

.PHONY: FORCE
FORCE:

# The engine's command-line program, and the benchmarks'.
PROGRAMS = fim bench/probable bench/episodes bench/sets
fim: $(wildcard src/engine/cli/*.c)
bench/probable: $(addprefix bench/,probable.c generator.c generator.h measure.h)
bench/episodes: $(addprefix bench/,episodes.c plain_episodes.c plain_episodes.h streams.c streams.h measure.h)
bench/sets: $(addprefix bench/,sets.c purchases.c purchases.h measure.h)
$(PROGRAMS): $(wildcard $(addprefix src/engine/,*.h */*.h */*/*.h)) $(ENGINE_OBJS) $(FFT_OBJS)
	$(CC) $(filter-out -W%,$(CFLAGS)) -std=gnu99 -O3 -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
		$(CPPFLAGS) -Isrc/engine -o $@ $(filter %.c %.o,$^) $(LDFLAGS) $(FFT_LIBS) -pthread -ldl -lm

unit: fim bench/probable
	$(MAKE) -C test/unit check

# What the tests build, for those who would rather build it first and on all cores.
test-programs: $(FAKE_GPU) fim bench/probable
	$(MAKE) -C test/unit all

demo psql test test-gpu:
	@scripts/$@

bench: $(PROGRAMS) bench/quest
	bench/run $(BENCH_ARGS)

bench-gpu: fim $(CUDA_LIBRARY)
	bench/run-gpu $(BENCH_ARGS)

bench/quest bench/webdocs: %: %.c bench/generator.c bench/generator.h
	$(CC) -std=gnu99 -O2 -Wall -Wextra -o $@ $(filter %.c,$^) -lm

bench/product: bench/product.cu $(filter cuda/bits/product%,$(CUDA_OBJS))
	$(NVCC) $(NVCC_FLAGS) -Xcompiler -fopenmp,-mpopcnt -o $@ $^

test/gpu/build/check_batmap: test/gpu/check_batmap.cu cuda/ancestors/batmap/batmap_kernels.o cuda/fault.o
	@mkdir -p test/gpu/build
	$(NVCC) $(NVCC_FLAGS) -o $@ $^

dist:
	git archive --format=zip --prefix=$(EXTENSION)-$(EXTVERSION)/ \
		--output=$(EXTENSION)-$(EXTVERSION).zip HEAD
