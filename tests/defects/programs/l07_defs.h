#define SIZES domSize(nx,ny)
#define DIRECTIONS domName(x,y), SIZES
#define COLUMN(name) real(8), intent(inout) :: name(nz)
#define ADD(a, v) `\
    a(1) = a(1) + v`\
    a##_last = v
