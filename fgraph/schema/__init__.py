"""What the file says about its attributes: declarations, shapes, the schema snapshot and manifests."""
