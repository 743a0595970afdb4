from __future__ import annotations

import pytest

from setwise import exceptions


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (exceptions.InvalidParameter, ValueError),
        (exceptions.InvalidData, ValueError),
        (exceptions.Incompatible, TypeError),
    ],
)
def test_errors_can_be_caught_as_ours_and_as_pythons_own(error: type[Exception], builtin: type[Exception]) -> None:
    for parent in (exceptions.SetwiseError, builtin):
        with pytest.raises(parent, match=r"^it must hold\.$"):
            raise error("it must hold.")


def test_not_converged_is_a_warning_and_no_error() -> None:
    assert issubclass(exceptions.NotConverged, UserWarning)
    assert not issubclass(exceptions.NotConverged, exceptions.SetwiseError)
