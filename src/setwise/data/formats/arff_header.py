"""The header of an ARFF file: its relation, its attributes, and which of them are labels.

In MEKA's form the relation says so: ``-C 5`` means that the first five attributes are labels, ``-C -5`` the last five.
In Mulan's form an XML file next to the data names the labels.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from setwise.data.formats.errors import DocumentError, preview
from setwise.data.formats.names import WHITESPACE, strip_name
from setwise.data.formats.numbers import NUMBER_PATTERN
from setwise.data.formats.options import ReadOptions
from setwise.data.formats.streams import Lines, Source, decode_line, open_source
from setwise.exceptions import InvalidData

__all__ = ["Attribute", "label_mask", "labels_to_xml", "quote_name", "read_header", "xml_candidates", "xml_path"]

# Whitespace is ASCII's, as in rows. The possessive `++` prevents backtracking, so long lines take linear time.
_FLAGS = re.IGNORECASE | re.DOTALL | re.ASCII
_QUOTED = r"'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\""
_RELATION = re.compile(r"@relation\b(.*+)", _FLAGS)
_ATTRIBUTE = re.compile(rf"@attribute\s++({_QUOTED}|[^\s{{'\"]\S*+)(.*+)", _FLAGS)
_DATA = re.compile(r"@data", _FLAGS)
_N_LABELS = re.compile(r"-C\s++(-?[0-9]{1,9})\b", re.ASCII)
_NUMBER = NUMBER_PATTERN.decode()
_LIST_ITEM = rf"\s*+(?:{_NUMBER}|'{_NUMBER}'|\"{_NUMBER}\")\s*+"
_LIST = re.compile(rf"\{{(?P<first>{_LIST_ITEM})(?:,{_LIST_ITEM})*+\}}", re.ASCII)
_NUMERIC = ("numeric", "real", "integer")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "'": r"\'", "\\": r"\\"}
_UNESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_NAMESPACE = "http://mulan.sourceforge.net/labels"
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
MAX_XML_BYTES = 1 << 24
_SPLIT_SUFFIX = re.compile(r"[-_](?:train|test)$")


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: its name, and whether a sparse row that omits it means zero."""

    name: str
    absent_is_zero: bool


def read_header(lines: Lines, source: Source) -> tuple[str, list[Attribute]]:
    """Read up to the line ``@data``; return the relation and the attributes."""
    relation = ""
    attributes: list[Attribute] = []
    try:
        for line in lines:
            text = decode_line(line).strip(WHITESPACE)
            if _DATA.fullmatch(text):
                return relation, attributes
            if not text or text.startswith("%"):
                lines.skip_empty()
                continue
            if match := _RELATION.fullmatch(text):
                relation = match[1].strip(WHITESPACE)
            elif match := _ATTRIBUTE.fullmatch(text):
                absent_is_zero = _absent_is_zero(match[1], match[2].strip(WHITESPACE))
                attributes.append(Attribute(_unquote_name(match[1]), absent_is_zero))
            else:
                raise DocumentError(f"the header must consist of @relation, @attribute and @data; got {preview(text)}.")
    except DocumentError as error:
        raise InvalidData(f"{source.name}, line {lines.number}: {error.reason}") from None
    if not lines.number:
        raise InvalidData(f"{source.name} contains no documents: it is empty.")
    raise InvalidData(f"{source.name} has no line @data after its header; it ends at line {lines.number}.")


def _absent_is_zero(name: str, kind: str) -> bool:
    if kind.lower() in _NUMERIC:
        return True
    values = _LIST.fullmatch(kind)
    if values is None:
        raise DocumentError(
            f"attribute {preview(name)} must be numeric or a list of numbers such as {{0,1}}; got {preview(kind)}."
        )
    return float(values["first"].strip(WHITESPACE + "'\"")) == 0


