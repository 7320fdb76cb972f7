#ifndef ORDERS_H
#define ORDERS_H
#define KIJ_3(a,b,c) c,a,b
#define KIJ_4(a,b,c,d) c,d,a,b
#define IJK_3(a,b,c) a,b,c
#define IJK_4(a,b,c,d) a,b,c,d
#define GLUE(o,n) o##_##n
#define PASTE(o,n) GLUE(o,n)
#define ORDERED(n) PASTE(ORDER,n)
#endif
