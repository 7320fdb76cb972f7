/* hfpy_limits.c: stack and heap of threads on NVIDIA GPUs, for programs with directives that GCC compiles.
 *
 * GCC's runtime leaves the driver's limits as they are: 1 KiB of stack a thread, and 8 MiB for what all threads
 * allocate. Regions call their bodies by addresses, and save registers at each call, so two levels of calls fill that
 * stack; automatic arrays of routines are allocated. Beyond either limit the run ends with an illegal memory access.
 * GCC's runtime has no setting for them, but it takes a context that is there already. So this makes the device's
 * primary context the current one before the program begins, with higher limits. Nothing happens where there is no
 * NVIDIA driver.
 *
 * The device is that of ACC_DEVICE_NUM or OMP_DEFAULT_DEVICE, which the runtime follows too, or else that of the rank
 * on this machine: the names and the rule are those of runtime/fortran/hf_ranks.f90 and helper_functions.F90.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { stack_limit = 0, heap_limit = 2 }; /* CU_LIMIT_STACK_SIZE and CU_LIMIT_MALLOC_HEAP_SIZE */
static const size_t usual_stack = 8192;
static const size_t part_of_memory = 16; /* the heap, which is set aside when the program's code is loaded */

/* What is used of the driver's interface. */
struct driver {
  int (*init)(unsigned flags);
  int (*count)(int *devices);
  int (*retain)(void **context, int device);
  int (*set_current)(void *context);
  int (*memory)(size_t *bytes, int device);
  int (*set_limit)(int limit, size_t bytes);
};

static int found(struct driver *driver) {
  void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) return 0;
  *(void **)&driver->init = dlsym(library, "cuInit");
  *(void **)&driver->count = dlsym(library, "cuDeviceGetCount");
  *(void **)&driver->retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  *(void **)&driver->set_current = dlsym(library, "cuCtxSetCurrent");
  *(void **)&driver->memory = dlsym(library, "cuDeviceTotalMem_v2");
  *(void **)&driver->set_limit = dlsym(library, "cuCtxSetLimit");
  return driver->init && driver->count && driver->retain && driver->set_current && driver->memory && driver->set_limit;
}

/* The whole number in the first of the variables that has one, or else -1. */
static int number_in(const char *const *names, int many) {
  for (int n = 0; n < many; ++n) {
    const char *const value = getenv(names[n]);
    if (value == NULL || *value == '\0') continue;
    char *end = NULL;
    const long number = strtol(value, &end, 10);
    if (*end == '\0' && number >= 0) return (int)number;
  }
  return -1;
}

static int chosen_device(int devices) {
  static const char *const asked[] = {"ACC_DEVICE_NUM", "OMP_DEFAULT_DEVICE"};
  static const char *const ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                      "PMI_LOCAL_RANK",             "PALS_LOCAL_RANKID",         "FLUX_TASK_LOCAL_ID",
                                      "SLURM_LOCALID"};
  const int device = number_in(asked, sizeof asked / sizeof *asked);
  if (device >= 0) return device < devices ? device : 0;
  const int rank = number_in(ranks, sizeof ranks / sizeof *ranks);
  return rank > 0 ? rank % devices : 0;
}

/* Bytes in a variable, a number with K, M or G behind it or without; `usual` where it is not set. */
static size_t bytes_in(const char *name, size_t usual) {
  const char *const value = getenv(name);
  if (value == NULL || *value == '\0') return usual;
  char *end = NULL;
  unsigned long long bytes = strtoull(value, &end, 10);
  const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  if (end == value || *value == '-' || end[shift != 0] != '\0') {
    fprintf(stderr, "hfpy: %s: '%s' is no number of bytes, such as 16384, 16K or 2G\n", name, value);
    exit(1);
  }
  return (size_t)(bytes << shift);
}

static void set(const struct driver *driver, int limit, const char *what, size_t bytes) {
  const int status = driver->set_limit(limit, bytes);
  if (status != 0) fprintf(stderr, "hfpy: the driver refuses %zu bytes for the GPU's %s (error %d)\n", bytes, what, status);
}

__attribute__((constructor)) static void set_limits(void) {
  struct driver driver;
  int devices = 0;
  void *context = NULL;
  if (!found(&driver) || driver.init(0) != 0 || driver.count(&devices) != 0 || devices < 1) return;
  const int device = chosen_device(devices);
  if (driver.retain(&context, device) != 0 || driver.set_current(context) != 0) return;
  size_t memory = 0;
  set(&driver, stack_limit, "stack", bytes_in("HFPY_STACK", usual_stack));
  if (driver.memory(&memory, device) == 0)
    set(&driver, heap_limit, "heap", bytes_in("HFPY_HEAP", memory / part_of_memory));
}
