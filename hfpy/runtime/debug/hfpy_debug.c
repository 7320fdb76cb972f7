/* hfpy_debug.c: what programs built with `hfpy build --debug-print` write to the standard error behind each kernel.
 *
 * Values on the device are fetched one by one, and the host's copies stay as they are: a missing copy is not hidden.
 */
#include <ISO_Fortran_binding.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Programs without device memory of hfpy's own have none of these. */
__attribute__((weak)) int hfd_present(const void *host, size_t bytes);
__attribute__((weak)) void *hfd_pointer(const void *host, size_t bytes, const char *name, const char *kernel,
                                        const char *where);
__attribute__((weak)) void hfd_values_out(void *host, const void *device, size_t bytes, const char *name,
                                          const char *where);

enum { most_dimensions = 15, longest = 32 };

static void put_real(double value, int bytes) { fprintf(stderr, bytes == 4 ? " %15.8E" : " %19.11E", value); }

static void put_value(const CFI_cdesc_t *array, const unsigned char *value) {
  const int kind = array->type & 0xff;
  const int bytes = (int)array->elem_len;
  if (kind == (CFI_type_float & 0xff) || kind == (CFI_type_float_Complex & 0xff)) {
    const int parts = kind == (CFI_type_float & 0xff) ? 1 : 2, size = bytes / parts;
    for (int p = 0; p < parts; ++p) {
      float small;
      double large;
      if (size == 4) {
        memcpy(&small, value + p * size, sizeof small);
        put_real(small, size);
      } else if (size == 8) {
        memcpy(&large, value + p * size, sizeof large);
        put_real(large, size);
      } else {
        fprintf(stderr, " (a number of %d bytes)", size);
      }
    }
    return;
  }
  int64_t whole = 0;
  memcpy(&whole, value, (size_t)bytes < sizeof whole ? (size_t)bytes : sizeof whole);
  if (kind == (CFI_type_Bool & 0xff)) {
    fprintf(stderr, " %s", whole != 0 ? "T" : "F");
  } else {
    const int unused = 64 - 8 * bytes;
    if (unused > 0) whole = (int64_t)((uint64_t)whole << unused) >> unused;
    fprintf(stderr, " %lld", (long long)whole);
  }
}

/* The element itself, from the device if it is there. */
static void fetch(const char *element, size_t bytes, const char *name, unsigned char *value) {
  if (hfd_present != NULL && hfd_present(element, bytes)) {
    hfd_values_out(value, hfd_pointer(element, bytes, name, NULL, "debug print"), bytes, name, "debug print");
  } else {
    memcpy(value, element, bytes);
  }
}

/* `point` has for each declared dimension an index or '*', for the first one; `order` the declared place of each
 * dimension in memory; `lower` the lower bound of each dimension in memory. */
void hfp_value(const CFI_cdesc_t *array, const int *lower, const char *point, const char *order, const char *name) {
  long long index[most_dimensions];
  const char *element = array->base_addr;
  unsigned char value[longest];
  int inside = array->elem_len <= sizeof value;
  for (int p = 0; p < array->rank; ++p) {
    const int declared = (int)strtol(order, (char **)&order, 10);
    const char *wanted = point;
    for (int skip = 0; skip < declared; ++skip) wanted = strchr(wanted, ' ') + 1;
    index[declared] = *wanted == '*' ? lower[p] : strtoll(wanted, NULL, 10);
    const long long offset = index[declared] - lower[p];
    inside = inside && offset >= 0 && offset < array->dim[p].extent;
    element += offset * array->dim[p].sm;
  }
  fputs(name, stderr);
  for (int d = 0; d < array->rank; ++d) fprintf(stderr, "%s%lld", d == 0 ? "@(" : ",", index[d]);
  fputs(array->rank > 0 ? "):" : ":", stderr);
  if (inside) {
    fetch(element, array->elem_len, name, value);
    put_value(array, value);
  } else {
    fputs(" not in the array", stderr);
  }
  fputc('\n', stderr);
}

void hfp_kernel(const char *kernel, const char *place) {
  fflush(stdout);
  fprintf(stderr, "*********** kernel %s finished (%s)\n", kernel, place);
}
