"""How sure a memory still is, and what becomes of it when it fades (A, crate 7; D, «Decay & Lifecycle»)."""
