"""The screens. What stands at the top of a module here is loaded before the first paint."""
