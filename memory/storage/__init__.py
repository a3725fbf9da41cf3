"""The SQLite database: connection, migrations, log, bodies, drafts, leases, checkpoints."""
