"""The program in a web browser."""
