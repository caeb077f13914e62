"""Checks: functions that confirm or reject what a rule matched; the rules name them `module.function`."""
