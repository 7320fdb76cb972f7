/* A stand-in for the NVIDIA driver with two devices: it says what it is asked. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static int said(const char *call, long long with) {
  fprintf(stderr, "%s %lld\n", call, with);
  return 0;
}
int cuInit(unsigned flags) { return said("init", flags); }
int cuDeviceGetCount(int *devices) { return *devices = 2, 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &said, said("context", device); }
int cuCtxSetCurrent(void *context) { return said("current", context == (void *)&said); }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = (size_t)1 << 36, 0; }
int cuCtxSetLimit(int limit, size_t bytes) {
  said(limit == 0 ? "stack" : "heap", (long long)bytes);
  return getenv("REFUSED") != NULL ? 1 : 0;
}
