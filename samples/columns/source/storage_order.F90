! Order of the dimensions in memory. Arguments of the macros are always in the
! order i, j, then the others. On the CPU columns are contiguous, on the GPU the
! first parallel domain is; -DORDER_IJK gives the CPU the order of the GPU.

#if (defined(GPU) && !defined(ORDER_KIJ)) || defined(ORDER_IJK)
#define AT(iParam,jParam,kParam) iParam,jParam,kParam
#define AT4(iParam,jParam,kParam,lParam) iParam,jParam,kParam,lParam
#else
#define AT(iParam,jParam,kParam) kParam,iParam,jParam
#define AT4(iParam,jParam,kParam,lParam) kParam,lParam,iParam,jParam
#endif

#define DOM(iParam,jParam,kParam) AT(iParam,jParam,kParam)
#define DOM4(iParam,jParam,kParam,lParam) AT4(iParam,jParam,kParam,lParam)

! Thread blocks of the GPU
#define CUDA_BLOCKSIZE_X 32
#define CUDA_BLOCKSIZE_Y 4
#define CUDA_BLOCKSIZE_Z 1
