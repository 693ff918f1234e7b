"""The worlds of the paper, and the means to make your own.

>>> from mrmlib import domains
>>> tuple(domains.registry())[:2]
('cookie', 'treasure_map')
"""

from .cookie import cookie, cookie_machine
from .domain import Domain, make, register, registry
from .grid import Grid, walk
from .treasure_map import treasure_machine, treasure_map

__all__ = ["Domain", "Grid", "cookie", "cookie_machine", "make", "register", "registry", "treasure_machine",
           "treasure_map", "walk"]
