"""Storage order: what the layout asks for, and what keeps the declared order."""
