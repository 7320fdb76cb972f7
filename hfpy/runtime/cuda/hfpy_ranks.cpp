// hfpy_ranks.cpp: which process of an MPI program on this machine this is, by what its launcher left in the environment.
//
// The same names, in the same order, as in runtime/fortran/hf_ranks.f90: launchers of MPI libraries go first, since
// below a batch system they start processes that still see the variables of the batch job.

#include <cstdlib>

#include "hfpy_runtime.hpp"

namespace hfpy {

rank local_rank() {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                      "PMI_LOCAL_RANK",             "PALS_LOCAL_RANKID",         "FLUX_TASK_LOCAL_ID",
                                      "SLURM_LOCALID"};
  for (const char *name : names) {
    const char *const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    char *end = nullptr;
    const long number = std::strtol(value, &end, 10);
    if (*end == '\0' && number >= 0) return {static_cast<int>(number), name};
  }
  return {0, nullptr};
}

}  // namespace hfpy
