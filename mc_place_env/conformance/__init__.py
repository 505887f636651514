"""The rules beside a server: scripted and random placements on both, and a table of where they agree.

`python -m mc_place_env.conformance --help`. Parts: `trials` (what is played), `pair` (playing it on both sides),
`shrink` (the smallest scenario of a disagreement), `report` (table, JSON, HTML).
"""
