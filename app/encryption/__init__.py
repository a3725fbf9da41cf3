"""Where the key of an encrypted data directory is had from: the keyring, or who sits there."""
