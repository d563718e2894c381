def match(command):
    return "branch" in command.script and "fatal: A branch named '" in command.output
