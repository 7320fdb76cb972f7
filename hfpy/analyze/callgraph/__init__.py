"""Which routine calls which, and where routines lie relative to regions."""
