"""Where arrays are, host or device, and what follows from that."""
