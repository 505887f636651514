"""The simulator's kernel: one environment's step as small functions, and the loop over a batch."""
