"""Evaluates policies and compares evaluations: `python -m mc_place_env.evaluation`, see --help."""

import sys

from mc_place_env.evaluation.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
