"""What statements and calls read, change, allocate and associate."""
