/* hfpy_samples.c: programs built for `hfpy annotate --profile` note where they are, once in each millisecond of their
 * own time.
 *
 * HFPY_SAMPLES names a folder; each process writes PID.samples there. A sample is the number of its frames and their
 * addresses in the executable's file, innermost first, as 64-bit words. Without the folder nothing is noted.
 */
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { deepest = 128, own_frames = 2, buffered = 1 << 16 }; /* the handler's and that of the signal are its own */

void hfy_samples_begin(void);

extern const Elf64_Ehdr __executable_start;
extern const char etext;

static uint64_t buffer[buffered];
static size_t filled;
static int file = -1;

/* The file is written as it comes: a buffer that is full is not a reason to lose samples. */
static void flush(void) {
  const char *from = (const char *)buffer;
  size_t left = filled * sizeof *buffer;
  while (left > 0) {
    const ssize_t written = write(file, from, left);
    if (written <= 0) break;
    from += written;
    left -= (size_t)written;
  }
  filled = 0;
}

static void take(int signal_number) {
  (void)signal_number;
  void *frames[deepest];
  const int count = backtrace(frames, deepest);
  const uintptr_t first = (uintptr_t)&__executable_start;
  const uintptr_t base = __executable_start.e_type == ET_DYN ? first : 0;
  if (filled + deepest + 1 > buffered) flush();
  uint64_t *const head = &buffer[filled++];
  *head = 0;
  for (int n = own_frames; n < count; ++n) {
    const uintptr_t code = (uintptr_t)frames[n] - (n > own_frames); /* behind the call, but for the innermost */
    if (code < first || code >= (uintptr_t)&etext) continue;
    buffer[filled++] = code - base;
    ++*head;
  }
}

static void end(void) {
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &never, NULL);
  signal(SIGPROF, SIG_IGN);
  flush();
}

__attribute__((constructor)) void hfy_samples_begin(void) {
  const char *const folder = getenv("HFPY_SAMPLES");
  if (folder == NULL) return;
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%ld.samples", folder, (long)getpid()) >= (int)sizeof path) return;
  file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    fprintf(stderr, "hfpy: HFPY_SAMPLES: '%s' cannot be written\n", path);
    return;
  }
  void *frames[deepest];
  backtrace(frames, deepest); /* loads what it needs, which a signal's handler must not do */
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = take;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, NULL);
  const struct itimerval each = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &each, NULL);
  atexit(end);
}
