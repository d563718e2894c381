def match(command):
    return "permission denied" in command.output.lower() and "try again" in command.output
