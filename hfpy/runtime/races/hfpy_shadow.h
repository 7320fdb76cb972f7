/* hfpy_shadow.h: who has touched each element last, to see where two that run in any order meet.
 *
 * Compilers that instrument for races (-fsanitize=thread of GCC and Clang) call a function before each access of memory.
 * Those functions are below, as C and as C++, in place of ThreadSanitizer's own: a program needs neither threads nor luck.
 * Every watched element has a shadow cell with the serial number of its last writer and of its last reader. Serials
 * only grow, so that a cell of an earlier launch is old by its number alone.
 *
 * Who includes this file runs accessors one after another: hf_watch_launch() begins a launch, hf_watch_next() the next
 * accessor. Accessors of one launch may not meet; with barriers, those of one block meet only within one interval
 * between barriers. He defines the three functions declared next.
 */
#ifndef HFPY_SHADOW_H
#define HFPY_SHADOW_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t writer, reader;
} hf_shadow_cell;

/* Whether an address is watched in this launch. */
static int hf_is_watched(uintptr_t address);
/* Two have met: the accessor at work and `other` (0: several others), which `wrote` or has only read. */
static void hf_met(uintptr_t address, size_t size, int writes, uint32_t other, int wrote, void *code);
/* Two have set an element to the same value. */
static void hf_met_equal(uintptr_t address, size_t size, uint32_t other, void *code);

enum {
  HF_PAGE_BITS = 16,
  HF_PAGE = 1 << HF_PAGE_BITS,
  HF_TABLE = 1 << (32 - HF_PAGE_BITS),
  HF_TABLES = 1 << 16,
};
static const uint32_t HF_SERIALS = 0x3fffffffu; /* the bits of a serial; those above are flags of readers */
static const uint32_t HF_MANY = 0x80000000u;    /* several accessors of this interval have read */
static const uint32_t HF_ALL = 0x40000000u;     /* accessors of several blocks of this launch have read */

/* Shadow of HF_PAGE bytes, a cell for each 4 bytes; for each byte as soon as one access is shorter. `written`: the last
 * accessor that has written anywhere in it. */
typedef struct {
  hf_shadow_cell *cells;
  int shift;
  uint32_t written;
} hf_shadow_page;

static hf_shadow_page *hf_shadow_tables[HF_TABLES];

enum { HF_OFF = 0, HF_ON = 1, HF_UNDECIDED = 2 };

/* The launch at work: its first serial, those of the block and of the interval between barriers at work, the accessor's
 * own, and the next one that is free. `mode` is HF_UNDECIDED while a second value of an element is about to be known. */
static struct {
  int mode;
  uint32_t launch, block, interval, mine, next;
} hf_watch = {HF_OFF, 1, 1, 1, 1, 1};

/* Elements side by side that two have written: does the second write change them? (Of more than fit in here the first
 * ones tell.) */
static struct {
  uintptr_t address;
  size_t size;
  uint32_t other;
  void *code;
  unsigned char was[4096];
} hf_undecided;

static void hf_settle(void) {
  hf_watch.mode = HF_ON;
  if (memcmp((const void *)hf_undecided.address, hf_undecided.was, hf_undecided.size) == 0) {
    hf_met_equal(hf_undecided.address, hf_undecided.size, hf_undecided.other, hf_undecided.code);
  } else {
    hf_met(hf_undecided.address, hf_undecided.size, 1, hf_undecided.other, 1, hf_undecided.code);
  }
}

static void hf_two_writes(uintptr_t address, size_t size, uint32_t other, void *code) {
  if (hf_watch.mode == HF_ON) {
    hf_undecided.address = address;
    hf_undecided.size = 0;
    hf_undecided.other = other;
    hf_undecided.code = code;
    hf_watch.mode = HF_UNDECIDED;
  }
  if (address != hf_undecided.address + hf_undecided.size) return;
  if (hf_undecided.size + size > sizeof hf_undecided.was) return;
  memcpy(hf_undecided.was + hf_undecided.size, (const void *)address, size);
  hf_undecided.size += size;
}

