#ifdef GPU
#define AT(x,y,z) x,y,z
#define AT4(x,y,z,l) x,y,z,l
#define AT_TIGHT(x,y,z) x,y,z
#else
#define AT(x,y,z) z,x,y
#define AT4(x,y,z,l) z,l,x,y
#define AT_TIGHT(x,y,z) x,z,y
#endif
#define DOM(x,y,z) AT(x,y,z)
#define DOM4(x,y,z,l) AT4(x,y,z,l)
#define DOM_TIGHT(x,y,z) AT_TIGHT(x,y,z)
#define CUDA_BLOCKSIZE_X 16
#define CUDA_BLOCKSIZE_Y 8
#define CUDA_BLOCKSIZE_Z 2
#define CUDA_BLOCKSIZE_X_RADIATION 64
#define CUDA_BLOCKSIZE_Y_RADIATION 1
