"""Watch it learn: the panel, and the story of a life that it tells."""
