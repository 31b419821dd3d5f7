import pytest

from chainrule.errors import InputError
from chainrule.report import Figure


@pytest.mark.parametrize(("svg", "html"), [("", ""), ("<svg></svg>", "<p></p>")])
def test_a_figure_has_one_picture(svg: str, html: str):
    with pytest.raises(InputError, match="a figure must have one picture"):
        Figure("title", "caption", svg, html)


def test_a_figure_that_runs_code_is_refused():
    with pytest.raises(InputError, match="a figure must not run or embed anything"):
        Figure("title", "caption", html="<div><script>1</script></div>")
