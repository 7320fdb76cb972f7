/* hfpy_verify.c: what `hfpy verify` lets programs write: the arrays at the end of regions and routines.
 *
 * HFPY_VERIFY names the file; without it nothing happens. A record is, in the machine's own byte order:
 *   "HFV1", lengths of three texts (int32 each), the texts (array, point, place), the permutation's length and text,
 *   type (int32, as ISO_Fortran_binding.h has it), bytes of an element (int32), rank (int32), extents (int64 each),
 *   the elements, first index fastest.
 */
#include <ISO_Fortran_binding.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Programs without device memory have neither of these. */
__attribute__((weak)) int hfd_present(const void *host, size_t bytes);
__attribute__((weak)) void hfd_update_host(const void *host, size_t bytes, const char *name, const char *where);

static FILE *output(void) {
  static FILE *file = NULL;
  static int asked = 0;
  if (!asked) {
    const char *path = getenv("HFPY_VERIFY");
    asked = 1;
    if (path != NULL && (file = fopen(path, "wb")) == NULL) {
      fprintf(stderr, "hfpy: HFPY_VERIFY: '%s' cannot be written\n", path);
      exit(3);
    }
  }
  return file;
}

static void put_int(FILE *file, int32_t value) { fwrite(&value, sizeof value, 1, file); }

static void put_text(FILE *file, const char *text) {
  put_int(file, (int32_t)strlen(text));
  fwrite(text, 1, strlen(text), file);
}

/* Writes the elements of dimension d and those below it. */
static void put_elements(FILE *file, const CFI_cdesc_t *array, int d, const char *from) {
  if (d < 0) {
    fwrite(from, array->elem_len, 1, file);
  } else if (d == 0 && array->dim[0].sm == (CFI_index_t)array->elem_len) {
    fwrite(from, array->elem_len, (size_t)array->dim[0].extent, file);
  } else {
    for (CFI_index_t n = 0; n < array->dim[d].extent; ++n) put_elements(file, array, d - 1, from + n * array->dim[d].sm);
  }
}

/* The device has the newest values of an array that is there. */
static void bring_to_host(const CFI_cdesc_t *array, const char *name, const char *place) {
  size_t bytes = array->elem_len;
  for (int d = 0; d < array->rank; ++d) bytes *= (size_t)array->dim[d].extent;
  if (hfd_present != NULL && hfd_present(array->base_addr, bytes)) hfd_update_host(array->base_addr, bytes, name, place);
}

void hfv_trace(const CFI_cdesc_t *array, const char *permutation, const char *name, const char *point,
               const char *place) {
  FILE *const file = output();
  if (file == NULL) return;
  bring_to_host(array, name, place);
  fwrite("HFV1", 1, 4, file);
  put_text(file, name);
  put_text(file, point);
  put_text(file, place);
  put_text(file, permutation);
  put_int(file, array->type);
  put_int(file, (int32_t)array->elem_len);
  put_int(file, array->rank);
  for (int d = 0; d < array->rank; ++d) {
    const int64_t extent = array->dim[d].extent;
    fwrite(&extent, sizeof extent, 1, file);
  }
  put_elements(file, array, array->rank - 1, array->base_addr);
  if (fflush(file) != 0) {
    fprintf(stderr, "hfpy: HFPY_VERIFY: the file cannot be written\n");
    exit(3);
  }
}
