"""The core: the next prompt as a column of rock, oldest at the bottom, free space as sky."""
