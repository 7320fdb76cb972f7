! Default order: columns contiguous on the CPU, i on the GPU; -DORDER_IJK and -DORDER_KIJ choose.
#if (defined(GPU) && !defined(ORDER_KIJ)) || defined(ORDER_IJK)
#define AT(iParam,jParam,kParam) iParam,jParam,kParam
#define AT4(iParam,jParam,kParam,lParam) iParam,jParam,kParam,lParam
#else
#define AT(iParam,jParam,kParam) kParam,iParam,jParam
#define AT4(iParam,jParam,kParam,lParam) kParam,lParam,iParam,jParam
#endif
#define DOM(iParam,jParam,kParam) AT(iParam,jParam,kParam)
#define DOM4(iParam,jParam,kParam,lParam) AT4(iParam,jParam,kParam,lParam)

! A region with template(EDGE) uses the same order under another name.
#define AT_EDGE(iParam,jParam,kParam) AT(iParam,jParam,kParam)

! An order of its own for data that are used in horizontal stencils.
#define AT_TIGHT_STENCIL(iParam,jParam,kParam) iParam,kParam,jParam
#define DOM_TIGHT_STENCIL(iParam,jParam,kParam) AT_TIGHT_STENCIL(iParam,jParam,kParam)

#define CUDA_BLOCKSIZE_X 32
#define CUDA_BLOCKSIZE_Y 4
#define CUDA_BLOCKSIZE_Z 1
#define CUDA_BLOCKSIZE_X_EDGE 64
#define CUDA_BLOCKSIZE_Y_EDGE 1
