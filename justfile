# `just` lists these. Everything runs from the virtual environment that the README's commands make.

bin := ".venv/bin"

# make the virtual environment with everything that development needs
setup:
    python3 -m venv .venv
    {{bin}}/python -m pip install --quiet --editable ".[dev]"

# the checks of each change
check:
    {{bin}}/python scripts/check.py

# what `check` leaves out: real clients, faults, other Pythons, more examples
full:
    {{bin}}/python scripts/check.py --full

# every test, and how much of the package they run
coverage:
    {{bin}}/python scripts/check.py --coverage

# the unit tests alone, without those that take long
quick *arguments:
    {{bin}}/python -m pytest -n 2 -p no:cacheprovider --no-cov -m "not full" tests/unit tests/architecture {{arguments}}

# the tests alone; arguments go to pytest
test *arguments:
    {{bin}}/python -m pytest {{arguments}}

# every property, with 500 examples drawn anew
thorough *arguments:
    HYPOTHESIS_PROFILE=thorough {{bin}}/python -m pytest tests/properties {{arguments}}

# put the code in order
format:
    {{bin}}/ruff check --fix .
    {{bin}}/ruff format .

# write the generated reference anew
docs:
    {{bin}}/python scripts/build_docs.py

# one bench, such as `just bench latency`; data sets are found through RECORTEX_BENCH_DATA
bench name *arguments:
    {{bin}}/python bench/{{name}}.py {{arguments}}
