"""Draw your own machine: the panel, the sheet that is edited in it, and what it exports."""
