"""Strata, the program: a chat for the terminal whose memory can be watched."""
