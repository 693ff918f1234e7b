"""The names that scripts outside the project call, as `public_names.md` lists them; and each public name, explained."""

import ast
import doctest
import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import mrmlib as mrm

TABLE = (Path(__file__).parent / "public_names.md").read_text()
ROWS = re.findall(r"^\| (`[^|]+`) \|", TABLE, re.MULTILINE)
NAMES = [name for row in ROWS for name in re.findall(r"`([^`]+)`", row)]
CALLS = [name for name in NAMES if "(" in name]
ATTRIBUTES = [name for name in NAMES if "(" not in name and "." in name]


def found(name):
    thing = mrm
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def written(call):
    """`f(a, b=0)` → "f", [("a", None), ("b", the expression 0)]"""
    call = ast.parse(call.replace("=...", "=Ellipsis"), mode="eval").body
    arguments = [*((argument.id, None) for argument in call.args), *((word.arg, word.value) for word in call.keywords)]
    return ast.unparse(call.func), arguments


def test_a_written_signature_is_read():
    name, (first, second, third) = written("a.f(x, y=-1.0, z=...)")
    assert (name, first, second[0], ast.literal_eval(second[1])) == ("a.f", ("x", None), "y", -1.0)
    assert (third[0], third[1].id) == ("z", "Ellipsis")


@pytest.mark.parametrize("call", CALLS)
def test_a_public_name_takes_its_arguments_in_the_fixed_order_with_the_fixed_defaults(call):
    name, arguments = written(call)
    parameters = [parameter for parameter in inspect.signature(found(name)).parameters.values()
                  if parameter.name != "self"]
    given, more = parameters[:len(arguments)], parameters[len(arguments):]
    assert [parameter.name for parameter in given] == [argument for argument, _ in arguments]
    assert all(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in given)
    for parameter, (_, default) in zip(given, arguments, strict=True):
        if isinstance(default, ast.Name) and default.id == "Ellipsis":
            assert parameter.default is not parameter.empty
        elif default is not None:
            assert parameter.default == ast.literal_eval(default)
    assert all(parameter.default is not parameter.empty or parameter.kind is parameter.VAR_KEYWORD
               for parameter in more), "nobody has to give what the table does not list"


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_a_public_attribute_exists(name):
    """In the class, by name or by annotation."""
    owner, _, attribute = name.rpartition(".")
    described = {member for base in found(owner).__mro__ for member in (*vars(base), *inspect.get_annotations(base))}
    assert attribute in described


def test_every_row_of_the_table_is_read():
    assert len(ROWS) == TABLE.count("\n| `") > 50
    assert set(NAMES) - set(CALLS) - set(ATTRIBUTES) == {"NULL"}


def test_null_is_the_string_null():
    assert mrm.NULL == "null"


def public():
    """Whatever `import mrmlib` gives, the packages' `__all__` and the functions of `interop`, each once."""
    modules = list(pkgutil.walk_packages(mrm.__path__, "mrmlib."))
    packages = [import_module(module.name) for module in modules if module.ispkg]
    joints = [import_module(module.name) for module in modules if module.name.startswith("mrmlib.interop.")]
    given = [*vars(mrm).values(), *(getattr(package, name) for package in packages for name in
                                    getattr(package, "__all__", ()))]
    given += [thing for module in joints for name, thing in vars(module).items()
              if inspect.isfunction(thing) and thing.__module__ == module.__name__ and name[0] != "_"]
    return {f"{thing.__module__}.{thing.__qualname__}": thing for thing in given
            if inspect.isclass(thing) or inspect.isfunction(thing)}


PUBLIC = public()


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_a_docstring_with_a_doctest_that_runs(name):
    """A class may have it at one of its methods. The doctests themselves run with the suite: none may be skipped."""
    thing = PUBLIC[name]
    assert thing.__doc__
    examples = [example for test in doctest.DocTestFinder().find(thing, name, globs={}) for example in test.examples]
    assert examples, f"{name} has no doctest"
    assert not any(doctest.SKIP in example.options for example in examples)
