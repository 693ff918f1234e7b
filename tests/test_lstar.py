"""L* as a whole: every learner learns every machine, asks nothing twice, and stops where it is told to."""

from functools import partial
from itertools import product

import aalpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.counterexample import all_prefixes, rivest_schapire, shahbaz_groz
from mrmlib.lstar import hypotheses, learn
from mrmlib.store import Store
from mrmlib.table import ObservationTable
from mrmlib.teacher import Counting, MachineTeacher
from mrmlib.tree import DiscriminationTree
from tests.minimal_machines import LongWinded, minimal_machine
from tests.random_models import LETTERS, machines, rng

LEARNERS = {
    "all prefixes": partial(ObservationTable, processing=all_prefixes),
    "Rivest & Schapire": partial(ObservationTable, processing=rivest_schapire),
    "Shahbaz & Groz": partial(ObservationTable, processing=shahbaz_groz),
    "tree": DiscriminationTree,
}
every_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)


def same_by_search(one, two):
    """Do two machines pay the same from their start? By walking all pairs of nodes, apart from `difference`."""
    pairs = [(one.initial, two.initial)]
    for u, v in pairs:
        for z in one.observations:
            (after, left), (beyond, right) = one.step(u, z), two.step(v, z)
            if left != right:
                return False
            if (after, beyond) not in pairs:
                pairs.append((after, beyond))
    return True


class Strict(Counting):
    """Fails if a word is asked that an earlier answer holds."""

    def __init__(self, teacher):
        super().__init__(teacher)
        self.known = set()

    def rewards(self, word):
        assert word not in self.known
        self.known.update(word[:i] for i in range(len(word) + 1))
        return super().rewards(word)


def random_case(seed):
    """Sizes from 2 to 60 nodes and 1 to 8 letters in turn, few and many rewards."""
    draw = rng(seed)
    rewards = ((0.0, 1.0), (0.0, 1.0, 2.0), tuple(np.round(draw.normal(size=30), 3).tolist()))[seed % 3]
    return minimal_machine(draw, int(draw.integers(2, 61)), 1 + seed % 8, rewards, null_reward=0.5)


@every_learner
@pytest.mark.parametrize("domain", [mrm.domains.treasure_map(), mrm.domains.cookie()], ids=lambda domain: domain.name)
def test_both_domains_are_learnt(domain, learner):
    for teacher in (MachineTeacher(domain.machine), LongWinded(domain.machine, 0)):
        result = learn(teacher, domain.machine.observations, learner)
        assert result.machine == domain.machine.minimal()
        assert result.machine.equivalent(domain.machine)
        assert result.hypotheses <= domain.facts["nodes"]
        assert result.final


def test_l_star_needs_a_single_hypothesis_on_the_treasure_map():
    machine = mrm.domains.treasure_map().machine
    assert learn(MachineTeacher(machine), machine.observations).equivalence_queries == 1


@every_learner
def test_random_minimal_machines_are_learnt_with_at_most_n_hypotheses_and_no_word_asked_twice(learner, count):
    for seed in range(count(48, 200)):
        machine = random_case(seed)
        for teacher in (MachineTeacher(machine), LongWinded(machine, seed)):
            strict = Strict(teacher)
            result = learn(strict, machine.observations, learner)
            assert result.machine.equivalent(machine)
            assert result.machine == machine
            assert result.hypotheses == result.equivalence_queries <= len(machine.nodes)
            assert (result.membership_queries, result.symbols) == (strict.membership_queries, strict.symbols)
        assert same_by_search(result.machine, machine)


@given(machines(max_nodes=7, max_letters=3), st.sampled_from(list(LEARNERS.values())), st.integers(1, 30))
def test_any_machine_is_learnt_whatever_its_counterexamples(machine, learner, length):
    small = machine.minimal()
    for teacher in (MachineTeacher(machine), LongWinded(machine, 0, length)):
        result = learn(Strict(teacher), machine.observations, learner)
        assert result.machine == small
        assert same_by_search(result.machine, machine)
        assert result.hypotheses <= len(small.nodes)


class AalpyMachine(aalpy.SUL):
    def __init__(self, machine):
        super().__init__()
        self.machine = machine

    def pre(self):
        self.node = self.machine.initial

    def step(self, letter):
        self.node, reward = self.machine.step(self.node, letter)
        return reward

    def post(self):
        pass


def of_aalpy(learnt, letters):
    return mrm.MealyRewardMachine({(state.state_id, z): (state.transitions[z].state_id, state.output_fun[z])
                                   for state in learnt.states for z in letters}, learnt.initial_state.state_id)


class AalpyOracle(aalpy.Oracle):
    def find_cex(self, hypothesis):
        return self.machine.difference(of_aalpy(hypothesis, self.alphabet))


