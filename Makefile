# Two commands for a newcomer: `make demo` and `make test`. Both set everything up by themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNS := runs/demo
RAY_VENV := .venv-ray
RAY_BIN := $(RAY_VENV)/bin

.PHONY: demo test test-ray setup lint bench conformance results clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	    --editable '.[train,minecraft,render,blueprints,minari,results,test,dev]'
	$(BIN)/python -m mc_place_env.minecraft.node
	touch $@

demo: setup
	$(BIN)/python train/ppo.py configs/wall.yaml --out $(RUNS)
	rm -rf $(RUNS)/evaluation
	$(BIN)/python train/evaluate.py --policy $(RUNS)/model.zip --policy random --policy scripted \
	    --id McPlace/Wall-v0 --backend simulator --backend minecraft --episodes 200 --live-episodes 64 --num-envs 16 \
	    --out $(RUNS)/evaluation

# The replay page is tested in Chromium if there is one (Debian: apt-get install chromium), else those tests are skipped.
test: setup
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/python -m pytest -n 2 -m "not live"
	$(BIN)/python -m pytest -m live

$(RAY_VENV)/.installed: pyproject.toml constraints-ray.txt
	$(PYTHON) -m venv $(RAY_VENV)
	$(RAY_BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints-ray.txt \
	    --editable '.[train,test,ray,syllabus]'
	touch $@

test-ray: $(RAY_VENV)/.installed
	$(RAY_BIN)/python -m pytest -m ray
	$(RAY_BIN)/python -m pytest -n 2 -m "not live and not ray"

bench: setup
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python benchmarks/throughput.py

conformance: setup
	mkdir -p runs
	$(BIN)/python -m mc_place_env.conformance --scripted 0.25 --json runs/conformance.json --html runs/conformance.html

# Does what is not recorded in results/: all of it takes about an hour and a half on one core; JOBS=2 halves it.
results: setup
	$(BIN)/python train/results.py --jobs $(or $(JOBS),1)

clean:
	rm -rf $(VENV) $(RAY_VENV) runs
