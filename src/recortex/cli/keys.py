"""One key of a person at a terminal."""

from __future__ import annotations

import sys

_INTERRUPT, _END = "\x03", ("", "\x04")


def key() -> str:
    """The key that is pressed, in lower case, without waiting for a line; empty at the end of input.

    Where the system has no such terminals it is the first letter of a line.

    Raises:
        KeyboardInterrupt: it is Ctrl-C.
    """
    pressed = _pressed()
    if pressed == _INTERRUPT:
        raise KeyboardInterrupt
    return "" if pressed in _END else pressed.lower()


def _pressed() -> str:
    try:
        import termios
        import tty
    except ImportError:  # Windows
        line = sys.stdin.readline()
        return line.strip()[:1] or "\n" if line else ""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        return sys.stdin.read(1)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
