"""The head of an ARFF file: its relation and its attributes, and which of them are labels.

MEKA says it in the relation's name: ``-C 5`` means that the first five attributes are labels, ``-C -5`` the last five.
Mulan says it in an xml file beside, which names them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from setwise.data.formats.figures import NUMBER
from setwise.data.formats.options import ReadOptions
from setwise.data.formats.problems import Refused, shown
from setwise.data.formats.streams import Lines, Source, decoded, open_source
from setwise.exceptions import InvalidData

__all__ = ["Attribute", "labels_of", "names_files", "quoted", "read_head", "xml_beside", "xml_of"]

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_RELATION = re.compile(r"@relation\b(.*)", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"]\S*)\s*(.*?)\s*", re.IGNORECASE | re.DOTALL)
_DATA = re.compile(r"@data\s*", re.IGNORECASE)
_N_LABELS = re.compile(r"-C\s+(-?[0-9]{1,9})\b")
_NUMERIC = ("numeric", "real", "integer")
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")
_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "'": r"\'", "\\": r"\\"}
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_NAMESPACE = "http://mulan.sourceforge.net/labels"
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PART = re.compile(r"[-_](?:train|test)$")


@dataclass(frozen=True)
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
            text = decoded(line).strip()
            if _DATA.fullmatch(text):
                return relation, attributes
            if not text or text.startswith("%"):
                continue
            if found := _RELATION.fullmatch(text):
                relation = found[1].strip()
            elif found := _ATTRIBUTE.fullmatch(text):
                attributes.append(Attribute(_unquoted(found[1]), _absent_is_zero(found[1], found[2])))
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
    values = [value.strip(" \t'\"").encode() for value in kind[1:-1].split(",")]
    if kind[:1] + kind[-1:] != "{}" or not all(re.fullmatch(NUMBER, value) for value in values):
        raise Refused(f"attribute {shown(name)} must be numeric or list numbers, as {{0,1}} does; got {shown(kind)}.")
    return float(values[0]) == 0


def labels_of(relation: str, attributes: Sequence[Attribute], source: Source, options: ReadOptions) -> list[bool]:
    """Tell of each attribute whether it is a label."""
    if options.label_names is None and (found := _N_LABELS.search(relation)):
        n_labels = int(found[1])
        if not 0 < abs(n_labels) <= len(attributes):
            raise InvalidData(
                f"{source.name} must have as many labels as its relation says, {n_labels}; "
                f"it has {len(attributes)} attributes."
            )
        first, last = (0, n_labels) if n_labels > 0 else (len(attributes) + n_labels, len(attributes))
        return [first <= position < last for position in range(len(attributes))]
    labels = _names_in_xml(_xml_of_labels(source, options))
    if unknown := labels.difference(attribute.name.strip() for attribute in attributes):
        raise InvalidData(f"{source.name} must have an attribute for each label; got none for {shown(min(unknown))}.")
    return [attribute.name.strip() in labels for attribute in attributes]


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
    try:
        with open_source(path) as source:
            labels = {
                (element.get("name") or "").strip()
                for _, element in ElementTree.iterparse(source.file)
                if element.tag.rpartition("}")[2] == "label"
            }
    except (ElementTree.ParseError, ValueError, LookupError, OSError, EOFError) as error:
        if isinstance(error, InvalidData):
            raise
        raise InvalidData(f"{path} must be an xml file of labels; {error}.") from error
    if not labels or "" in labels:
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
