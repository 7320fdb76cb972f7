! orders of storage: blanks and tabs as they grew over the years
   #define   NX   11
	#	define NY 6
#  define NZ 4   /* levels */

#include "settings/orders.h"

  # ifndef GPU
#define ORDER KIJ
   # else
 #define ORDER IJK
# endif

#define AT( a , b , c )   ORDERED(3)( a , b , c )
#define AT4(a,b,c,d)	ORDERED(4)(a,b,c,d)
#define DOM(a,b,c) \
        AT(a,b,c)
#define DOM4(a,b,c,d) AT4( a,b , c,d )

! the same order for arrays that are listed as (z,x,y)
#ifndef GPU
#define AT_ZXY(k,i,j) k,i,j
#else
#define AT_ZXY(k,i,j)  i , j , k
#endif
#define DOM_ZXY( k , i , j ) AT_ZXY(k,i,j)
#define AT_WALL(i,j,k) AT(i,j,k)

#define CUDA_BLOCKSIZE_X	32
#define CUDA_BLOCKSIZE_Y 4
   #define CUDA_BLOCKSIZE_Z 1
#define CUDA_BLOCKSIZE_X_WALL 64
#define CUDA_BLOCKSIZE_Y_WALL 1
