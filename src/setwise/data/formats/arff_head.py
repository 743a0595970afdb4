"""The head of an ARFF file: its relation and its attributes, and which of them are labels.

MEKA says it in the relation's name: ``-C 5`` means that the first five attributes are labels, ``-C -5`` the last five.
Mulan says it in an xml file beside, which names them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from setwise.data.formats.errors import Refused, shown
from setwise.data.formats.names import BLANKS, bare_name
from setwise.data.formats.numbers import NUMBER
from setwise.data.formats.options import ReadOptions
from setwise.data.formats.streams import Lines, Source, decoded, open_source
from setwise.exceptions import InvalidData

__all__ = ["Attribute", "labels_of", "names_files", "quoted", "read_head", "xml_beside", "xml_of"]

# Blanks are ASCII's, as in rows. Nothing is tried twice (`++`), so that a long line is read in time.
_FLAGS = re.IGNORECASE | re.DOTALL | re.ASCII
_QUOTED = r"'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\""
_RELATION = re.compile(r"@relation\b(.*+)", _FLAGS)
_ATTRIBUTE = re.compile(rf"@attribute\s++({_QUOTED}|[^\s{{'\"]\S*+)(.*+)", _FLAGS)
_DATA = re.compile(r"@data", _FLAGS)
_N_LABELS = re.compile(r"-C\s++(-?[0-9]{1,9})\b", re.ASCII)
_NUMBER = NUMBER.decode()
_LISTED = rf"\s*+(?:{_NUMBER}|'{_NUMBER}'|\"{_NUMBER}\")\s*+"
_LIST = re.compile(rf"\{{(?P<first>{_LISTED})(?:,{_LISTED})*+\}}", re.ASCII)
_NUMERIC = ("numeric", "real", "integer")
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")
_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "'": r"\'", "\\": r"\\"}
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_NAMESPACE = "http://mulan.sourceforge.net/labels"
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
LARGEST_XML = 1 << 24
_PART = re.compile(r"[-_](?:train|test)$")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A name, and whether a sparse row that leaves the attribute out means a zero."""

    name: str
    absent_is_zero: bool


def read_head(lines: Lines, source: Source) -> tuple[str, list[Attribute]]:
    """Read up to the line ``@data``, and give the relation and the attributes."""
    relation = ""
    attributes: list[Attribute] = []
    try:
        for line in lines:
            text = decoded(line).strip(BLANKS)
            if _DATA.fullmatch(text):
                return relation, attributes
            if not text or text.startswith("%"):
                lines.skip_empty()
                continue
            if found := _RELATION.fullmatch(text):
                relation = found[1].strip(BLANKS)
            elif found := _ATTRIBUTE.fullmatch(text):
                attributes.append(Attribute(_unquoted(found[1]), _absent_is_zero(found[1], found[2].strip(BLANKS))))
            else:
                raise Refused(f"the head must have lines @relation, @attribute and @data; got {shown(text)}.")
    except Refused as refused:
        raise InvalidData(f"{source.name}, line {lines.number}: {refused.reason}") from None
    if not lines.number:
        raise InvalidData(f"{source.name} must hold at least one document; it is empty.")
    raise InvalidData(f"{source.name} must have a line @data after its head; it ends at line {lines.number}.")


def _absent_is_zero(name: str, kind: str) -> bool:
    if kind.lower() in _NUMERIC:
        return True
    values = _LIST.fullmatch(kind)
    if values is None:
        raise Refused(f"attribute {shown(name)} must be numeric or list numbers, as {{0,1}} does; got {shown(kind)}.")
    return float(values["first"].strip(BLANKS + "'\"")) == 0


def labels_of(relation: str, attributes: Sequence[Attribute], source: Source, options: ReadOptions) -> list[bool]:
    """Tell of each attribute whether it is a label."""
    if options.label_names is None and (found := _N_LABELS.search(relation)):
        n_labels = int(found[1])
        if abs(n_labels) > len(attributes):
            raise InvalidData(
                f"{source.name} must have as many labels as its relation says, {n_labels}; "
                f"it has {len(attributes)} attributes."
            )
        first, last = (0, n_labels) if n_labels > 0 else (len(attributes) + n_labels, len(attributes))
        return [first <= position < last for position in range(len(attributes))]
    labels = _names_in_xml(_xml_of_labels(source, options))
    names = [bare_name(attribute.name) for attribute in attributes]
    if unknown := labels.difference(names):
        raise InvalidData(f"{source.name} must have an attribute for each label; got none for {shown(min(unknown))}.")
    return [name in labels for name in names]


def xml_beside(data: Path) -> Path:
    """Give the xml file that Mulan puts beside the data."""
    return data.with_name(_stem(data) + ".xml")


def names_files(data: Path) -> list[Path]:
    """Return the xml files that may name the labels of ``data``: its own, and one for train and test as Mulan has."""
    own = xml_beside(data)
    return [own, own.with_name(_PART.sub("", _stem(data)) + ".xml")]


def _stem(data: Path) -> str:
    name = data.name[:-3] if data.suffix.lower() == ".gz" else data.name
    return name[: -len(".arff")] if name.lower().endswith(".arff") else name


def _xml_of_labels(source: Source, options: ReadOptions) -> Path:
    if options.label_names is not None:
        return Path(options.label_names)
    if source.path is not None:
        for path in names_files(source.path):
            if path.is_file():
                return path
    raise InvalidData(
        f"{source.name} must say which attributes are labels: by `-C` and their number in its relation, as MEKA does, "
        f"or by an xml file of the same name beside it, as Mulan does; it has neither."
    )


def _names_in_xml(path: Path) -> set[str]:
    """Read the names of the elements `label`, which there are none of where the root is an empty `labels`."""
    elements: list[tuple[str, str]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        elements.append((tag.rpartition("}")[2], bare_name(attributes.get("name", ""))))

    def refuse(*_: object) -> None:
        raise InvalidData(f"{path} must be an xml file of labels without a DOCTYPE.")  # entities fill the memory

    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler, parser.StartDoctypeDeclHandler = start, refuse
    try:
        with open_source(path, binary=True) as source:
            content = source.file.read(LARGEST_XML + 1)
        if len(content) > LARGEST_XML:
            raise InvalidData(f"{path} must have at most {LARGEST_XML:,} bytes.")
        parser.Parse(content, True)
    except InvalidData:
        raise
    except (expat.ExpatError, ValueError, LookupError, OSError, EOFError, zlib.error) as error:
        raise InvalidData(f"{path} must be an xml file of labels; {error}.") from error
    labels = {name for tag, name in elements if tag == "label"}
    if "" in labels or (not labels and elements != [("labels", "")]):
        raise InvalidData(f"{path} must have an element `label` with a name for each label; it has none.")
    return labels


def xml_of(labels: Sequence[str]) -> str:
    """Write the file that names the labels for Mulan."""
    for name in labels:
        if _NOT_XML.search(name):
            raise InvalidData(f"Names of labels must hold no characters that xml cannot; got {shown(name)}.")
    elements = "".join(f"<label name={quoteattr(name)}></label>\n" for name in labels)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{_NAMESPACE}">\n{elements}</labels>\n'


def quoted(name: str) -> str:
    """Write a name so that it is read back as it is."""
    if _PLAIN.fullmatch(name):
        return name
    return "'" + "".join(_ESCAPES.get(character, character) for character in name) + "'"


def _unquoted(name: str) -> str:
    if name[0] not in "'\"":
        return name
    return re.sub(r"\\(.)", lambda found: _UNESCAPED.get(found[1], found[1]), name[1:-1], flags=re.DOTALL)
