"""Validation in four dimensions: does a memory still hold, and what can be healed?"""