/* Whether what a cell tells of another accessor counts: it is of this launch, is not the one at work, and no barrier
 * lies between the two. */
static inline int hf_counts(uint32_t seen) {
  const uint32_t serial = seen & HF_SERIALS;
  if (serial < hf_watch.launch) return 0;
  if (seen & HF_ALL) return 1;
  if (serial >= hf_watch.block && serial < hf_watch.interval) return 0;
  return (seen & HF_MANY) != 0 || seen != hf_watch.mine;
}

/* What a cell tells of its readers when the accessor at work has read, too. */
static inline uint32_t hf_readers(uint32_t seen) {
  const uint32_t serial = seen & HF_SERIALS;
  if (serial < hf_watch.launch) return hf_watch.mine;
  if (seen & HF_ALL) return seen;
  if (serial < hf_watch.block) return HF_ALL | hf_watch.mine;
  if (serial < hf_watch.interval) return hf_watch.mine;
  return seen == hf_watch.mine ? seen : HF_MANY | hf_watch.interval;
}

static void hf_cell_met(uintptr_t address, size_t size, int writes, hf_shadow_cell seen, void *code) {
  if (!hf_is_watched(address)) return;
  if (hf_counts(seen.reader) && writes) {
    hf_met(address, size, writes, seen.reader & (HF_MANY | HF_ALL) ? 0 : seen.reader, 0, code);
  } else if (writes) {
    hf_two_writes(address, size, seen.writer, code);
  } else {
    hf_met(address, size, writes, seen.writer, 1, code);
  }
}

static inline hf_shadow_page *hf_page_of(uintptr_t address) {
  hf_shadow_page *const table = hf_shadow_tables[(address >> 32) & (HF_TABLES - 1)];
  return table == NULL ? NULL : &table[(address >> HF_PAGE_BITS) & (HF_TABLE - 1)];
}

/* From now on each byte of a page has a cell of its own. */
static void hf_finer_page(hf_shadow_page *page) {
  hf_shadow_cell *const finer = (hf_shadow_cell *)calloc(HF_PAGE, sizeof(hf_shadow_cell));
  if (finer == NULL) abort();
  for (int n = 0; n < HF_PAGE / 4; ++n) finer[4 * n] = page->cells[n];
  free(page->cells);
  page->cells = finer;
  page->shift = 0;
}

static void hf_touch(uintptr_t address, size_t size, int writes, void *code) {
  hf_shadow_page *const page = hf_page_of(address);
  if (page == NULL || page->cells == NULL) return;
  if (size < 4 && page->shift != 0) hf_finer_page(page);
  hf_shadow_cell *const cell = &page->cells[(address & (HF_PAGE - 1)) >> page->shift];
  const hf_shadow_cell seen = *cell;
  if (writes) {
    page->written = cell->writer = hf_watch.mine;
    if (hf_counts(seen.writer) || hf_counts(seen.reader)) hf_cell_met(address, size, 1, seen, code);
  } else {
    if (seen.reader != hf_watch.mine) cell->reader = hf_readers(seen.reader);
    if (hf_counts(seen.writer)) hf_cell_met(address, size, 0, seen, code);
  }
}

/* Any access: what the fast paths below do not do. */
static __attribute__((noinline)) void hf_access(uintptr_t address, size_t size, int writes, void *code) {
  if (hf_watch.mode == HF_OFF) return;
  if (hf_watch.mode == HF_UNDECIDED) hf_settle();
  hf_touch(address, size, writes, code);
}

/* The cell of an address in one step, or null: where no accessor's value is undecided, and pages are as they should be. */
static inline hf_shadow_cell *hf_cell_of(uintptr_t address, size_t size, hf_shadow_page **page) {
  if (__builtin_expect(hf_watch.mode != HF_ON, 0)) return NULL;
  hf_shadow_page *const table = hf_shadow_tables[(address >> 32) & (HF_TABLES - 1)];
  if (table == NULL) return NULL;
  *page = &table[(address >> HF_PAGE_BITS) & (HF_TABLE - 1)];
  if ((*page)->cells == NULL || (size < 4 && (*page)->shift != 0)) return NULL;
  return &(*page)->cells[(address & (HF_PAGE - 1)) >> (*page)->shift];
}

