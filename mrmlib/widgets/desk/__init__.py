"""The experiment desk: the panel, the plan of an experiment, and the process that lives its trials."""
