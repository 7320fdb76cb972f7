// hfpy_fibres.cpp: fibres by ucontext, announced to AddressSanitizer so that it knows which stack is in use.

#include "hfpy_fibres.hpp"

#include <ucontext.h>

#include <memory>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#else
static void __sanitizer_start_switch_fiber(void **, const void *, std::size_t) {}
static void __sanitizer_finish_switch_fiber(void *, const void **, std::size_t *) {}
#endif

namespace {

constexpr std::size_t stack_bytes = 256 * 1024;

struct fibre {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  void *sanitizer = nullptr;
  bool ended = false;
};

// The scheduler's own context and stack, and what it runs.
ucontext_t scheduler;
void *scheduler_sanitizer = nullptr;
const void *scheduler_stack = nullptr;
std::size_t scheduler_stack_bytes = 0;
fibre *current = nullptr;
const std::function<void()> *work = nullptr;

void back_to_scheduler(void **kept) {
  __sanitizer_start_switch_fiber(kept, scheduler_stack, scheduler_stack_bytes);
  swapcontext(&current->context, &scheduler);
}

void body() {
  __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_bytes);
  (*work)();
  current->ended = true;
  back_to_scheduler(nullptr);
}

void prepare(fibre &made) {
  made.stack.reset(new char[stack_bytes]);
  getcontext(&made.context);
  made.context.uc_stack.ss_sp = made.stack.get();
  made.context.uc_stack.ss_size = stack_bytes;
  made.context.uc_link = nullptr;
  makecontext(&made.context, body, 0);
}

void go_on(fibre &next) {
  current = &next;
  __sanitizer_start_switch_fiber(&scheduler_sanitizer, next.stack.get(), stack_bytes);
  swapcontext(&scheduler, &next.context);
  __sanitizer_finish_switch_fiber(scheduler_sanitizer, nullptr, nullptr);
}

}  // namespace

void hf_emulate_run_fibres(std::size_t count, const std::function<void()> &thread,
                           const std::function<void(std::size_t)> &enter) {
  std::vector<fibre> fibres(count);
  work = &thread;
  for (fibre &each : fibres) prepare(each);
  for (std::size_t alive = count; alive > 0;) {
    for (std::size_t f = 0; f < count; ++f) {
      if (fibres[f].ended) continue;
      enter(f);
      go_on(fibres[f]);
      if (fibres[f].ended) --alive;
    }
  }
}

void hf_emulate_pause_fibre() {
  fibre &mine = *current;
  back_to_scheduler(&mine.sanitizer);
  __sanitizer_finish_switch_fiber(mine.sanitizer, nullptr, nullptr);
}
