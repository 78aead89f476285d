"""Logical values: their wire forms, their stored forms and their canonical text."""
