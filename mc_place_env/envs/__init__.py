"""The environments: choreography only. Rules, rewards and observations live in `rules` and `simulation`."""
