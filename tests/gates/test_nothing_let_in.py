"""Nothing is let in: no pickle, no code from data, no import that data can name."""

import ast
from pathlib import Path

import pytest

from gates.source import python_files

MODULES = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "code", "codeop"}
BUILTINS = {"eval", "exec", "compile", "__import__"}
DOTTED = {
    *("torch.load", "torch.save", "torch.package", "torch.hub", "torch.jit.load", "yaml.load", "yaml.unsafe_load"),
    *("builtins.eval", "builtins.exec", "os.system", "os.popen"),
}
IMPORTERS = {"import_module", "spec_from_file_location", "spec_from_loader", "run_path", "run_module"}


def let_in(file: Path) -> list[str]:
    """Where a file could let code in."""
    tree = ast.parse(file.read_text())
    return [f"{file.name}:{node.lineno}: {found}" for node in ast.walk(tree) for found in _suspects(node)]


def _suspects(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [name.name for name in node.names if name.name.split(".")[0] in MODULES]
    if isinstance(node, ast.ImportFrom):
        whole = [f"{node.module}.{name.name}" for name in node.names]
        return [name for name in whole if name.split(".")[0] in MODULES or name in DOTTED]
    if isinstance(node, ast.Attribute) and _dotted(node) in DOTTED:
        return [_dotted(node)]
    if isinstance(node, ast.Call):
        return _suspect_call(node)
    return []


def _suspect_call(node: ast.Call) -> list[str]:
    name = _dotted(node.func)
    literal = bool(node.args) and isinstance(node.args[0], ast.Constant)
    wrong = [name] if name in BUILTINS or (name.split(".")[-1] in IMPORTERS and not literal) else []
    flags = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg in ("allow_pickle", "shell")}
    if name in ("np.load", "numpy.load") and "allow_pickle" not in flags:
        wrong.append(f"{name} without allow_pickle=False")
    off = {flag for flag, value in flags.items() if isinstance(value, ast.Constant) and value.value is False}
    return wrong + [f"{name}({flag}=...)" for flag in flags if flag not in off]


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def test_nothing_is_let_in():
    assert [found for file in python_files("src") for found in let_in(file)] == []


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "import pickle as p",
        "from pickle import loads",
        "def f():\n    import cloudpickle",
        "import joblib.numpy_pickle",
        "torch.load(path)",
        "read = torch.load",
        "from torch import load",
        "np.load(path)",
        "numpy.load(path, allow_pickle=True)",
        "eval(text)",
        "exec(text)",
        "compile(text, '', 'exec')",
        "__import__(name)",
        "importlib.import_module(name)",
        "import_module(f'chainrule.{name}')",
        "frombuffer(path, allow_pickle=True)",
        "subprocess.run(line, shell=True)",
        "runpy.run_path(path)",
    ],
)
def test_what_could_let_code_in_is_caught(tmp_path, line):
    file = tmp_path / "planted.py"
    file.write_text(line + "\n")
    assert let_in(file) != []


@pytest.mark.parametrize(
    "line",
    [
        "model.eval()",
        "torch.compile(model)",
        "re.compile('a')",
        "importlib.import_module('numpy')",
        "json.load(file)",
        "np.load(path, mmap_mode='r', allow_pickle=False)",
        "safetensors.torch.load(data)",
        "def f(compile: bool = False): ...",
    ],
)
def test_what_is_harmless_passes(tmp_path, line):
    file = tmp_path / "harmless.py"
    file.write_text(line + "\n")
    assert let_in(file) == []
