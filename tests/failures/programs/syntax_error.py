"""A syntax error in an imported text: the frame has no function and is followed by the source and a marker."""

compile("def broken(:\n    pass\n", "plugin.py", "exec")
