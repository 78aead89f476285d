"""Writes: from a request over operations and their effects to one committed transaction."""