def aalpy_learns(run, machine):
    """The machine that AALpy learns, and how many words and letters reached the system for it."""
    letters, system = list(machine.observations), AalpyMachine(machine)
    oracle = AalpyOracle(letters, system)
    oracle.machine = machine
    learnt = run(letters, system, oracle, automaton_type="mealy", cex_processing="rs", print_level=0)
    return of_aalpy(learnt, letters), np.array([system.num_queries, system.num_steps])


@pytest.mark.parametrize("run", [aalpy.run_Lstar, aalpy.run_KV])
def test_aalpy_learns_the_same_machine(run, count):
    for seed in range(count(6, 40)):
        machine = minimal_machine(rng(seed), 2 + seed, 2 + seed % 4)
        theirs, _ = aalpy_learns(run, machine)
        for learner in LEARNERS.values():
            assert theirs.minimal() == learn(MachineTeacher(machine), machine.observations, learner).machine


@pytest.mark.parametrize(("learner", "run", "worst"), [(LEARNERS["Rivest & Schapire"], aalpy.run_Lstar, 1.05),
                                                       (DiscriminationTree, aalpy.run_KV, 1.10)], ids=["L*", "tree"])
def test_learners_ask_no_more_than_aalpys_in_all_and_hardly_more_on_any_machine(learner, run, worst, count):
    mine, theirs = np.zeros(2), np.zeros(2)
    for seed in range(count(6, 30)):
        machine = minimal_machine(rng(seed), 50, 5, ((0.0, 1.0), (0.0, 1.0, 2.0), tuple(range(10)))[seed % 3])
        result, (_, other) = learn(MachineTeacher(machine), machine.observations, learner), aalpy_learns(run, machine)
        asked = np.array([result.membership_queries, result.symbols])
        assert (asked <= worst * other).all()
        mine, theirs = mine + asked, theirs + other
    assert (mine <= theirs).all()


@every_learner
@pytest.mark.parametrize("domain", [mrm.domains.treasure_map(), mrm.domains.cookie()], ids=lambda domain: domain.name)
def test_an_agent_that_cannot_recognise_null_learns_the_same_with_one_more_letter(domain, learner):
    """Null is a letter that stays and pays c: the machine it learns has no more nodes."""
    letters = domain.labelling.with_null_as_letter().observations
    result = learn(MachineTeacher(domain.machine), letters, learner)
    assert result.machine.observations == (*domain.machine.observations, mrm.NULL)
    assert result.machine == domain.machine.with_null_as_letter().minimal()
    assert len(result.machine.nodes) == len(domain.machine.minimal().nodes)


@every_learner
def test_nothing_changes_where_every_intermediate_state_has_an_observation_of_its_own(learner):
    """Each plain cell of the treasure map shows itself, and the machine ignores it: stays and pays c."""
    domain = mrm.domains.treasure_map()
    plain = [("cell", i) for i in range(20)]
    machine = mrm.MealyRewardMachine(
        {(u, z): domain.machine.step(u, z if z in domain.machine.observations else mrm.NULL)
         for u, z in product(domain.machine.nodes, [*domain.machine.observations, *plain, mrm.NULL])},
        domain.machine.initial, domain.machine.null_reward)
    result = learn(MachineTeacher(machine), machine.observations, learner)
    assert result.machine.equivalent(machine)
    assert len(result.machine.nodes) == 6


@pytest.mark.parametrize("budget", [{"max_queries": 40}, {"max_symbols": 150}])
@every_learner
def test_a_spent_budget_gives_the_best_hypothesis_and_says_that_it_is_not_final(learner, budget):
    machine = minimal_machine(rng(1), 20, 2)
    result = learn(MachineTeacher(machine), machine.observations, learner, **budget)
    assert not result.final
    assert result.reason.startswith("not final: the budget of")
    assert result.membership_queries <= budget.get("max_queries", 1000)
    assert result.symbols <= budget.get("max_symbols", 10000)
    assert result.machine is None or (not result.machine.equivalent(machine) and len(result.machine.nodes) < 20)


def test_a_budget_spent_before_the_first_hypothesis_gives_none():
    machine = minimal_machine(rng(1), 3, 2)
    result = learn(MachineTeacher(machine), machine.observations, max_queries=1)
    assert (result.machine, result.hypotheses, result.final) == (None, 0, False)


@every_learner
def test_a_run_that_was_saved_goes_on_without_repeating_a_query(learner, count):
    for seed in range(count(4, 20)):
        machine = minimal_machine(rng(seed), 15, 3)
        strict, store = Strict(MachineTeacher(machine)), Store(machine.observations)
        for budget in (5, 40, 200):
            partly = learn(strict, machine.observations, learner, store=store, max_queries=budget)
            assert partly.store is store
            store = Store.from_json(store.to_json())
        asked = strict.membership_queries
        result = learn(strict, machine.observations, learner, store=store)
        assert result.final
        assert result.machine == machine
        assert result.membership_queries == strict.membership_queries - asked
        again = learn(strict, machine.observations, learner, store=store)
        assert again.machine == machine
        assert (again.membership_queries, again.equivalence_queries) == (0, 1)


