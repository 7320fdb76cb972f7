/* Teams of OpenMP whose threads run in turns in one thread of the system, in a chosen order, up to the next barrier.
   Differences between orders are the same in each run. Compiled programs may be watched by ThreadSanitizer: it is
   told which turns wait for each other, so that it finds what two of them touch even if they never meet in time. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define WEAK __attribute__((weak))
WEAK void *__tsan_create_fiber(unsigned flags);
WEAK void __tsan_destroy_fiber(void *fiber);
WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
WEAK void *__tsan_get_current_fiber(void);
WEAK void __tsan_acquire(void *at);
WEAK void __tsan_release(void *at);

enum { MOST = 64, STACK = 1 << 20 };

struct turn {
  ucontext_t context;
  void *fiber;
  char *stack;
  int singles;
  bool done;
};

static struct turn turns[MOST];
static ucontext_t around;
static void *around_fiber;
static int team = 1, mine = 0, deep = 0, singles = 0;
static void (*body)(void *);
static void *data;
static char fork_point, join_point, lock_point, barrier_points[2];
static int rounds;

static void acquire(void *at) { if (__tsan_acquire) __tsan_acquire(at); }
static void release(void *at) { if (__tsan_release) __tsan_release(at); }

static void run(void) {
  acquire(&fork_point);
  body(data);
  release(&join_point);
  turns[mine].done = true;
  if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(around_fiber, 1);
  swapcontext(&turns[mine].context, &around);
}

static int width(unsigned asked) {
  const char *text = getenv("OMP_NUM_THREADS");
  int n = asked ? (int)asked : text ? atoi(text) : 1;
  return n < 1 ? 1 : n > MOST ? MOST : n;
}

void GOMP_parallel(void (*fn)(void *), void *given, unsigned asked, unsigned flags) {
  (void)flags;
  if (deep) {
    int t = team, m = mine;
    team = 1; mine = 0; deep++;
    fn(given);
    team = t; mine = m; deep--;
    return;
  }
  team = width(asked); deep = 1; body = fn; data = given; singles = 0; rounds = 0;
  if (__tsan_get_current_fiber) around_fiber = __tsan_get_current_fiber();
  release(&fork_point);
  for (int t = 0; t < team; t++) {
    struct turn *new = &turns[t];
    new->done = false; new->singles = 0;
    if (!new->stack) new->stack = malloc(STACK);
    memset(new->stack, 0x5a, STACK);
    getcontext(&new->context);
    new->context.uc_stack.ss_sp = new->stack;
    new->context.uc_stack.ss_size = STACK;
    new->context.uc_link = &around;
    makecontext(&new->context, run, 0);
    if (__tsan_create_fiber) new->fiber = __tsan_create_fiber(0);
  }
  const char *order = getenv("TURNS_ORDER");
  unsigned seed = order ? (unsigned)atoi(order) : 0;
  int at[MOST];
  for (int t = 0; t < team; t++) at[t] = seed == 1 ? t : team - 1 - t;
  if (seed > 1)
    for (int t = team - 1; t > 0; t--) {
      seed = seed * 1103515245u + 12345u;
      int u = (int)((seed >> 16) % (unsigned)(t + 1)), kept = at[t];
      at[t] = at[u]; at[u] = kept;
    }
  for (bool left = true; left; rounds++) {
    left = false;
    for (int t = 0; t < team; t++)
      if (!turns[at[t]].done) {
        mine = at[t];
        if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(turns[mine].fiber, 1);
        swapcontext(&around, &turns[mine].context);
        left = left || !turns[at[t]].done;
      }
  }
  acquire(&join_point);
  if (__tsan_destroy_fiber)
    for (int t = 0; t < team; t++) __tsan_destroy_fiber(turns[t].fiber);
  team = 1; mine = 0; deep = 0;
}

void GOMP_barrier(void) {
  if (deep != 1) return;
  int m = mine, r = rounds;
  release(&barrier_points[r & 1]);
  if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(around_fiber, 1);
  swapcontext(&turns[m].context, &around);
  mine = m;
  acquire(&barrier_points[r & 1]);
}

bool GOMP_single_start(void) {
  if (deep != 1) return true;
  if (turns[mine].singles++ < singles) return false;
  singles++;
  return true;
}

void GOMP_critical_start(void) { acquire(&lock_point); }
void GOMP_critical_end(void) { release(&lock_point); }
void GOMP_critical_name_start(void **p) { (void)p; acquire(&lock_point); }
void GOMP_critical_name_end(void **p) { (void)p; release(&lock_point); }
void GOMP_atomic_start(void) { acquire(&lock_point); }
void GOMP_atomic_end(void) { release(&lock_point); }
int omp_get_thread_num(void) { return mine; }
int omp_get_num_threads(void) { return team; }
int omp_get_max_threads(void) { return deep ? 1 : width(0); }
bool omp_in_parallel(void) { return deep > 0; }
int omp_get_thread_num_(void) { return mine; }
int omp_get_num_threads_(void) { return team; }
int omp_get_max_threads_(void) { return omp_get_max_threads(); }
int omp_in_parallel_(void) { return deep > 0; }
