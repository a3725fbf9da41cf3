"""What could answer on this machine, and how a model that is missing is fetched beside the chat."""
