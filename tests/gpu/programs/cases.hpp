// cases.hpp: programs of small cases, chosen by name on the command line.

#ifndef CASES_HPP
#define CASES_HPP

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct named_case {
  const char *name;
  void (*run)();
};

#define EXPECT(condition)                                                        \
  do {                                                                           \
    if (!(condition)) {                                                          \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                              \
    }                                                                            \
  } while (false)

// Runs the case that the first argument names and says that it came to its end.
template <int Count>
int run_case(const named_case (&cases)[Count], int argc, char **argv) {
  for (const named_case &each : cases) {
    if (argc == 2 && std::strcmp(argv[1], each.name) == 0) {
      each.run();
      std::puts("done");
      return 0;
    }
  }
  std::fprintf(stderr, "no such case\n");
  return 2;
}

#endif
