! A stand-in for the module of NVIDIA's compiler: what generated files take from it, from flang's own definitions.
module cudafor
  use, intrinsic :: __fortran_builtins, only: c_devptr => __builtin_c_devptr, dim3 => __builtin_dim3
  implicit none
  public
  interface
    integer function cudagetlasterror() bind(c, name="cudaGetLastError")
    end function
    ! Known to device code by itself where the compiler has its module cudadevice.
    attributes(device) function atomicadd(address, value) result(before)
      integer(8), device :: address
      integer(8), value :: value
      integer(8) :: before
    end function
  end interface
end module
