"""What a release consists of agrees: versions, classifiers, wheels, workflows, hooks."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from release.check_tag import main as check_tag
from release.check_tag import stated_versions
from release.install_progress import main as install_with_progress
from release.install_progress import progress_lines
from release.smoke import EXAMPLE
from release.wheels import VERSIONS
from setwise.persistence import FORMAT_VERSION


@pytest.fixture
def project(repository: Path) -> dict[str, Any]:
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_file_names_the_same_version(repository: Path) -> None:
    assert len(set(stated_versions(repository).values())) == 1


class TestTag:
    @pytest.fixture
    def released(self, tmp_path: Path) -> Path:
        (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
        (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.3\n")
        (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## 1.2.3, 2030-01-01\n\n## 1.2.2, 2029-01-01\n")
        return tmp_path

    def test_of_the_version_of_every_file(self, released: Path) -> None:
        check_tag("v1.2.3", released)

    @pytest.mark.parametrize("file", ["pyproject.toml", "CITATION.cff", "CHANGELOG.md"])
    def test_of_another_version_than_a_file(self, released: Path, file: str) -> None:
        path = released / file
        path.write_text(path.read_text().replace("1.2.3", "1.2.4"))
        with pytest.raises(SystemExit, match=rf"^The tag is v1\.2\.3, but {file} names version 1\.2\.4"):
            check_tag("v1.2.3", released)

    def test_of_a_version_without_a_date(self, released: Path) -> None:
        (released / "CHANGELOG.md").write_text("## 1.2.3, not released yet\n")
        with pytest.raises(SystemExit, match="Write the date there"):
            check_tag("v1.2.3", released)


def test_wheels_are_built_for_every_version_that_the_metadata_name(project: dict[str, Any]) -> None:
    named = {one.rpartition(" ")[2] for one in project["project"]["classifiers"] if re.search(r":: 3\.\d+$", one)}
    assert named <= set(VERSIONS)  # a version is named once its wheel was tested
    built = {f"cp{version.replace('.', '')}-*" for version in VERSIONS}
    assert set(project["tool"]["cibuildwheel"]["build"]) == built


def test_the_policy_names_the_format_version_of_model_files(repository: Path) -> None:
    page = (repository / "docs" / "policy.md").read_text(encoding="utf-8")
    assert f"A model file has a format version of its own, `{FORMAT_VERSION}` now" in page


def test_hooks_run_the_tools_of_make_lint(repository: Path) -> None:
    makefile = (repository / "Makefile").read_text(encoding="utf-8").replace("$(PY)", ".venv/bin/python")
    recipe = makefile.replace("$(VENV)", ".venv").partition("\nlint:")[2].partition("\n\n")[0].splitlines()[1:]
    commands = [shlex.split(line.replace("$(PYTHON_CODE)", "").replace("$(CORE_CODE)", "")) for line in recipe]
    hooks = (repository / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = [shlex.split(entry) for entry in re.findall(r"^ +entry: (.*)$", hooks, re.MULTILINE)]
    assert sorted(entries) == sorted(commands)
    assert "repo: http" not in hooks


def test_the_workflow_of_checks_runs_what_must_pass(repository: Path) -> None:
    workflows = repository / ".github" / "workflows"
    assert "run: .ci/run\n" in (workflows / "ci.yml").read_text(encoding="utf-8")
    assert "./.github/workflows/wheels.yml" in (workflows / "release.yml").read_text(encoding="utf-8")


def test_the_readme_has_the_example_that_wheels_are_tested_with(repository: Path) -> None:
    found = EXAMPLE.search((repository / "README.md").read_text(encoding="utf-8"))
    assert found
    assert "SetClassifier()" in found[1]


class TestInstallProgress:
    OUTPUT = ("Looking in indexes\n", *(f"  [{done}/8] Building CXX object x.o\n" for done in range(1, 9)), "done\n")

    def test_a_terminal_shows_every_file(self) -> None:
        shown = list(progress_lines(self.OUTPUT, all_lines=True))
        assert shown == [f"compiled {done} of 8 files" for done in range(1, 9)]

    def test_elsewhere_every_quarter_is_one_line(self) -> None:
        shown = list(progress_lines(self.OUTPUT, all_lines=False))
        assert shown == [f"compiled {done} of 8 files" for done in (2, 4, 6, 8)]

    def test_what_fails_is_shown_in_full(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        script = tmp_path / "pip"
        script.write_text('#!/bin/sh\necho "[1/2] one"\necho "it failed, because"\nexit 3\n')
        script.chmod(0o755)
        assert install_with_progress([str(script)]) == 3
        out, err = capfd.readouterr()
        assert out == "  compiled 1 of 2 files\n"
        assert err == "[1/2] one\nit failed, because\n"
