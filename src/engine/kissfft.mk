# Strategy "fft" of probable itemsets transforms with KissFFT, a header of templates in C++
# (Debian's libkissfft-dev).  Where that or a C++ compiler is missing, or with KISSFFT=no, the
# strategy is not there.  Included by the Makefiles that build the engine, which compile
# src/engine/ancestors/papriori/fft.cc if KISSFFT is yes.
ifeq ($(origin KISSFFT),undefined)
KISSFFT := $(if $(shell echo | $(CXX) -x c++ -include kissfft/kissfft.hh -fsyntax-only - 2>&1 || echo no),no,yes)
endif
FFT_CPPFLAGS = $(if $(filter yes,$(KISSFFT)),-DFIM_KISSFFT)
FFT_LIBS = $(if $(filter yes,$(KISSFFT)),-lstdc++)

# Products of complex numbers without the standard's care for infinities.
FFT_CXXFLAGS = -std=c++11 -O3 -g -fPIC -Wall -Wextra -fcx-limited-range
