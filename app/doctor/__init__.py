"""What `strata doctor` looks at: one module a group of checks. Nothing here changes anything."""
