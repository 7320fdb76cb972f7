/* A device for libgomp (GCC 12) on the CPU, with memory of its own: what libgomp loads as its plugin for nvptx.

   Regions run as the functions that GCC compiles for the host, one thread after the other, with the addresses that a
   device would get. Memory of the device begins with bytes that no program expects, so a missing copy shows. Variables
   with `declare` are those of the host: copies of them are not looked at. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct addr_pair {
  uintptr_t start, end;
};

/* The table of functions and variables of an executable, as GOMP_offload_register_ver gets it. */
static struct {
  void **first_function, **functions_end, **first_variable, **variables_end;
} host;

/* Called by executables before main; they find this one first (LD_PRELOAD), which keeps the table. */
void GOMP_offload_register_ver(unsigned version, const void *table, int target, const void *data) {
  void (*real)(unsigned, const void *, int, const void *) = dlsym(RTLD_NEXT, "GOMP_offload_register_ver");
  memcpy(&host, table, sizeof host);
  real(version, table, target, data);
}

/* A variable with `declare`. A region on the host uses the host's, so the device's value is there while it runs. */
static struct variable {
  char *on_host, *on_device, *before, *kept;
  size_t bytes;
} *variables_there;
static int variables_known;

/* Constants are among the variables, where nothing may be written. */
static void put(char *to, const char *from, size_t bytes) {
  if (memcmp(to, from, bytes) != 0) memcpy(to, from, bytes);
}

static void begin_region(void) {
  for (int n = 0; n < variables_known; ++n) {
    struct variable *one = &variables_there[n];
    memcpy(one->kept, one->on_host, one->bytes);
    memcpy(one->before, one->on_device, one->bytes);
    put(one->on_host, one->on_device, one->bytes);
  }
}

/* What the region wrote, by the variable's name or by an address that it was given, is the device's value. */
static void end_region(void) {
  for (int n = 0; n < variables_known; ++n) {
    struct variable *one = &variables_there[n];
    for (size_t b = 0; b < one->bytes; ++b)
      if (one->on_device[b] == one->before[b]) one->on_device[b] = one->on_host[b];
    put(one->on_host, one->kept, one->bytes);
  }
}

const char *GOMP_OFFLOAD_get_name(void) { return "nvptx"; }
unsigned GOMP_OFFLOAD_get_caps(void) { return 1 << 2 | 1 << 3; /* OpenMP, OpenACC; no shared memory */ }
int GOMP_OFFLOAD_get_type(void) { return 5; }
int GOMP_OFFLOAD_get_num_devices(void) { return 1; }
unsigned GOMP_OFFLOAD_version(void) { return 1; }
bool GOMP_OFFLOAD_init_device(int n) { return n == 0; }
bool GOMP_OFFLOAD_fini_device(int n) { return n == 0; }

int GOMP_OFFLOAD_load_image(int device, unsigned version, const void *data, struct addr_pair **made) {
  int functions = host.functions_end - host.first_function;
  int variables = (host.variables_end - host.first_variable) / 2;
  struct addr_pair *table = malloc((functions + variables) * sizeof *table);
  (void)device, (void)version, (void)data;
  for (int n = 0; n < functions; ++n) {
    table[n].start = (uintptr_t)host.first_function[n];
    table[n].end = table[n].start + 1;
  }
  variables_known = variables;
  variables_there = calloc(variables + 1, sizeof *variables_there);
  for (int n = 0; n < variables; ++n) {
    struct variable *one = &variables_there[n];
    one->on_host = host.first_variable[2 * n];
    one->bytes = (uintptr_t)host.first_variable[2 * n + 1] & ~((uintptr_t)1 << 63); /* the bit says `link` */
    one->on_device = malloc(one->bytes);
    one->before = malloc(one->bytes);
    one->kept = malloc(one->bytes);
    memcpy(one->on_device, one->on_host, one->bytes);
    table[functions + n].start = (uintptr_t)one->on_device;
    table[functions + n].end = table[functions + n].start + one->bytes;
  }
  *made = table;
  return functions + variables;
}
bool GOMP_OFFLOAD_unload_image(int device, unsigned version, const void *data) {
  (void)device, (void)version, (void)data;
  return true;
}

