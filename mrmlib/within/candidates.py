"""All machines with n nodes (paper, the bound of §5.1) as one propositional formula, for searches that must be exact.
Nodes are k, letters z.

`moves[k][z][i]` says that δu(k, z) = i, `pays(z, r)[k]` that δr(k, z) = r. A *trail* is a list of variables, one for
each node: the k-th says that node k is where some word leads. A search adds trails and the steps between them, and asks
the solver for a machine.
"""

from collections.abc import Iterable
from itertools import combinations
from threading import Event, Thread

from pysat.solvers import Glucose4

Found = tuple[list[list[int]], list[list[float | None]]]
"""A machine from the solver: δu and δr by position; None where any reward would do."""


class Candidates:
    """The machines with n nodes over some letters, narrowed down by what is added.

    >>> two = Candidates(nodes=2, letters=1)
    >>> start, later = two.trail(), two.trail()
    >>> two.add([start[0]])
    >>> two.step(start, 0, later); two.pay(start, 0, 1.0); two.pay(later, 0, 5.0)
    >>> two.find()[1]
    [[1.0], [5.0]]
    """

    def __init__(self, nodes: int, letters: int) -> None:
        self._solver = Glucose4()
        self._top = 0
        self.nodes, self.letters = nodes, letters
        self._pays: dict[tuple[int, float], list[int]] = {}
        self.moves = [[self.one_of(self.trail()) for _ in range(letters)] for _ in range(nodes)]

    def variable(self) -> int:
        """A new variable."""
        self._top += 1
        return self._top

    def trail(self) -> list[int]:
        """A new variable for each node."""
        return [self.variable() for _ in range(self.nodes)]

    def add(self, clause: Iterable[int]) -> None:
        """Demand that one of these literals holds."""
        self._solver.add_clause(list(clause))

    def one_of(self, literals: list[int]) -> list[int]:
        """The literals, of which exactly one is demanded to hold."""
        self.add(literals)
        for one, other in combinations(literals, 2):
            self.add([-one, -other])
        return literals

    def pays(self, z: int, reward: float) -> list[int]:
        """For each node k, the variable that says δr(k, z) = r; at most one r for each z."""
        if (z, reward) not in self._pays:
            trail = self.trail()
            for (letter, _), other in self._pays.items():
                if letter == z:
                    for k in range(self.nodes):
                        self.add([-trail[k], -other[k]])
            self._pays[z, reward] = trail
        return self._pays[z, reward]

    def step(self, here: list[int], z: int, there: list[int]) -> None:
        """Letter z leads from one trail to another."""
        for k, row in enumerate(self.moves):
            for i, move in enumerate(row[z]):
                self.add([-here[k], -move, there[i]])

    def pay(self, here: list[int], z: int, reward: float) -> None:
        """Letter z pays this much on a trail."""
        for k, pays in enumerate(self.pays(z, reward)):
            self.add([-here[k], pays])

    def find(self, assumptions: Iterable[int] = (), budget: int | None = None,
             seconds: float | None = None) -> Found | None:
        """A machine that meets all demands, or None if there is none.

        `TimeoutError` after `budget` conflicts or so many seconds. An interrupt is answered at once, and leaves the
        search as it was.
        """
        self._solver.conf_budget(-1 if budget is None else max(budget, 1))  # the solver takes 0 for no limit at all
        found = self._solve(list(assumptions), seconds)
        if found is None:
            raise TimeoutError(f"no answer within {budget} conflicts and {seconds} seconds")
        return self._read() if found else None

    def _solve(self, assumptions: list[int], seconds: float | None) -> bool | None:
        """Is there a machine? The solver works in a thread, since who waits for one can be interrupted."""
        answer: list[bool | None] = []
        done = Event()  # to wait for a thread itself is not safe to interrupt

        def work() -> None:
            try:
                answer.append(self._solver.solve_limited(assumptions, expect_interrupt=True))
            finally:
                done.set()

        Thread(target=work).start()
        try:
            done.wait(seconds)
        finally:
            if not done.is_set():
                self._solver.interrupt()
                done.wait()
                self._solver.clear_interrupt()
        return answer[0]

    def holds(self, variable: int) -> bool:
        """Does a variable hold in the machine just found?"""
        return self._model[variable - 1] > 0

    def _read(self) -> Found:
        self._model = self._solver.get_model()
        targets = [[next(i for i, move in enumerate(cell) if self.holds(move)) for cell in row] for row in self.moves]
        rewards: list[list[float | None]] = [[None] * self.letters for _ in range(self.nodes)]
        for (z, reward), trail in self._pays.items():
            for k, variable in enumerate(trail):
                if self.holds(variable):
                    rewards[k][z] = reward
        return targets, rewards
