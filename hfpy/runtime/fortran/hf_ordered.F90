! Output of arrays in their logical order. This file sees the storage order macros of the project, if it has any; it is
! kept apart since such files may define any other macro too.
#ifdef HFPY_STORAGE_ORDER
#include "storage_order.F90"
#endif
#ifdef DOM
#define HF_DOM(a,b,c) DOM(a,b,c)
#else
#define HF_DOM(a,b,c) a,b,c
#endif
#ifdef AT
#define HF_AT(a,b,c) AT(a,b,c)
#else
#define HF_AT(a,b,c) a,b,c
#endif
#ifdef DOM4
#define HF_DOM4(a,b,c,d) DOM4(a,b,c,d)
#else
#define HF_DOM4(a,b,c,d) a,b,c,d
#endif
#ifdef AT4
#define HF_AT4(a,b,c,d) AT4(a,b,c,d)
#else
#define HF_AT4(a,b,c,d) a,b,c,d
#endif
#ifdef DOM5
#define HF_DOM5(a,b,c,d,e) DOM5(a,b,c,d,e)
#else
#define HF_DOM5(a,b,c,d,e) a,b,c,d,e
#endif
#ifdef AT5
#define HF_AT5(a,b,c,d,e) AT5(a,b,c,d,e)
#else
#define HF_AT5(a,b,c,d,e) a,b,c,d,e
#endif

#define HF_ELEMENT real(4)
module hf_ordered_real4
#include "hf_ordered.inc"
end module
#undef HF_ELEMENT

#define HF_ELEMENT real(8)
module hf_ordered_real8
#include "hf_ordered.inc"
end module
#undef HF_ELEMENT

#define HF_ELEMENT integer(4)
module hf_ordered_integer4
#include "hf_ordered.inc"
end module
#undef HF_ELEMENT

#define HF_ELEMENT integer(8)
module hf_ordered_integer8
#include "hf_ordered.inc"
end module
#undef HF_ELEMENT

#define HF_ELEMENT logical
module hf_ordered_logical
#include "hf_ordered.inc"
end module
#undef HF_ELEMENT
