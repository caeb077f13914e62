"""Decision records of a project: files in which it wrote down what was decided, and why."""

from recortex.plugins import Capability

CAPABILITY = Capability(importers={"adr": "recortex.decisions.importing:DecisionImport"})
