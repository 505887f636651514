"""Pure scalar functions over one environment's record: no Gymnasium, no random numbers, no I/O."""
