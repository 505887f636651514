"""Settings for every test file; what they share is in helpers.py."""

from hypothesis import HealthCheck, settings

# The same examples in every run and every process: a failure can be repeated, and none waits on the clock.
settings.register_profile(
    "suite", derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.load_profile("suite")
