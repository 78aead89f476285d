"""The query engine: JSON Datalog is parsed, checked, planned, compiled to SQL, run and rendered (docs/queries.md)."""
