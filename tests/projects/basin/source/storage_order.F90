! storage_order.F90 - included in front of every file that is run through the preprocessor.
! Choose ONE scheme. PARALLEL_VECTOR: the vertical runs fastest on the CPU, the first horizontal
! dimension on the GPU; that's the one for column physics. STENCIL: IJK everywhere.

#define NX 13
#define NY 7
#define NZ 5

#define PARALLEL_VECTOR_SCHEME

! ---- the three orders -----------------------------------------------------------------------
#define IJK3(iParam,jParam,kParam) iParam, jParam, kParam
#define IJK4(iParam,jParam,kParam,lParam) iParam, jParam, kParam, lParam
#define IJK5(iParam,jParam,kParam,lParam,mParam) iParam, jParam, kParam, lParam, mParam

#define KIJ3(iParam,jParam,kParam) kParam, iParam, jParam
#define KIJ4(iParam,jParam,kParam,lParam) kParam, lParam, iParam, jParam
#define KIJ5(iParam,jParam,kParam,lParam,mParam) kParam, lParam, mParam, iParam, jParam

#define IKJ3(iParam,jParam,kParam) iParam, kParam, jParam
#define IKJ4(iParam,jParam,kParam,lParam) iParam, kParam, lParam, jParam

! ---- default: IJK, redefined below where the scheme asks for it --------------------------------
#define AT(iParam,jParam,kParam) IJK3(iParam,jParam,kParam)
#define AT4(iParam,jParam,kParam,lParam) IJK4(iParam,jParam,kParam,lParam)
#define AT5(iParam,jParam,kParam,lParam,mParam) IJK5(iParam,jParam,kParam,lParam,mParam)

#ifdef PARALLEL_VECTOR_SCHEME
#ifndef GPU
#define AT(iParam,jParam,kParam) KIJ3(iParam,jParam,kParam)
#define AT4(iParam,jParam,kParam,lParam) KIJ4(iParam,jParam,kParam,lParam)
#define AT5(iParam,jParam,kParam,lParam,mParam) KIJ5(iParam,jParam,kParam,lParam,mParam)
#endif
#endif

#define DOM(iParam,jParam,kParam) AT(iParam,jParam,kParam)
#define DOM4(iParam,jParam,kParam,lParam) AT4(iParam,jParam,kParam,lParam)
#define DOM5(iParam,jParam,kParam,lParam,mParam) AT5(iParam,jParam,kParam,lParam,mParam)

! ---- another order for arrays that name it with accPP/domPP -------------------------------------
#ifdef GPU
#define AT_TIGHT_STENCIL(iParam,jParam,kParam) IJK3(iParam,jParam,kParam)
#else
#define AT_TIGHT_STENCIL(iParam,jParam,kParam) IKJ3(iParam,jParam,kParam)
#endif
#define DOM_TIGHT_STENCIL(iParam,jParam,kParam) AT_TIGHT_STENCIL(iParam,jParam,kParam)

! ---- regions with template(BOUNDARY) ---------------------------------------------------------------
#define AT_BOUNDARY(iParam,jParam,kParam) AT(iParam,jParam,kParam)
#define AT4_BOUNDARY(iParam,jParam,kParam,lParam) AT4(iParam,jParam,kParam,lParam)

! ---- block sizes on the GPU -----------------------------------------------------------------------
#define CUDA_BLOCKSIZE_X 16
#define CUDA_BLOCKSIZE_Y 16
#define CUDA_BLOCKSIZE_Z 1
#define CUDA_BLOCKSIZE_X_BOUNDARY 128
#define CUDA_BLOCKSIZE_Y_BOUNDARY 1
#define CUDA_BLOCKSIZE_Z_BOUNDARY 1

! ---- where the debug output looks --------------------------------------------------------------------
#define DEBUG_OUT_x 1
#define DEBUG_OUT_y 1
#define DEBUG_OUT_z 1
#define DEBUG_OUT_nz 1
#define DEBUG_OUT_i 1
#define DEBUG_OUT_j 1
#define DEBUG_OUT_vertical 1
#define DEBUG_OUT_verticalPlus 1
#define DEBUG_OUT_KMAX_CONST 1
#define DEBUG_OUT_1 1
#define DEBUG_OUT_2 2
#define DEBUG_OUT_x_2 1
