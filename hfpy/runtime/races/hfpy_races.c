/* hfpy_races.c: what programs that are built for `hfpy verify --races` call: which arrays a region shares, where its
 * points begin. Accesses are seen by the compiler's instrumentation for races, whose functions hfpy_shadow.h has.
 *
 * HFPY_RACES names a folder; without it nothing is watched. Each process writes a file there, a line for each finding,
 * with fields between tabs:
 *   race, equal: array, element, region's place, its iterators, own point, other point (empty: several), how the own
 *     point met the other (reads, writes), what that had done (wrote, read), address of the code in the executable
 *   unwatched: array, why
 *   done: launches, points
 */
#include <ISO_Fortran_binding.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hfpy_shadow.h"

enum { MOST_RANK = 15, MOST_ITERATORS = 8, MOST_FINDINGS = 200 };

/* An array that the region at work shares. */
typedef struct {
  uintptr_t first;
  size_t bytes;
  const char *name;
  int rank;
  int64_t steps[MOST_RANK];
} shared;

typedef struct {
  const void *code;
  const char *name;
  int writes, wrote, equal;
} finding;

static shared *arrays = NULL;
static size_t array_count = 0, array_room = 0;
static size_t last_array = 0;

static finding findings[MOST_FINDINGS];
static size_t finding_count = 0;

/* The region at work, how many are open (those inside belong to its points), and the iterators of its points. */
static const char *region_place = "", *region_iterators = "";
static int depth = 0, iterator_count = 0, paused = 0, passed_over = 0;
static int32_t *points = NULL;
static size_t point_count = 0, point_room = 0;
static unsigned long long launches = 0, all_points = 0;

static void finish(void);

static FILE *output(void) {
  static FILE *file = NULL;
  static int asked = 0;
  if (!asked) {
    const char *const folder = getenv("HFPY_RACES");
    asked = 1;
    if (folder != NULL) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%ld.races", folder, (long)getpid());
      if ((file = fopen(path, "w")) == NULL) {
        fprintf(stderr, "hfpy: HFPY_RACES: '%s' cannot be written\n", path);
        exit(3);
      }
      atexit(finish);
    }
  }
  return file;
}

static void finish(void) {
  fprintf(output(), "done\t%llu\t%llu\n", launches, all_points);
  fflush(output());
}

static const shared *array_at(uintptr_t address) {
  if (last_array < array_count && address - arrays[last_array].first < arrays[last_array].bytes) {
    return &arrays[last_array];
  }
  for (size_t n = 0; n < array_count; ++n) {
    if (address - arrays[n].first < arrays[n].bytes) {
      last_array = n;
      return &arrays[n];
    }
  }
  return NULL;
}

static int hf_is_watched(uintptr_t address) { return !paused && array_at(address) != NULL; }

/* (i,j) of an element, counted from 1; nothing for scalars. Steps grow with the dimension in what Fortran passes on. */
static void element_of(const shared *array, uintptr_t address, char *text, size_t room) {
  int64_t index[MOST_RANK];
  uintptr_t rest = address - array->first;
  text[0] = '\0';
  for (int d = array->rank - 1; d >= 0; --d) {
    index[d] = array->steps[d] > 0 ? (int64_t)(rest / (uintptr_t)array->steps[d]) : 0;
    if (array->steps[d] > 0) rest %= (uintptr_t)array->steps[d];
  }
  size_t used = 0;
  for (int d = 0; d < array->rank && used < room; ++d) {
    used += (size_t)snprintf(text + used, room - used, "%s%lld", d == 0 ? "(" : ",", (long long)index[d] + 1);
  }
  if (array->rank > 0 && used < room) snprintf(text + used, room - used, ")");
}

static void point_of(uint32_t serial, char *text, size_t room) {
  const size_t number = serial - hf_watch.launch;
  size_t used = 0;
  text[0] = '\0';
  for (int n = 0; serial >= hf_watch.launch && number < point_count && n < iterator_count && used < room; ++n) {
    const int32_t value = points[number * (size_t)iterator_count + (size_t)n];
    used += (size_t)snprintf(text + used, room - used, "%s%d", n == 0 ? "" : ",", value);
  }
}

