module kernel_data_store
  implicit none
  real(8), allocatable :: field(:)
  real(8) :: fixed(4) = [1.d0, 2.d0, 3.d0, 4.d0]
end module kernel_data_store
