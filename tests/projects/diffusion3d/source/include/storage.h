#define REAL_KIND 8
