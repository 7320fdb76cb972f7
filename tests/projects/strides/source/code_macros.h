/* Code that is needed several times. A backtick ends a line. */
#define DECLARE_FIELD(NAME, INTENTION) `\
	real, intent(INTENTION) :: NAME (nx,ny,nz)

#define STENCIL_KERNEL(NAME, OFFSET, OPERATION) `\
subroutine NAME (nx, ny, nz, a, b) `\
	implicit none `\
	integer(4), intent(in) :: nx, ny, nz `\
	DECLARE_FIELD(a, in) `\
	DECLARE_FIELD(b, out) `\
	integer(4) :: k `\
	@domainDependant{attribute(autoDom, present)} `\
	a, b `\
	@end domainDependant `\
	@parallelRegion{domName(i,j), domSize(nx,ny), startAt(1 + OFFSET,1 + OFFSET), endAt(nx - OFFSET,ny - OFFSET)} `\
	do k = 1, nz `\
		b(i,j,k) = a(i,j,k) OPERATION (a(i - OFFSET,j,k) + a(i + OFFSET,j,k) + a(i,j - OFFSET,k) + a(i,j + OFFSET,k)) / 4.0 `\
	end do `\
	@end parallelRegion `\
end subroutine

#define GLUE(a,b) a##b
#define FOR_BLOCKS(nbx, nby) do jb = 0, nby - 1 `\
	do ib = 0, nbx - 1
#define END_FOR_BLOCKS end do `\
	end do
#define MESSAGE(text) write(6,*) #text
