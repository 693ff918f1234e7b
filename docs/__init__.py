"""The site: what Sphinx has to know (`conf`), and how the project's own files become its pages (`pages`)."""
