#!/bin/sh
# Makes the settings that an existing Hybrid Fortran project does not have yet, in config of the folder where it runs.
#
#   configure.sh [-a=cuda | -a=openacc] [--acceleratorImplementation=cuda | openacc]
#
# Files that are there stay as they are.
set -e

accelerator=cuda
for option in "$@"; do
  case $option in
    -a=* | --acceleratorImplementation=*) accelerator=${option#*=} ;;
    *) echo "configure: unknown option '$option'; there is -a=cuda and -a=openacc" >&2; exit 2 ;;
  esac
done

case $accelerator in
  cuda)
    debug=DebugCUDAFortranImplementation
    production=CUDAFortranImplementation
    emulation=DebugEmulatedCUDAFortranImplementation
    ;;
  openacc)
    debug=PGIOpenACCFortranImplementation
    production=$debug
    emulation=$debug
    ;;
  *) echo "configure: unknown accelerator '$accelerator'; there is cuda and openacc" >&2; exit 2 ;;
esac

# Write standard input to a file in config, unless it is there.
missing() {
  if [ -e "config/$1" ]; then cat >/dev/null; else cat >"config/$1"; echo "made config/$1"; fi
}

mkdir -p config
missing Makefile <<END
# hfpy finds the dependencies of objects by itself.
END
missing MakesettingsGeneral <<END
# The names of the files with main programs, without their endings, with blanks between them.
EXECUTABLES="$(basename "$PWD")"
SRC_DIR_COMMON=./source
END
for target in CPU GPU; do
  missing Makesettings$target <<END
FC=gfortran
ifdef DEBUG
FFLAGS=-g -O0
else
FFLAGS=-O3
endif
END
done
for mode in DEBUG PRODUCTION EMULATION; do
  case $mode in
    DEBUG) cpu=FortranImplementation gpu=$debug ;;
    PRODUCTION) cpu=OpenMPFortranImplementation gpu=$production ;;
    EMULATION) cpu= gpu=$emulation ;;
  esac
  if [ -n "$cpu" ]; then echo "$cpu" | missing "CPU_IMPLEMENTATION_$mode"; fi
  echo "$gpu" | missing "GPU_IMPLEMENTATION_$mode"
  echo PGIOpenACCFortranImplementation | missing "GPU_IMPLEMENTATION_${mode}_REDUCTION_SUPPORT"
done
