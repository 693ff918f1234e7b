"""The worlds of the paper, and the means to make your own.

>>> from mrmlib import domains
>>> tuple(domains.registry())[:3]
('cookie', 'treasure_map', 'assembly')
"""

from .checklist import Checklist, check
from .cookie import cookie, cookie_machine
from .domain import Domain, load, make, read_settings, register, registry
from .grid import Grid, walk
from .treasure_map import treasure_machine, treasure_map

# isort: split
from .assembly import assembly, assembly_machine, hot_sealing  # the paper's own domains come first in the registry

__all__ = ["Checklist", "Domain", "Grid", "assembly", "assembly_machine", "check", "cookie", "cookie_machine",
           "hot_sealing", "load", "make", "read_settings", "register", "registry", "treasure_machine", "treasure_map",
           "walk"]
