"""OpenCL C: kernels that the device's compiler gets when the program runs."""
