"""What ``hfpy run --profile`` measured: kernels, copies, the share of the machine's bandwidth."""
