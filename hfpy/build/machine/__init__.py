"""What a machine has, and what it gives at best."""
