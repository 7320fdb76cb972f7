      module checks
      implicit none
      contains
c     the same steps for one column
      subroutine column(t, q, g, nz, n)
      integer nz, n, i, k
      double precision t(nz), q(nz), g, flux(100), below, gone,
     &     rate(3)
      data rate /0.5d0, 0.25d0, 0.125d0/
      do 30 i = 1, n
        if (mod(i,2) .eq. 1) then
          below = g
          do 10 k = 1, nz
            flux(k) = (below - t(k))*rate(1 + mod(k,3))
            below = t(k)
 10       continue
          do 20 k = 1, nz
            t(k) = t(k) + 0.5d0*flux(k)
 20       continue
          g = g - flux(1)
          if (g .lt. 0d0) g = 0d0
        else
          do 25 k = 1, nz
            gone = max(0d0, q(k) - 0.01d0*t(k))
            q(k) = q(k) - gone
            t(k) = t(k) + 2.5d0*gone
 25       continue
          g = g + sqrt(q(1)*q(1) + q(nz))
        end if
 30   continue
      end subroutine
      end module
