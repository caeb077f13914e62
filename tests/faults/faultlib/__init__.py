"""A store that is broken while it works, and what must hold afterwards.

`workbench` makes stores and breaks them through processes that `nursery` forks; `acts` are the writes;
`instruments` stop a process at a statement or fail its writes; `verdict` is the one check after every
fault; each module of `sqlite` holds some classes of faults. Another engine gets a package of its own
beside `sqlite` and a line in `classes`.
"""
