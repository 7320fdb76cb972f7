C     row 51: fixed form with column-6 continuation and c comments
      SUBROUTINE R51FIX(N, A,
     +                  B)
      INTEGER N, I
      REAL*8 A(N), B(N)
c     a comment with a quote: don't
      DO 10 I = 1, N
         B(I) = A(I) +
     &          2.0D0*I
*        another comment
         IF (B(I) .GT. 5.0D0) B(I) =
     1      B(I) - 1
   10 CONTINUE
      WRITE(*,'(A)') 'it''s a ! string
     & continued'
      END
