"""The page for people: one self-contained HTML file that shows what a database holds (docs/view.md)."""