static inline int hf_is_mine_or_old(uint32_t seen) {
  return seen == hf_watch.mine || (seen & HF_SERIALS) < hf_watch.launch;
}

/* Reads and writes that meet nobody, fast: 1 if that was all. */
static inline int hf_read_fast(uintptr_t address, size_t size) {
  hf_shadow_page *page;
  hf_shadow_cell *const cell = hf_cell_of(address, size, &page);
  if (cell == NULL) return hf_watch.mode != HF_UNDECIDED && !(size < 4);
  if (!hf_is_mine_or_old(cell->writer)) return 0;
  const uint32_t seen = cell->reader;
  if (seen == hf_watch.mine || seen == (HF_MANY | hf_watch.interval)) return 1;
  if ((seen & HF_SERIALS) < hf_watch.launch) {
    cell->reader = hf_watch.mine;
    return 1;
  }
  if (seen >= HF_ALL || seen < hf_watch.interval) return 0;
  cell->reader = HF_MANY | hf_watch.interval;
  return 1;
}

static inline int hf_write_fast(uintptr_t address, size_t size) {
  hf_shadow_page *page;
  hf_shadow_cell *const cell = hf_cell_of(address, size, &page);
  if (cell == NULL) return hf_watch.mode != HF_UNDECIDED && !(size < 4);
  if (!hf_is_mine_or_old(cell->writer) || !hf_is_mine_or_old(cell->reader)) return 0;
  page->written = cell->writer = hf_watch.mine;
  return 1;
}

/* A range of any size: what is not shorter than 4 bytes has its first cell in it. */
static void hf_access_range(const volatile void *pointer, size_t size, int writes, void *code) {
  if (hf_watch.mode == HF_UNDECIDED) hf_settle();
  if (hf_watch.mode == HF_OFF) return;
  for (uintptr_t at = (uintptr_t)pointer, end = at + size; at < end; at += 4) {
    hf_touch(at, end - at < 4 ? end - at : 4, writes, code);
  }
}

/* Memory that may be watched: it gets cells. */
static void hf_shadow_for(const void *memory, size_t bytes) {
  const uintptr_t first = (uintptr_t)memory & ~(uintptr_t)(HF_PAGE - 1);
  for (uintptr_t at = first; bytes > 0 && at < (uintptr_t)memory + bytes; at += HF_PAGE) {
    hf_shadow_page **const table = &hf_shadow_tables[(at >> 32) & (HF_TABLES - 1)];
    if (*table == NULL) *table = (hf_shadow_page *)calloc(HF_TABLE, sizeof(hf_shadow_page));
    if (*table == NULL) abort();
    hf_shadow_page *const page = hf_page_of(at);
    if (page->cells != NULL) continue;
    page->cells = (hf_shadow_cell *)calloc(HF_PAGE / 4, sizeof(hf_shadow_cell));
    page->shift = 2;
    if (page->cells == NULL) abort();
  }
}

/* Whether somebody has written to memory since the launch began. */
static inline int hf_shadow_written(const void *memory, size_t bytes) {
  for (uintptr_t at = (uintptr_t)memory, end = at + bytes; at < end;) {
    const hf_shadow_page *const page = hf_page_of(at);
    const uintptr_t next = (at | (HF_PAGE - 1)) + 1;
    const uintptr_t last = next < end ? next : end;
    if (page != NULL && page->cells != NULL && page->written >= hf_watch.launch) {
      for (; at < last; ++at) {
        if (page->cells[(at & (HF_PAGE - 1)) >> page->shift].writer >= hf_watch.launch) return 1;
      }
    }
    at = last;
  }
  return 0;
}

