# Everything a fresh machine needs is set up by the targets themselves.
#
#   make demo        build and run the weather sample, check it against its reference, draw it
#   make demo-mpi    the same model as two processes on MPI, compared with one and drawn with the border between them
#   make demo-opencl the same model as kernels in OpenCL C, compared with the CPU bit for bit
#   make demo-auto   a plain ocean model: hfpy finds its parallel loops; compared with the program as it is, and drawn
#   make test        style, types and the tests
#   make test-full   the same with the whole matrix of tests
#   make site        the documentation as pages for a browser, in build/site
#   make bench       speed of the generated code and of the translator
#   make clean       remove what was built (the virtual environment stays; make distclean removes it too)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
WORKERS ?= 2

.PHONY: demo demo-mpi demo-auto demo-opencl opencl oclgrind test test-full site bench check style types clean distclean fortran cplusplus flang netcdf mpi buildtools offload

demo: $(READY) fortran
	@$(BIN)/python samples/demo.py

demo-mpi: $(READY) fortran mpi
	@$(BIN)/python samples/demo_mpi.py

demo-opencl: $(READY) fortran cplusplus opencl
	@$(BIN)/python samples/demo_opencl.py

demo-auto: $(READY) fortran
	@$(BIN)/python samples/demo_auto.py

test: check
	$(BIN)/pytest -q -n $(WORKERS) --dist loadfile

# The scale of the full run: random programs of the older generators, mutants, nests of the dependence engine. Programs of
# several modules and mutants by the thousand are campaigns of their own: python -m tests.campaign.
SCALE := HFPY_TEST_LEVEL=-O1 HFPY_RANDOM=200 HFPY_PROGRAMS=24 HFPY_MUTANTS=2000 HFPY_NESTS=5000

test-full: check
	$(SCALE) $(BIN)/pytest -q -n $(WORKERS) --dist loadfile -m ""

check: style types

style: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy --strict hfpy

site: $(READY)
	$(BIN)/python -m mkdocs build --strict
	@echo "build/site/index.html"

bench: $(READY) fortran
	$(BIN)/python -m benchmarks.samples
	$(BIN)/python -m benchmarks.stencils --pairs 3
	$(BIN)/python -m benchmarks.columns
	$(BIN)/python -m benchmarks.cloud
	$(BIN)/python -m benchmarks.euler
	$(BIN)/python -m benchmarks.hydro
	$(BIN)/python -m benchmarks.spectral
	$(BIN)/python -m benchmarks.never_slower
	$(BIN)/python -m benchmarks.translator

test test-full: fortran cplusplus opencl flang netcdf mpi buildtools sass offload
test-full: oclgrind

# The environment is whole when the file "ready" is there, which comes last.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "hfpy needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "python3 -m venv failed; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check -e '.[test,plot,docs]'
	@touch $@

# gfortran, or the compiler that FC names: installed where that is possible without a question.
fortran:
	@if test -n "$(FC_ASKED)"; then exit 0; fi; \
	if command -v gfortran >/dev/null; then exit 0; fi; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  echo "installing gfortran"; \
	  apt-get update -q >/dev/null && apt-get install -q -y gfortran >/dev/null && exit 0; \
	fi; \
	echo "gfortran is needed: apt-get install gfortran (Debian, Ubuntu), dnf install gcc-gfortran (Fedora), brew install gcc (macOS)"; \
	exit 1

FC_ASKED := $(if $(filter environment command,$(firstword $(origin FC))),$(FC))

# What lists machine code of NVIDIA's GPUs, where nvcc is; without it kernels are not counted.
sass: $(READY)
	@if ! command -v nvcc >/dev/null || command -v cuobjdump >/dev/null; then exit 0; fi; \
	$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check -e '.[gpu-static]' || \
	  echo "without cuobjdump the instructions of kernels are not counted: pip install -e '.[gpu-static]'"