/* An address in the executable, as it is in the file. */
static unsigned long long in_file(const void *code) {
  extern const Elf64_Ehdr __executable_start;
  const uintptr_t base = __executable_start.e_type == ET_DYN ? (uintptr_t)&__executable_start : 0;
  return (unsigned long long)((uintptr_t)code - base - 1);
}

static int is_new(const void *code, const char *name, int writes, int wrote, int equal) {
  for (size_t n = 0; n < finding_count; ++n) {
    const finding *const f = &findings[n];
    if (f->code == code && f->name == name && f->writes == writes && f->wrote == wrote && f->equal == equal) return 0;
  }
  if (finding_count == MOST_FINDINGS) return 0;
  findings[finding_count++] = (finding){code, name, writes, wrote, equal};
  return 1;
}

static void tell(const char *what, uintptr_t address, uint32_t other, int writes, int wrote, const void *code) {
  const shared *const array = array_at(address);
  if (!is_new(code, array->name, writes, wrote, what[0] == 'e')) return;
  char element[400], own[200], others[200] = "";
  const int mode = hf_watch.mode;
  hf_watch.mode = HF_OFF;
  element_of(array, address, element, sizeof element);
  point_of(hf_watch.mine, own, sizeof own);
  if (other != 0) point_of(other, others, sizeof others);
  fprintf(output(), "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%llx\n", what, array->name, element, region_place,
          region_iterators, own, others, writes ? "writes" : "reads", wrote ? "wrote" : "read", in_file(code));
  fflush(output());
  hf_watch.mode = mode;
}

static void hf_met(uintptr_t address, size_t size, int writes, uint32_t other, int wrote, void *code) {
  (void)size;
  tell("race", address, other, writes, wrote, code);
}

static void hf_met_equal(uintptr_t address, size_t size, uint32_t other, void *code) {
  (void)size;
  tell("equal", address, other, 1, 1, code);
}

/* --- What generated Fortran calls -------------------------------------------------------------------------------- */

/* A region begins; the arrays that it shares follow. A region inside of a point of another one is a part of that: its
 * arrays may be the point's own. */
void hfr_region(const char *place, const char *iterators) {
  passed_over = depth > 0;
  if (output() == NULL || depth++ > 0) return;
  region_place = place;
  region_iterators = iterators;
  array_count = 0;
}

static shared *added(uintptr_t first, size_t bytes, const char *name) {
  for (size_t n = 0; n < array_count; ++n) {
    if (arrays[n].first == first && arrays[n].bytes >= bytes) return NULL;
  }
  if (array_count == array_room) {
    array_room = array_room == 0 ? 64 : 2 * array_room;
    arrays = realloc(arrays, array_room * sizeof *arrays);
    if (arrays == NULL) abort();
  }
  hf_shadow_for((const void *)first, bytes);
  shared *const made = &arrays[array_count++];
  memset(made, 0, sizeof *made);
  made->first = first;
  made->bytes = bytes;
  made->name = name;
  return made;
}

static void not_watched(const char *name, const char *why) {
  if (is_new(why, name, 0, 0, 0)) fprintf(output(), "unwatched\t%s\t%s\n", name, why);
}

void hfr_array(const CFI_cdesc_t *array, const char *name) {
  if (depth == 0 || passed_over || array->base_addr == NULL) return;
  const int mode = hf_watch.mode;
  size_t last = array->elem_len;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].extent == 0) return;
    if (array->dim[d].extent < 0) return not_watched(name, "its size is not known (assumed size)");
    if (array->dim[d].sm < 0) return not_watched(name, "it runs backwards through memory");
    last += (size_t)(array->dim[d].extent - 1) * (size_t)array->dim[d].sm;
  }
  hf_watch.mode = HF_OFF;
  shared *const made = added((uintptr_t)array->base_addr, last, name);
  if (made != NULL) {
    made->rank = array->rank;
    for (int d = 0; d < array->rank; ++d) made->steps[d] = array->dim[d].sm;
  }
  hf_watch.mode = mode;
}

/* The same where the array may only be read. */
void hfr_array_in(const CFI_cdesc_t *array, const char *name) { hfr_array(array, name); }

/* Any memory: bytes from an address on. */
void hfr_memory(int64_t address, int64_t bytes, const char *name) {
  if (depth > 0 && !passed_over && address != 0 && bytes > 0) (void)added((uintptr_t)address, (size_t)bytes, name);
}

