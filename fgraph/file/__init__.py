"""The SQLite file: its layout, how it is opened, its identities, and the scopes in which it is read and written."""
