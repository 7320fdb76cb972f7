#define IJK(i,j,k) i,j,k
#define KIJ(i,j,k) k,i,j
#define AT(i,j,k) IJK(i,j,k)
#define DOM(i,j,k) IJK(i,j,k)
#ifndef GPU
#define AT(i,j,k) KIJ(i,j,k)
#define DOM(i,j,k) KIJ(i,j,k)
#endif
#define CUDA_BLOCKSIZE_X 16
#define CUDA_BLOCKSIZE_Y 16
