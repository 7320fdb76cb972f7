"""Pictures and pages about a program: what its analyses found out, for people."""
