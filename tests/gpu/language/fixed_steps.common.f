C     regions in fixed form: shared labels, values before and behind, long directives, a called function
      module fixed_steps
      implicit none
      real*8 diffusion_of_the_water(5), scale_factor
      contains
      real*8 function curve(x)
      real*8, intent(in) :: x
      curve = x*x + diffusion_of_the_water(3)
     1     * scale_factor
      end function

      subroutine step(n, m, a, b, total, most, last)
      integer n, m, i, j, k
      real*8 a(n,m), b(n,m), t, total, most, w(3), last, start
      logical mask(n)
      start = 0.25d0
      do i = 1, n
        mask(i) = mod(i,2).eq.0
      end do
!@parallelRegion{reduction(+:total, max:most)}
      do 10 j = 2, m-1
        do 10 i = 2, n-1
        t = b(i+1,j) - 2.0d0*b(i,j)
     &      + b(i-1,j) + curve(b(i,j+1))
        if (mask(i)) then
          t = t + start
        end if
        do 5 k = 1, 3
          w(k) = t*k
    5   continue
        do k = 2, 3
          w(k) = w(k) + w(k-1)
        end do
        a(i,j) = a(i,j) + 0.1d0*t + w(3)
        total = total + a(i,j)
        most = max(most, a(i,j))
        last = t
   10 continue
      write(*,'(6es14.6)') a(2,2), last
      b(:,1) = a(:,2)
!@parallelRegion
      do i = 1, n
        b(i,2) = b(i,1) + a(i,2)
        if (i.gt.3) b(i,3) = b(i,2) + diffusion_of_the_water(m)
      end do
      end subroutine
      end module
C     no module, no implicit none: jumps, an array that has a value before
      subroutine fixed_jumps(n, m, a, last)
      integer n, m, i, j
      real*8 a(n,m), w(2), last, v
      w(1) = 3
!@parallelRegion
      do 10 j = 1, m
        do 10 i = 1, n
          if (i.gt.4) goto 5
          v = a(i,j) + w(1)
          go to 6
    5     v = 11
    6     a(i,j) = v
          last = a(i,j)*2
   10 continue
!@parallelRegion
      do 20 j = 1, m
        a(1,j) = a(2,j) + w(1) + last
   20 continue
      end subroutine
