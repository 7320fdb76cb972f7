! The vertical is contiguous on the CPU, the first horizontal direction on the GPU.
#ifdef GPU
#define DOM(i,j,k) i,j,k
#define AT(i,j,k) i,j,k
#else
#define DOM(i,j,k) k,i,j
#define AT(i,j,k) k,i,j
#endif
#define CUDA_BLOCKSIZE_X 32
#define CUDA_BLOCKSIZE_Y 4
#define CUDA_BLOCKSIZE_Z 1
