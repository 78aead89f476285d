"""Plain reads at a basis: entities, timelines, receipts, figures, and how facts are shown."""