void hfr_begin(int iterators) {
  passed_over = 0;
  if (output() == NULL || depth > 1) return;
  iterator_count = iterators;
  point_count = 0;
  paused = 0;
  ++launches;
  hf_watch_launch(1u << 16);
}

void hfr_point(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
  if (depth != 1) return;
  const int64_t values[] = {a, b, c, d, e, f};
  hf_watch_next();
  if (hf_watch.mine >= HF_SERIALS - 1) {
    hf_shadow_clear();
    hf_watch_launch(1);
    hf_watch_next();
    point_count = 0;
  }
  if ((point_count + 1) * (size_t)iterator_count > point_room) {
    point_room = point_room == 0 ? 4096 : 2 * point_room;
    points = realloc(points, point_room * sizeof *points);
    if (points == NULL) abort();
  }
  int32_t *const mine = points + point_count++ * (size_t)iterator_count;
  for (int n = 0; n < iterator_count; ++n) mine[n] = (int32_t)values[n];
}

void hfr_end(void) {
  if (depth == 0 || --depth > 0) return;
  hf_watch_end();
  all_points += point_count;
}

/* Around an atomic statement. */
void hfr_atomic(int begins) {
  if (hf_watch.mode == HF_UNDECIDED) hf_settle();
  paused = begins;
}

/* Before a whole array is set to zero (`value` is null) or to the values of another one: where its size is a constant the
 * compiler does that without telling. */
static void set_whole(const CFI_cdesc_t *array, const CFI_cdesc_t *value, void *code) {
  size_t bytes = array->elem_len;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].extent <= 0) return;
    if (array->dim[d].sm != (CFI_index_t)bytes && array->dim[d].extent > 1) return; /* element by element, then */
    if (value != NULL && value->dim[d].sm != array->dim[d].sm) return;
    bytes *= (size_t)array->dim[d].extent;
  }
  if (hf_watch.mode == HF_UNDECIDED) hf_settle();
  const unsigned char zero[4] = {0, 0, 0, 0};
  const char *const to = array->base_addr, *const from = value == NULL ? NULL : value->base_addr;
  for (size_t at = 0; at < bytes; at += 4) {
    const size_t part = bytes - at < 4 ? bytes - at : 4;
    if (from != NULL) hf_touch((uintptr_t)(from + at), part, 0, code);
    hf_touch((uintptr_t)(to + at), part, 1, code);
    if (hf_watch.mode != HF_UNDECIDED) continue;
    hf_watch.mode = HF_ON;
    const int equal = memcmp(to + at, from != NULL ? (const void *)(from + at) : (const void *)zero, part) == 0;
    tell(equal ? "equal" : "race", (uintptr_t)(to + at), hf_undecided.other, 1, 1, code);
  }
}

void hfr_zero(const CFI_cdesc_t *array) {
  if (hf_watch.mode != HF_OFF && array->base_addr != NULL) set_whole(array, NULL, HF_CODE);
}

void hfr_set(const CFI_cdesc_t *array, const CFI_cdesc_t *value) {
  if (hf_watch.mode == HF_OFF || array->base_addr == NULL || value->base_addr == NULL) return;
  if (array->rank == value->rank && array->elem_len == value->elem_len) set_whole(array, value, HF_CODE);
}

/* --- Memory that is copied or set as a whole: ld's --wrap leads here --------------------------------------------- */

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int value, size_t bytes);

void *__wrap_memcpy(void *to, const void *from, size_t bytes) {
  if (hf_watch.mode != HF_OFF) {
    hf_access_range(from, bytes, 0, HF_CODE);
    hf_access_range(to, bytes, 1, HF_CODE);
  }
  return __real_memcpy(to, from, bytes);
}

void *__wrap_memmove(void *to, const void *from, size_t bytes) {
  if (hf_watch.mode != HF_OFF) {
    hf_access_range(from, bytes, 0, HF_CODE);
    hf_access_range(to, bytes, 1, HF_CODE);
  }
  return __real_memmove(to, from, bytes);
}

void *__wrap_memset(void *to, int value, size_t bytes) {
  if (hf_watch.mode != HF_OFF) hf_access_range(to, bytes, 1, HF_CODE);
  return __real_memset(to, value, bytes);
}
