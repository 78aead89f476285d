"""Care of one file: finding damage, repairing what is derived, and winning back space."""