@every_learner
def test_traces_lived_for_other_reasons_answer_queries_and_refute_hypotheses_for_free(learner):
    machine, store = minimal_machine(rng(2), 12, 2), Store(LETTERS[:2])
    alone = learn(MachineTeacher(machine), machine.observations, learner)
    for word in product(machine.observations, repeat=8):
        store.record(word, machine.rewards(word))
    result = learn(Strict(MachineTeacher(machine)), machine.observations, learner, store=store)
    assert result.machine == machine
    assert result.membership_queries < alone.membership_queries / 2
    assert result.equivalence_queries <= alone.equivalence_queries


@every_learner
def test_learners_of_different_kinds_share_a_store(learner):
    machine, store = minimal_machine(rng(4), 12, 3), Store(LETTERS[:3])
    strict = Strict(MachineTeacher(machine))
    for other in (*LEARNERS.values(), learner):
        assert learn(strict, machine.observations, other, store=store).machine == machine


@every_learner
def test_the_same_run_asks_the_same_words_and_query_by_query_too(learner):
    machine = minimal_machine(rng(5), 20, 3)

    class Noting(MachineTeacher):
        def rewards(self, word):
            words.append(word)
            return super().rewards(word)

    runs = []
    for _ in range(2):
        words = []
        learn(Noting(machine), machine.observations, learner)
        runs.append(words)
    words, by_hand = [], learner(machine.observations)
    while True:
        while not by_hand.is_complete:
            words.append(by_hand.next_query())
            by_hand.resolve(words[-1], machine.rewards(words[-1]))
        word = machine.difference(by_hand.hypothesis())
        if word is None:
            break
        if by_hand.store.rewards(word) is None:
            words.append(word)
        by_hand.add_counterexample(word, machine.rewards(word))
    assert runs[0] == runs[1] == words


@every_learner
def test_a_teacher_that_contradicts_itself_or_lies_is_found_out(learner):
    machine = minimal_machine(rng(6), 6, 2)

    class Fickle(MachineTeacher):
        times = 0

        def rewards(self, word):
            self.times += 1
            return tuple(r + (self.times > 8) for r in super().rewards(word))

    class Liar(MachineTeacher):
        def counterexample(self, hypothesis):
            return machine.observations[:1]

    with pytest.raises(mrm.NondeterminismError, match="was paid"):
        learn(Fickle(machine), machine.observations, learner)
    with pytest.raises(mrm.QueryError, match="no counter-example"):
        learn(Liar(machine), machine.observations, learner)


@every_learner
def test_hypotheses_grow_and_the_last_one_is_right(learner):
    machine = minimal_machine(rng(7), 25, 2)
    sizes = [len(H.nodes) for H in hypotheses(MachineTeacher(machine), learner(machine.observations))]
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == 25


def test_the_reward_of_null_is_the_teachers_unless_given():
    machine = mrm.domains.treasure_map(c=-1.0).machine
    teacher = MachineTeacher(machine)
    assert learn(teacher, machine.observations).machine.null_reward == -1.0
    assert learn(teacher, machine.observations, null_reward=2.0).machine.null_reward == 2.0


def test_what_null_pays_is_learnt_on_the_way_by_living():
    """It is not known before the first null, so it is read when a hypothesis is built."""
    world = mrm.domains.treasure_map(c=-3.0)
    experience = mrm.Experience(mrm.Environment(world.mdp, world.labelling, world.machine, seed=0),
                                mrm.QueryPlanner(world.mdp, world.labelling),
                                tester=MachineTeacher(world.machine))
    result = learn(experience, world.labelling.observations, store=experience.store)
    assert result.machine.null_reward == -3.0
    assert result.machine.equivalent(world.machine)


@every_learner
def test_without_letters_there_is_one_node_and_nothing_to_ask(learner):
    empty = learner([])
    assert empty.is_complete
    assert len(empty.hypothesis().nodes) == 1


def test_table_asks_within_the_bound_of_shahbaz_and_groz(count):
    """|I|² n + |I| m n² words at most, m the length of the longest counter-example: the paper's O(|I|² + |I|mn²)."""
    for seed in range(count(10, 60)):
        machine = random_case(seed)
        longest = 0

        class Noting(MachineTeacher):
            def counterexample(self, hypothesis):
                nonlocal longest
                word = super().counterexample(hypothesis)
                longest = max(longest, len(word or ()))
                return word

        result = learn(Noting(machine), machine.observations, processing=shahbaz_groz)
        letters, nodes = len(machine.observations), len(machine.nodes)
        assert result.membership_queries <= letters**2 * nodes + letters + letters * longest * nodes**2


@every_learner
def test_a_learner_says_what_it_knows_and_not_where_it_is_in_memory(learner):
    assert repr(learner("ab")).endswith("(Store(0 words over a, b))")
