"""How a program behaves on many processes of a machine, predicted by a model (distributed.md §4)."""