def label_mask(relation: str, attributes: Sequence[Attribute], source: Source, options: ReadOptions) -> list[bool]:
    """Return for each attribute whether it is a label."""
    if options.label_names is None and (match := _N_LABELS.search(relation)):
        n_labels = int(match[1])
        if abs(n_labels) > len(attributes):
            raise InvalidData(
                f"{source.name} has {len(attributes)} attributes, but its relation states {n_labels} labels."
            )
        first, last = (0, n_labels) if n_labels > 0 else (len(attributes) + n_labels, len(attributes))
        return [first <= position < last for position in range(len(attributes))]
    labels = _read_xml(_find_xml(source, options))
    names = [strip_name(attribute.name) for attribute in attributes]
    if missing := labels.difference(names):
        raise InvalidData(f"{source.name} has no attribute for the label {preview(min(missing))}.")
    return [name in labels for name in names]


def xml_path(data: Path) -> Path:
    """Return the path of the XML file that Mulan puts next to the data."""
    return data.with_name(_stem(data) + ".xml")


def xml_candidates(data: Path) -> list[Path]:
    """Return the XML files that may name the labels: that of ``data``, and one shared by its train and test files."""
    own = xml_path(data)
    return [own, own.with_name(_SPLIT_SUFFIX.sub("", _stem(data)) + ".xml")]


def _stem(data: Path) -> str:
    name = data.name[:-3] if data.suffix.lower() == ".gz" else data.name
    return name[: -len(".arff")] if name.lower().endswith(".arff") else name


def _find_xml(source: Source, options: ReadOptions) -> Path:
    if options.label_names is not None:
        return Path(options.label_names)
    if source.path is not None:
        for path in xml_candidates(source.path):
            if path.is_file():
                return path
    raise InvalidData(
        f"{source.name} does not say which attributes are labels. State their number with `-C` in the relation, as "
        f"MEKA does, or name them in an XML file next to the data, as Mulan does."
    )


def _read_xml(path: Path) -> set[str]:
    """Read the names of the elements `label`; an empty root `labels` means no labels."""
    from xml.parsers import expat  # late: the packages of XML take long to import, and few files need them

    elements: list[tuple[str, str]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        elements.append((tag.rpartition("}")[2], strip_name(attributes.get("name", ""))))

    def refuse_doctype(*_: object) -> None:
        raise InvalidData(f"{path} must not have a DOCTYPE: remove it.")  # its entities could fill the memory

    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler, parser.StartDoctypeDeclHandler = start, refuse_doctype
    try:
        with open_source(path, binary=True) as source:
            content = source.file.read(MAX_XML_BYTES + 1)
        if len(content) > MAX_XML_BYTES:
            raise InvalidData(f"{path} must have at most {MAX_XML_BYTES:,} bytes.")
        parser.Parse(content, True)
    except InvalidData:
        raise
    except (expat.ExpatError, ValueError, LookupError, OSError, EOFError, zlib.error) as error:
        raise InvalidData(f"{path} is not a valid XML file: {error}.") from error
    labels = {name for tag, name in elements if tag == "label"}
    if "" in labels or (not labels and elements != [("labels", "")]):
        raise InvalidData(f"{path} must have an element `label` with a name for each label.")
    return labels


def labels_to_xml(labels: Sequence[str]) -> str:
    """Return the content of the XML file that names the labels for Mulan."""
    for name in labels:
        if _NOT_XML.search(name):
            raise InvalidData(f"Label names must not contain characters that XML does not allow; got {preview(name)}.")
    from xml.sax.saxutils import quoteattr  # late, as above

    elements = "".join(f"<label name={quoteattr(name)}></label>\n" for name in labels)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{_NAMESPACE}">\n{elements}</labels>\n'


def quote_name(name: str) -> str:
    """Return a name as ARFF writes it, quoted where needed."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    return "'" + "".join(_ESCAPES.get(character, character) for character in name) + "'"


def _unquote_name(name: str) -> str:
    if name[0] not in "'\"":
        return name
    return re.sub(r"\\(.)", lambda match: _UNESCAPES.get(match[1], match[1]), name[1:-1], flags=re.DOTALL)
