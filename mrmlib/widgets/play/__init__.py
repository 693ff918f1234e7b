"""Play a role: be the agent in a world with a hidden machine, or the teacher of one that only you know."""
