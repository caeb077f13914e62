"""`recortex` and `python -m recortex`."""

from __future__ import annotations


def main() -> int:
    """Run the command line and return its exit code."""
    from recortex.cli.main import run

    return run()


if __name__ == "__main__":
    raise SystemExit(main())