void *GOMP_OFFLOAD_alloc(int device, size_t bytes) {
  (void)device;
  void *made = malloc(bytes ? bytes : 1);
  return made == NULL ? NULL : memset(made, 0xfb, bytes);
}
bool GOMP_OFFLOAD_free(int device, void *at) {
  (void)device;
  free(at);
  return true;
}
static bool copy(int device, void *to, const void *from, size_t bytes) {
  (void)device;
  if (getenv("DEVICE_COPIES")) fprintf(stderr, "copy of %zu bytes\n", bytes);
  memcpy(to, from, bytes);
  return true;
}
bool GOMP_OFFLOAD_dev2host(int d, void *to, const void *from, size_t bytes) { return copy(d, to, from, bytes); }
bool GOMP_OFFLOAD_host2dev(int d, void *to, const void *from, size_t bytes) { return copy(d, to, from, bytes); }
bool GOMP_OFFLOAD_dev2dev(int d, void *to, const void *from, size_t bytes) { return copy(d, to, from, bytes); }

bool GOMP_OFFLOAD_can_run(void *function) { return function != NULL; }
void GOMP_OFFLOAD_run(int device, void *function, void *variables, void **arguments) {
  (void)device, (void)arguments;
  begin_region();
  ((void (*)(void *))function)(variables);
  end_region();
}
void GOMP_OFFLOAD_openacc_exec(void (*function)(void *), size_t count, void **on_host, void **on_device, unsigned *dims,
                               void *memory) {
  (void)count, (void)on_host, (void)dims, (void)memory;
  begin_region();
  function(on_device);
  end_region();
}
void GOMP_OFFLOAD_openacc_async_exec(void (*function)(void *), size_t count, void **on_host, void **on_device,
                                     unsigned *dims, void *memory, void *queue) {
  (void)queue;
  GOMP_OFFLOAD_openacc_exec(function, count, on_host, on_device, dims, memory);
}

/* Queues: all is done at once. */
static int the_queue;
void *GOMP_OFFLOAD_openacc_async_construct(int device) { return (void)device, &the_queue; }
bool GOMP_OFFLOAD_openacc_async_destruct(void *queue) { return (void)queue, true; }
int GOMP_OFFLOAD_openacc_async_test(void *queue) { return (void)queue, 1; }
bool GOMP_OFFLOAD_openacc_async_synchronize(void *queue) { return (void)queue, true; }
bool GOMP_OFFLOAD_openacc_async_serialize(void *a, void *b) { return (void)a, (void)b, true; }
void GOMP_OFFLOAD_openacc_async_queue_callback(void *queue, void (*call)(void *), void *with) {
  (void)queue;
  call(with);
}
bool GOMP_OFFLOAD_openacc_async_host2dev(int d, void *to, const void *from, size_t bytes, void *queue) {
  return (void)queue, copy(d, to, from, bytes);
}
bool GOMP_OFFLOAD_openacc_async_dev2host(int d, void *to, const void *from, size_t bytes, void *queue) {
  return (void)queue, copy(d, to, from, bytes);
}
void *GOMP_OFFLOAD_openacc_create_thread_data(int device) { return (void)device, &the_queue; }
void GOMP_OFFLOAD_openacc_destroy_thread_data(void *data) { (void)data; }
void *GOMP_OFFLOAD_openacc_cuda_get_current_device(void) { return NULL; }
void *GOMP_OFFLOAD_openacc_cuda_get_current_context(void) { return NULL; }
void *GOMP_OFFLOAD_openacc_cuda_get_stream(void *queue) { return (void)queue, NULL; }
int GOMP_OFFLOAD_openacc_cuda_set_stream(void *queue, void *stream) { return (void)queue, (void)stream, 0; }
struct value {
  size_t number;
};
struct value GOMP_OFFLOAD_openacc_get_property(int device, int property) {
  struct value none = {0};
  return (void)device, (void)property, none;
}
