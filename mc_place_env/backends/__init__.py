"""Who advances the world: the simulator's kernel (inside the batch), or a backend that reports what a server did."""
