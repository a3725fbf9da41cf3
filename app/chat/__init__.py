"""A turn of conversation without a screen: the screen, the pipe and the tests listen to it."""