/* Nobody has touched these bytes yet: other things lie there from now on. */
static inline void hf_shadow_forget(const void *memory, size_t bytes) {
  for (uintptr_t at = (uintptr_t)memory, end = at + bytes; at < end; ++at) {
    hf_shadow_page *const page = hf_page_of(at);
    if (page == NULL || page->cells == NULL) continue;
    const hf_shadow_cell none = {0, 0};
    page->cells[(at & (HF_PAGE - 1)) >> page->shift] = none;
  }
}

/* Serials have come to their end: all cells begin anew. */
static void hf_shadow_clear(void) {
  for (int t = 0; t < HF_TABLES; ++t) {
    for (int p = 0; hf_shadow_tables[t] != NULL && p < HF_TABLE; ++p) {
      hf_shadow_page *const page = &hf_shadow_tables[t][p];
      page->written = 0;
      if (page->cells != NULL) memset(page->cells, 0, sizeof(hf_shadow_cell) * (size_t)(HF_PAGE >> page->shift));
    }
  }
  hf_watch.next = 1;
}

/* A launch of so many accessors begins, or of one that has no end in sight: hf_watch_block() looks after that. */
static void hf_watch_launch(uint64_t accessors) {
  if (hf_watch.next + accessors >= HF_SERIALS) hf_shadow_clear();
  hf_watch.launch = hf_watch.block = hf_watch.interval = hf_watch.mine = hf_watch.next;
  hf_watch.mode = HF_ON;
}

/* The next accessor of a launch without barriers. */
static inline void hf_watch_next(void) {
  if (hf_watch.mode == HF_UNDECIDED) hf_settle();
  hf_watch.mine = hf_watch.next++;
}

static void hf_watch_end(void) {
  if (hf_watch.mode == HF_UNDECIDED) hf_settle();
  hf_watch.mode = HF_OFF;
}

/* --- What instrumented code calls --------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif

#define HF_CODE __builtin_return_address(0)
#define HF_READ(name, size)                                                                              \
  void name(void *p) {                                                                                   \
    if (!hf_read_fast((uintptr_t)p, size)) hf_access((uintptr_t)p, size, 0, __builtin_return_address(0)); \
  }
#define HF_WRITE(name, size)                                                                              \
  void name(void *p) {                                                                                    \
    if (!hf_write_fast((uintptr_t)p, size)) hf_access((uintptr_t)p, size, 1, __builtin_return_address(0)); \
  }
#define HF_HOOKS(size)                              \
  HF_READ(__tsan_read##size, size)                  \
  HF_WRITE(__tsan_write##size, size)                \
  HF_READ(__tsan_unaligned_read##size, size)        \
  HF_WRITE(__tsan_unaligned_write##size, size)      \
  HF_READ(__tsan_volatile_read##size, size)         \
  HF_WRITE(__tsan_volatile_write##size, size)       \
  HF_READ(__tsan_unaligned_volatile_read##size, size) \
  HF_WRITE(__tsan_unaligned_volatile_write##size, size)
HF_HOOKS(1)
HF_HOOKS(2)
HF_HOOKS(4)
HF_HOOKS(8)
void __tsan_read16(void *p) { hf_access_range(p, 16, 0, HF_CODE); }
void __tsan_write16(void *p) { hf_access_range(p, 16, 1, HF_CODE); }
void __tsan_unaligned_read16(void *p) { hf_access_range(p, 16, 0, HF_CODE); }
void __tsan_unaligned_write16(void *p) { hf_access_range(p, 16, 1, HF_CODE); }
void __tsan_read_range(void *p, size_t bytes) { hf_access_range(p, bytes, 0, HF_CODE); }
void __tsan_write_range(void *p, size_t bytes) { hf_access_range(p, bytes, 1, HF_CODE); }
void __tsan_vptr_update(void *p, void *value) {
  (void)value;
  hf_access((uintptr_t)p, 8, 1, HF_CODE);
}
void __tsan_vptr_read(void *p) { hf_access((uintptr_t)p, 8, 0, HF_CODE); }
void __tsan_func_entry(void *code) { (void)code; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

#ifdef __cplusplus
}
#endif

#endif
