"""The embedded models: their catalogue, their installation, and the process that runs them."""