# GCC's compiler for NVIDIA's GPUs, for directives on a device with memory of its own; without it those tests are left out.
offload: fortran
	@if test "$$(gfortran -dumpversion 2>/dev/null)" != 12 || ls /usr/lib/gcc/*/12/accel/nvptx-none/mkoffload >/dev/null 2>&1; then exit 0; fi; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  echo "installing GCC's compiler for nvptx"; \
	  apt-get update -q >/dev/null; \
	  apt-get install -q -y --no-install-recommends gcc-12-offload-nvptx >/dev/null || true; \
	fi

# A C++ compiler for kernels of GPUs in emulation; without one their tests are left out.
cplusplus:
	@command -v g++ >/dev/null || \
	{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && echo "installing g++" && \
	  apt-get update -q >/dev/null && apt-get install -q -y g++ >/dev/null; } || \
	echo "no g++ here: the tests of GPU kernels are left out (apt-get install g++)"

# pocl, a driver of OpenCL for CPUs; without a driver the tests of kernels in OpenCL C are left out. clang 19 compiles
# kernels for AMD's GPUs.
opencl:
	@if test -e /usr/include/CL/cl.h && ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1; then exit 0; fi; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  echo "installing pocl"; \
	  apt-get update -q >/dev/null; \
	  apt-get install -q -y --no-install-recommends pocl-opencl-icd ocl-icd-opencl-dev >/dev/null || true; \
	fi; \
	if ! command -v clang-19 >/dev/null && test "$$(id -u)" = 0 && apt-cache show clang-19 >/dev/null 2>&1; then \
	  echo "installing clang 19"; apt-get install -q -y --no-install-recommends clang-19 >/dev/null || true; \
	fi

# oclgrind interprets kernels in OpenCL C and looks for races, in the full run; without it those tests are left out.
oclgrind:
	@if command -v oclgrind >/dev/null; then exit 0; fi; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  echo "installing oclgrind"; \
	  apt-get update -q >/dev/null; \
	  apt-get install -q -y --no-install-recommends oclgrind >/dev/null || true; \
	fi

# The front end of flang 22 checks the CUDA Fortran that hfpy writes; without it those checks are left out.
flang:
	@if command -v flang-22 >/dev/null && test -e /usr/lib/llvm-22/lib/libomp.so; then exit 0; fi; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  apt-get update -q >/dev/null; \
	  if apt-cache show flang-22 >/dev/null 2>&1; then \
	    echo "installing flang-22"; \
	    apt-get install -q -y --no-install-recommends flang-22 libomp-22-dev >/dev/null || true; \
	  fi; \
	fi

# NetCDF and HDF5 for Fortran, for the sample that writes such files; without them its tests are left out.
netcdf:
	@if nf-config --version >/dev/null 2>&1 && pkg-config --exists hdf5; then exit 0; fi; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  echo "installing NetCDF and HDF5 for Fortran"; \
	  apt-get update -q >/dev/null; \
	  apt-get install -q -y --no-install-recommends libnetcdff-dev libhdf5-dev pkg-config >/dev/null || true; \
	fi

# CMake, Autoconf and fpm, for programs that they build, and Node.js, for the editor's extension; without one its tests are left out.
buildtools: $(READY)
	@test -x $(BIN)/fpm || { echo "installing fpm"; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: fpm || true; }
	@if command -v cmake >/dev/null && command -v autoconf >/dev/null && command -v node >/dev/null; then exit 0; fi; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  echo "installing CMake, Autoconf and Node.js"; \
	  apt-get update -q >/dev/null; \
	  apt-get install -q -y --no-install-recommends cmake autoconf nodejs >/dev/null || true; \
	fi

# Open MPI and MPICH beside each other, for programs on many processes; without one its tests are left out.
mpi:
	@if command -v mpifort.openmpi >/dev/null && command -v mpifort.mpich >/dev/null; then exit 0; fi; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  echo "installing Open MPI and MPICH"; \
	  apt-get update -q >/dev/null; \
	  apt-get install -q -y --no-install-recommends openmpi-bin libopenmpi-dev >/dev/null || true; \
	  apt-get install -q -y --no-install-recommends mpich libmpich-dev >/dev/null || true; \
	fi

clean:
	rm -rf build dist out samples/*/build samples/builds/out samples/builds/.hfpy samples/*/output samples/*/*.nc samples/*/*.h5 .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV) hfpy.egg-info
