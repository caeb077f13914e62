"""How sure a memory still is, and what becomes of it when it fades."""
