"""Classes are abstract or final: no class of ours inherits from a concrete class of ours."""

import importlib
import inspect
import pkgutil
from abc import ABC, abstractmethod

import chainrule
from chainrule.training import Hook


def our_classes() -> list[type]:
    """Every class that a module of ours defines."""
    names = [module.name for module in pkgutil.walk_packages(chainrule.__path__, "chainrule.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    found = {kind for module in modules for kind in vars(module).values() if inspect.isclass(kind)}
    return sorted((kind for kind in found if kind.__module__.startswith("chainrule")), key=lambda kind: kind.__name__)


def heirs(classes: list[type]) -> list[str]:
    """Classes whose parent, also one of these, could be built itself. Errors and hooks may: they add no behaviour."""
    wrong = []
    for kind in classes:
        for parent in kind.__bases__:
            concrete = parent in classes and not inspect.isabstract(parent) and parent is not Hook
            if concrete and not issubclass(parent, Exception) and not getattr(parent, "_is_protocol", False):
                wrong.append(f"{kind.__name__} inherits from {parent.__name__}")
    return wrong


def test_classes_are_abstract_or_final():
    assert heirs(our_classes()) == []


def test_an_heir_of_a_concrete_class_is_caught():
    class Animal(ABC):
        @abstractmethod
        def sound(self) -> str: ...

    class Dog(Animal):
        def sound(self) -> str:
            return "woof"

    class Puppy(Dog):
        pass

    assert heirs([Animal, Dog, Puppy]) == ["Puppy inherits from Dog"]
