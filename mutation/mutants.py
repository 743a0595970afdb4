"""The small errors: every function of a module, with one thing in it changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

__all__ = ["Mutant", "mutants_of"]

OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
"""The operator that each operator is mistaken for."""

UNSEEN_KEYWORDS = ("n_jobs", "strict")
"""Keyword arguments that no result depends on: the number of threads, and that lists of one length have one length."""

LONGEST = 70
"""Characters of code that a description quotes."""


@dataclass(frozen=True)
class Mutant:
    """One function with one small error."""

    function: str
    """Qualified name within the module."""
    number: int
    """Among the mutants of the function."""
    line: int
    lines: range
    """Those of the statement that it is in; of a compound statement, of its head."""
    first_line: int
    """Where the function begins, with its decorators."""
    change: str
    """The code before and after."""
    code: CodeType
    """The function with the error."""


@dataclass(frozen=True)
class _Change:
    """A change of the tree that can be taken back."""

    node: ast.AST
    statement: ast.stmt
    make: Callable[[], None]
    undo: Callable[[], None]
    text: str

    @property
    def lines(self) -> range:
        """The lines that run when the statement does."""
        body = getattr(self.statement, "body", None)
        last = body[0].lineno - 1 if body else self.statement.end_lineno or self.statement.lineno
        return range(self.statement.lineno, max(last, self.statement.lineno) + 1)


def mutants_of(source: str, file: str) -> Iterator[Mutant]:
    """Yield every mutant of the functions and methods of a module."""
    tree = ast.parse(source)
    for name, function in _functions(tree, ""):
        first_line = min([function.lineno, *(one.lineno for one in function.decorator_list)])
        for number, change in enumerate(_changes(function)):
            change.make()
            try:
                code = _code_of(compile(tree, file, "exec"), name, first_line)
            except SyntaxError:  # such as `return` that is now outside of a loop's `else`
                code = None
            change.undo()
            if code is not None:
                line = getattr(change.node, "lineno", change.statement.lineno)
                yield Mutant(name, number, line, change.lines, first_line, change.text, code)


def _functions(parent: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield functions and methods; those within functions are part of these."""
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")


def _code_of(code: CodeType, name: str, first_line: int) -> CodeType | None:
    """Return the code of a function within that of its module."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_qualname == name and constant.co_firstlineno == first_line:
                return constant
            if found := _code_of(constant, name, first_line):
                return found
    return None


def _changes(function: ast.FunctionDef) -> Iterator[_Change]:
    """Yield every change of the body of a function, which is neither its docstring nor the text of an error."""
    has_docstring = ast.get_docstring(function, clean=False) is not None
    for index in range(1 if has_docstring else 0, len(function.body)):
        yield from _changes_in_slot(function.body, index, function.body[index])


def _changes_in_slot(holder: Any, key: Any, statement: ast.stmt) -> Iterator[_Change]:
    """Yield the changes of the node in a slot, an item of a list or a field of a node, and of all nodes below."""
    node = holder[key] if isinstance(holder, list) else getattr(holder, key)
    if not isinstance(node, ast.AST):
        return
    if isinstance(node, ast.stmt):
        statement = node
    for replacement in _replacements(node):
        yield _replaced(holder, key, node, replacement, statement)
    yield from _changes_of_fields(node, statement)
    if isinstance(node, ast.Raise | ast.Assert):
        return
    if isinstance(node, ast.keyword) and node.arg in UNSEEN_KEYWORDS:
        return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "ctx", "type_params"):
            continue
        if isinstance(value, list):
            for index in range(len(value)):
                yield from _changes_in_slot(value, index, statement)
        elif isinstance(value, ast.AST):
            yield from _changes_in_slot(node, field, statement)


def _replaced(holder: Any, key: Any, node: ast.AST, replacement: ast.AST, statement: ast.stmt) -> _Change:
    def put(value: ast.AST) -> Callable[[], None]:
        def place() -> None:
            if isinstance(holder, list):
                holder[key] = value
            else:
                setattr(holder, key, value)

        return place

    ast.copy_location(replacement, node)
    ast.fix_missing_locations(replacement)
    return _Change(node, statement, put(replacement), put(node), f"{_quoted(node)} -> {_quoted(replacement)}")


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in place of a statement or an expression."""
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield operand
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield ast.Return(ast.Constant(None))
        case ast.Raise() | ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def _changes_of_fields(node: ast.AST, statement: ast.stmt) -> Iterator[_Change]:
    """Yield changes of operators, conditions and keyword arguments of a node."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) if type(op) in OPPOSITES:
            yield _with_field(node, statement, "op", OPPOSITES[type(op)]())
        case ast.Compare(ops=ops):
            for index, compared in enumerate(ops):
                others = [*ops[:index], OPPOSITES[type(compared)](), *ops[index + 1 :]]
                yield _with_field(node, statement, "ops", others)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if not isinstance(test, ast.Compare):
            yield _with_field(node, statement, "test", _not(test))
        case ast.comprehension(ifs=ifs) if ifs:
            yield _with_field(node, statement, "ifs", [_not(ifs[0]), *ifs[1:]])
        case ast.Call(keywords=keywords) if keywords:
            for index, left_out in enumerate(keywords):
                if left_out.arg in UNSEEN_KEYWORDS:
                    continue
                change = _with_field(node, statement, "keywords", keywords[:index] + keywords[index + 1 :])
                name = _quoted(node.func)
                yield replace(change, text=f"{name}(...) without {left_out.arg or '**'}={_quoted(left_out.value)}")


def _not(test: ast.expr) -> ast.expr:
    negated = ast.UnaryOp(ast.Not(), test)
    ast.copy_location(negated, test)
    return negated


def _with_field(node: Any, statement: ast.stmt, field: str, value: Any) -> _Change:
    before, old = _quoted(node), getattr(node, field)

    def make() -> None:
        setattr(node, field, value)

    def undo() -> None:
        setattr(node, field, old)

    make()
    after = _quoted(node)
    undo()
    return _Change(node, statement, make, undo, f"{before} -> {after}")


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _quoted(node: ast.AST) -> str:
    """Return the code of a node on one line; of a compound statement, only its head."""
    text = " ".join(ast.unparse(node).split("\n")[0].split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
