"""The agent's door: the Model Context Protocol on standard input and output."""
