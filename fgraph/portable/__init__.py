"""Moving facts between files: event streams, snapshots and physical backups."""
