/* hfpy_profile.c: programs built with `hfpy run --profile` count and time their kernels and copies.
 *
 * HFPY_PROFILE names a folder; each process writes PID.json there when it ends, by stop and error stop too. Without it
 * nothing is measured. Kernels are timed from outside, with the device waited for before and after.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Programs without device memory of hfpy's own do not have them. */
__attribute__((weak)) void hfd_synchronise(void);
__attribute__((weak)) double hfd_copy_rate(void);

enum { deepest = 64, first_size = 64 };

struct counted {
  char *name, *place;
  int64_t calls, bytes, points;
  double seconds, longest;
};

/* A table that only grows. Entries stay where they are, so that running kernels may keep pointers to them. */
struct table {
  struct counted **entries;
  size_t count, room;
};

struct running {
  struct counted *kernel;
  int64_t bytes, points;
  double since, copying; /* copying: what copies for this kernel alone have taken since */
};

static struct table kernels, copies;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static const char *folder;
static double began;
static double device_bandwidth; /* 0: not measured */
static _Thread_local struct running open_kernels[deepest];
static _Thread_local int depth;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void lock(void) {
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) continue;
}

static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

static void *required(void *memory) {
  if (memory == NULL) {
    fputs("hfpy: no memory left for the profile\n", stderr);
    abort();
  }
  return memory;
}

static size_t place_of(const struct table *in, const char *name, const char *place) {
  uint64_t hash = 1469598103934665603u;
  for (const char *c = name; *c != '\0'; ++c) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  for (const char *c = place; *c != '\0'; ++c) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  size_t at = (size_t)hash & (in->room - 1);
  while (in->entries[at] != NULL &&
         (strcmp(in->entries[at]->name, name) != 0 || strcmp(in->entries[at]->place, place) != 0)) {
    at = (at + 1) & (in->room - 1);
  }
  return at;
}

static void grow(struct table *in) {
  struct table larger = {NULL, in->count, in->room == 0 ? first_size : 2 * in->room};
  larger.entries = required(calloc(larger.room, sizeof *larger.entries));
  for (size_t n = 0; n < in->room; ++n) {
    struct counted *const entry = in->entries[n];
    if (entry != NULL) larger.entries[place_of(&larger, entry->name, entry->place)] = entry;
  }
  free(in->entries);
  *in = larger;
}

/* The entry with this name and place; a new one if there is none. Call it under the lock. */
static struct counted *entry_of(struct table *in, const char *name, const char *place) {
  if (2 * in->count >= in->room) grow(in);
  const size_t at = place_of(in, name, place);
  if (in->entries[at] == NULL) {
    struct counted *const made = required(calloc(1, sizeof *made));
    made->name = required(strdup(name));
    made->place = required(strdup(place));
    in->entries[at] = made;
    ++in->count;
  }
  return in->entries[at];
}

static void put_text(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\') fputc('\\', file);
    if ((unsigned char)*text >= ' ') fputc(*text, file);
  }
  fputc('"', file);
}

static void put_table(FILE *file, const char *key, const struct table *from) {
  const char *separator = "";
  fprintf(file, ",\n \"%s\": [", key);
  for (size_t n = 0; n < from->room; ++n) {
    const struct counted *const e = from->entries[n];
    if (e == NULL) continue;
    fprintf(file, "%s\n  {\"name\": ", separator);
    put_text(file, e->name);
    fputs(", \"place\": ", file);
    put_text(file, e->place);
    fprintf(file,
            ", \"calls\": %" PRId64 ", \"bytes\": %" PRId64 ", \"points\": %" PRId64
            ", \"seconds\": %.9f, \"longest\": %.9f}",
            e->calls, e->bytes, e->points, e->seconds, e->longest);
    separator = ",";
  }
  fputc(']', file);
}

static void write_all(void) {
  const double seconds = now() - began;
  const size_t length = strlen(folder) + 32;
  char *const path = required(malloc(length));
  snprintf(path, length, "%s/%ld.json", folder, (long)getpid());
  FILE *const file = fopen(path, "w");
  if (file == NULL) {
    fprintf(stderr, "hfpy: HFPY_PROFILE: '%s' cannot be written\n", path);
  } else {
    fprintf(file, "{\"seconds\": %.9f, \"device_bandwidth\": %.9g", seconds, device_bandwidth);
    put_table(file, "kernels", &kernels);
    put_table(file, "copies", &copies);
    fputs("}\n", file);
    fclose(file);
  }
  free(path);
}

__attribute__((constructor)) static void begin(void) {
  folder = getenv("HFPY_PROFILE");
  if (folder == NULL || *folder == '\0') {
    folder = NULL;
    return;
  }
  began = now();
  atexit(write_all);
}

static void wait_for_device(void) {
  if (hfd_synchronise != NULL) hfd_synchronise();
}

/* The innermost kernel of this thread that has been named and has not ended; null if nothing is measured. */
static struct running *innermost(void) {
  return folder == NULL || depth == 0 || depth > deepest ? NULL : &open_kernels[depth - 1];
}

void hfq_kernel(const char *kernel, const char *place, int64_t points) {
  if (folder == NULL || ++depth > deepest) return;
  lock();
  struct counted *const entry = entry_of(&kernels, kernel, place);
  unlock();
  open_kernels[depth - 1] = (struct running){entry, 0, points, 0, 0};
}

void hfq_moves(int64_t bytes) {
  struct running *const kernel = innermost();
  if (kernel != NULL) kernel->bytes += bytes;
}

void hfq_start(void) {
  struct running *const kernel = innermost();
  if (kernel == NULL) return;
  wait_for_device();
  if (hfd_copy_rate != NULL && device_bandwidth == 0) device_bandwidth = hfd_copy_rate();
  kernel->since = now();
}

void hfq_stop(void) {
  if (folder == NULL || depth == 0) return;
  struct running *const kernel = innermost();
  --depth;
  if (kernel == NULL) return;
  wait_for_device();
  const double all = now() - kernel->since;
  const double seconds = all > kernel->copying ? all - kernel->copying : 0;
  lock();
  struct counted *const entry = kernel->kernel;
  ++entry->calls;
  entry->bytes += kernel->bytes;
  entry->points += kernel->points;
  entry->seconds += seconds;
  if (seconds > entry->longest) entry->longest = seconds;
  unlock();
}

/* What the runtime for GPUs says of each copy; `way` is "to device" or the like. */
double hfq_clock(void) { return folder == NULL ? 0 : now(); }

void hfq_copied(const char *name, const char *way, size_t bytes, double since) {
  if (folder == NULL) return;
  const double seconds = now() - since;
  struct running *const kernel = innermost();
  char longer[64];
  /* Arrays such as a component of an object, which no directive brings there; values of a reduction belong to it. */
  if (kernel != NULL && kernel->since > 0 && strncmp(way, "values", 6) != 0) {
    kernel->copying += seconds;
    snprintf(longer, sizeof longer, "%s for a kernel", way);
    way = longer;
  }
  lock();
  struct counted *const entry = entry_of(&copies, name, way);
  ++entry->calls;
  entry->bytes += (int64_t)bytes;
  entry->seconds += seconds;
  if (seconds > entry->longest) entry->longest = seconds;
  unlock();
}
