! One module for each type that writeToFile takes; whoever uses several of them gets one generic name.
#define HF_ELEMENT real(4)
module hf_write_real4
#include "hf_write.inc"
end module
#undef HF_ELEMENT

#define HF_ELEMENT real(8)
module hf_write_real8
#include "hf_write.inc"
end module
#undef HF_ELEMENT

#define HF_ELEMENT integer(4)
module hf_write_integer4
#include "hf_write.inc"
end module
#undef HF_ELEMENT

#define HF_ELEMENT integer(8)
module hf_write_integer8
#include "hf_write.inc"
end module
#undef HF_ELEMENT

#define HF_ELEMENT logical
module hf_write_logical
#include "hf_write.inc"
end module
#undef HF_ELEMENT
