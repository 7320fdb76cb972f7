! storage_order.F90: the scheme is one word, the macros are put together from it
#define HF_GLUE(a,b) a##b
#define HF_PASTE(a,b) HF_GLUE(a,b)

#define IJK_3(i,j,k) i,j,k
#define IJK_4(i,j,k,l) i,j,k,l
#define IJK_5(i,j,k,l,m) i,j,k,l,m
#define KIJ_3(i,j,k) k,i,j
#define KIJ_4(i,j,k,l) k,l,i,j
#define KIJ_5(i,j,k,l,m) k,l,m,i,j
#define IKJ_3(i,j,k) i,k,j
#define IKJ_4(i,j,k,l) i,k,l,j

#define PARALLEL_VECTOR_SCHEME 1
#define STENCIL_SCHEME 2
#define SCHEME PARALLEL_VECTOR_SCHEME

#define ORDER IJK
#if SCHEME == PARALLEL_VECTOR_SCHEME && !defined(GPU)
#undef ORDER
#define ORDER KIJ
#endif

#define AT(i,j,k) HF_PASTE(ORDER,_3)(i,j,k)
#define AT4(i,j,k,l) HF_PASTE(ORDER,_4)(i,j,k,l)
#define AT5(i,j,k,l,m) HF_PASTE(ORDER,_5)(i,j,k,l,m)
#define DOM AT
#define DOM4 AT4
#define DOM5 AT5

#define CUDA_BLOCKSIZE_X 32
#define CUDA_BLOCKSIZE_Y 8
#define CUDA_BLOCKSIZE_Z 1

#define DEBUG_OUT_x 3
#define DEBUG_OUT_y 2
#define DEBUG_OUT_z 1
#define DEBUG_OUT_i 3
#define DEBUG_OUT_j 2
