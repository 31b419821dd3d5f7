"""Docstrings and files become pages: sections by names that the builder knows, links that lead to pages."""

import griffe

import files
import sections


def test_sections_get_names_that_the_builder_knows():
    text = "What.\n\nArgs:\n    (none).\n\nShape:\n    x: (a).\n\nExample:\n    >>> 1\n    1\n\nDiffers:\n    No.\n"
    expected = "What.\n\n**Shape:**\n\nx: (a).\n\nExamples:\n    >>> 1\n    1\n\n**Differs:**\n\nNo."
    assert sections.readable(text) == expected


def test_a_function_that_shares_its_files_name_is_the_function(tmp_path):
    (tmp_path / "house" / "room").mkdir(parents=True)
    (tmp_path / "house" / "__init__.py").write_text("")
    (tmp_path / "house" / "room" / "__init__.py").write_text('from house.room.fit import fit\n__all__ = ["fit"]\n')
    (tmp_path / "house" / "room" / "fit.py").write_text(
        'def fit():\n    """Fits.\n\n    Example:\n        >>> 1\n    """\n'
    )
    loader = griffe.GriffeLoader(search_paths=[tmp_path], extensions=griffe.load_extensions(sections.Sections))
    found = loader.load("house")["room"]["fit"]
    assert found.is_function
    assert found.docstring.value == "Fits.\n\nExamples:\n    >>> 1"


def test_a_class_keeps_its_own_fields_where_a_function_shares_its_files_name(tmp_path):
    room = tmp_path / "house" / "room"
    room.mkdir(parents=True)
    (tmp_path / "house" / "__init__.py").write_text("")
    (room / "__init__.py").write_text("from house.room.lenet import Lenet, lenet\n__all__ = ['Lenet', 'lenet']\n")
    (room / "recipe.py").write_text("from dataclasses import dataclass\n@dataclass\nclass Recipe:\n    steps: int\n")
    (room / "lenet.py").write_text(
        "from dataclasses import dataclass\nfrom house.room.recipe import Recipe\n"
        "@dataclass\nclass Lenet(Recipe):\n    steps: int = 9\n    shift: int = 1\n"
        "def lenet():\n    return Lenet()\n"
    )
    loader = griffe.GriffeLoader(search_paths=[tmp_path], extensions=griffe.load_extensions(sections.Sections))
    found = loader.load("house")["room"]["Lenet"].parameters
    assert [(each.name, each.default) for each in found] == [("self", None), ("steps", "9"), ("shift", "1")]


def test_links_between_files_become_links_between_pages():
    text = "[a](CHANGELOG.md), [b](https://x.org/LOG.md), [c](#d), [e](gone.md)"
    assert files.relinked(text) == "[a](changes.md), [b](https://x.org/LOG.md), [c](#d), [e](gone.md)"
