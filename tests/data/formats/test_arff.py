from __future__ import annotations

from pathlib import Path

import pytest

from setwise.data import Names, open_documents
from setwise.exceptions import InvalidData
from tests.data.examples import VECTOR_NAMES, VECTORS, plain, put, read_all, vector, write_all

MEKA = """% a comment
@RELATION 'Toy: -C 2 -split-number 3'

@Attribute news {0,1}
@attribute 'it\\'s "big"' { '0', '1' }
@attribute ball numeric
@attribute "a vote" REAL
@attribute bit {0,1}

@DATA
"""
DENSE = "0,1,0.5,0,1\n% none\n\n'1', 0 ,-2e-1,+3.,'0'\n?,?,0,0,0\n"
SPARSE = "{1 1,2 0.5,4 1}\n{3 3, 0 1 , 2 -.2}\n{0 ?,1 ?}\n"
NAMES = Names(("news", 'it\'s "big"'), ("ball", "a vote", "bit"))
DOCUMENTS = [
    plain(vector({0: 0.5, 2: 1.0}, ('it\'s "big"',))),
    plain(vector({0: -0.2, 1: 3.0}, ("news",))),
    plain(vector({}, None)),
]
MULAN = MEKA.replace("'Toy: -C 2 -split-number 3'", "toy")
XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="it's &quot;big&quot;"><label name="news"></label></label>
</labels>
"""


@pytest.mark.parametrize("rows", [DENSE, SPARSE])
def test_meka(tmp_path: Path, rows: str) -> None:
    with open_documents(put(tmp_path / "toy.arff.gz", MEKA + rows)) as documents:
        assert documents.names == NAMES
        assert [plain(document) for document in documents] == DOCUMENTS


def test_meka_with_the_labels_last(tmp_path: Path) -> None:
    path = put(tmp_path / "toy.arff", MEKA.replace("-C 2", "-C -1") + "{4 1}\n")
    assert read_all(path) == [plain(vector({}, ("bit",)))]


@pytest.mark.parametrize(("data", "xml"), [("toy.arff", "toy.xml"), ("toy-train.arff", "toy.xml")])
@pytest.mark.parametrize("rows", [DENSE, SPARSE])
def test_mulan(tmp_path: Path, data: str, xml: str, rows: str) -> None:
    put(tmp_path / xml, XML)
    with open_documents(put(tmp_path / data, MULAN + rows)) as documents:
        assert documents.names == NAMES
        assert [plain(document) for document in documents] == DOCUMENTS
    assert read_all(tmp_path / data, label_names=tmp_path / xml) == DOCUMENTS


def test_what_is_written_for_meka(tmp_path: Path) -> None:
    write_all(tmp_path / "docs.arff", [*VECTORS, vector({0: 1.0}, None)], VECTOR_NAMES)
    assert (tmp_path / "docs.arff").read_text(encoding="utf-8") == (
        "@relation 'setwise: -C 3'\n\n"
        "@attribute news {0,1}\n@attribute sport {0,1}\n@attribute 'größe in cm' {0,1}\n"
        "@attribute ball numeric\n@attribute 'it\\'s 100 %' numeric\n@attribute 'vote {\\\\}' numeric\n"
        "\n@data\n"
        "{0 1,1 1,3 0.5,5 -0.2}\n{4 1}\n{2 1}\n{1 1,3 1e-30,4 3e+30}\n{0 ?,1 ?,2 ?,3 1}\n"
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0,1,x,0,1", "a row must be finite numbers separated by commas; got '0,1,x,0,1'"),
        ("0,1,nan,0,1", "a row must be finite numbers"),
        ("0,1,,0,1", "a row must be finite numbers"),
        ("0,1,1 2,0,1", "a row must be finite numbers"),
        ("0,1,1'5,0,1", "a row must be finite numbers"),
        ("0,1,1'5',0,1", "a row must be finite numbers"),
        ("0,1,'1,0',1", "a row must be finite numbers"),
        ("0,1,'1\",0,1", "a row must be finite numbers"),
        ("0,1,'',0,1", "a row must be finite numbers"),
        ("0,1,1\xa0,0,1", "a row must be finite numbers"),
        ("{1 1'5}", "a sparse row must be"),
        ("{'1 1'}", "a sparse row must be"),
        ("{1\xa01}", "a sparse row must be"),
        ("0,1,0.5,0", r"a row must have 5 values, one per attribute; got 4\."),
        ("0,2,0.5,0,1", r"labels must be 0 or 1, or all of them `\?`\."),
        ("0,?,0.5,0,1", r"labels must be 0 or 1, or all of them `\?`\."),
        ("0,1,?,0,1", r"the value of a feature must be a finite number; got '\?'\."),
        ("0,1,1e39,0,1", "a value must be at most 3"),
        ("{1 1,2}", "a sparse row must be `{position value, ...}` with finite numbers; got '{1 1,2}'"),
        ("{1 1", "a sparse row must be"),
        ("{1 1},{5}", "a sparse row must be"),
        ("{5 1}", r"positions must lie between 0 and 4; got 5\."),
        ("{%s 1}" % ("9" * 400), r"positions must lie between 0 and 4; got inf\."),
        ("{2 1,2 1}", r"a position must occur once per row; got 2 twice\."),
        ("{0 ?}", r"labels must be 0 or 1, or all of them `\?`\."),
        (b"\xff", "a row must be finite numbers"),
    ],
)
def test_a_bad_row_is_told_and_can_be_skipped(tmp_path: Path, row: str | bytes, message: str) -> None:
    bad = row if isinstance(row, bytes) else row.encode()
    path = put(tmp_path / "toy.arff", (MEKA + "{1 1,2 0.5,4 1}\n").encode() + bad + b"\n{0 1,2 -0.2,3 3}\n")
    with pytest.raises(InvalidData, match=f"toy.arff, line 12: {message}"):
        read_all(path)
    assert read_all(path, on_error="skip") == DOCUMENTS[:2]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@DATA", "@dat", "line 10: the header must consist of @relation, @attribute and @data; got '@dat'"),
        (
            "REAL",
            "string",
            r"line 7: attribute .* must be numeric or a list of numbers such as \{0,1\}; got 'string'\.",
        ),
        (
            "REAL",
            "{a,b}",
            r"line 7: attribute .* must be numeric or a list of numbers such as \{0,1\}; got '\{a,b\}'\.",
        ),
        ("REAL", "", "line 7: attribute .* must be numeric"),
        ("REAL", "{0,1'5}", "line 7: attribute .* must be numeric"),
        ("REAL", "{0',1}", "line 7: attribute .* must be numeric"),
        ("REAL", "{0,1\xa0}", "line 7: attribute .* must be numeric"),
        ("REAL", "REAL\xa0", "line 7: attribute .* must be numeric"),
        ("'Toy: -C 2", "'Toy: -C 9", r"has 5 attributes, but its relation states 9 labels\."),
        ("'Toy: -C 2", "'Toy: -D 2", "does not say which attributes are labels. State their number with `-C`"),
        ("'it\\'s \"big\"'", "news", "must name each label once; got 'news' twice"),
        ("% a comment", "% \udcff", "line 1: text must be UTF-8; got the byte 0xff"),
    ],
)
def test_a_bad_head(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in MEKA
    content = (MEKA + "{0 1}\n").replace(old, new).encode(errors="surrogateescape")
    with pytest.raises(InvalidData, match=message):
        read_all(put(tmp_path / "toy.arff", content))


def test_a_head_without_an_end(tmp_path: Path) -> None:
    head = MEKA.removesuffix("@DATA\n")
    with pytest.raises(InvalidData, match=r"has no line @data after its header; it ends at line 9\."):
        read_all(put(tmp_path / "toy.arff", head))


def test_sparse_rows_ask_for_attributes_that_may_be_left_out(tmp_path: Path) -> None:
    head = MEKA.replace("bit {0,1}", "bit {1,0}")
    assert read_all(put(tmp_path / "toy.arff", head + "1,0,0,0,1\n")) == [plain(vector({2: 1.0}, ("news",)))]
    with pytest.raises(InvalidData, match="line 11: rows must be dense, since 0 is not the first value of 'bit'"):
        read_all(put(tmp_path / "toy.arff", head + "{0 1}\n"))


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<labels>", "is not a valid XML file: no element found"),
        ("", "is not a valid XML file"),
        ('<?xml version="1.0" encoding="none"?><a/>', "is not a valid XML file"),
        ("<names/>", "must have an element `label` with a name for each label"),
        ("<labels><name/></labels>", "must have an element `label` with a name for each label"),
        ("<labels><label/></labels>", "must have an element `label` with a name"),
        ('<labels><label name="z"/></labels>', "has no attribute for the label 'z'"),
    ],
)
def test_a_bad_xml(tmp_path: Path, xml: str, message: str) -> None:
    put(tmp_path / "toy.xml", xml)
    with pytest.raises(InvalidData, match=message):
        read_all(put(tmp_path / "toy.arff", MULAN + SPARSE))


def test_values_in_quotes(tmp_path: Path) -> None:
    rows = "'0',\"1\",'0.5',0,'1'\n{0 '1', 2 \"-.2\",3 3}\n{0 '?',1 \"?\"}\n"
    assert read_all(put(tmp_path / "toy.arff", MEKA + rows)) == DOCUMENTS


@pytest.mark.parametrize("row", ["{0 1}", "1,0"])
def test_names_that_differ_by_a_blank_beyond_ascii(tmp_path: Path, row: str) -> None:
    head = "@relation 'x: -C 2'\n@attribute 1 {0,1}\n@attribute 1\xa0 {0,1}\n@data\n"
    with open_documents(put(tmp_path / "toy.arff", head + row + "\n")) as documents:
        assert documents.names.labels == ("1", "1\xa0")
        assert [document.labels for document in documents] == [("1",)]


def test_no_labels_at_all(tmp_path: Path) -> None:
    content = MEKA.replace("-C 2", "-C 0") + "{2 0.5}\n"
    assert read_all(put(tmp_path / "toy.arff", content)) == [plain(vector({2: 0.5}))]
    put(tmp_path / "toy.xml", "<labels></labels>")
    assert read_all(put(tmp_path / "toy.arff", MULAN + "{2 0.5}\n")) == [plain(vector({2: 0.5}))]


@pytest.mark.parametrize("content", ["", MEKA])
def test_no_documents(tmp_path: Path, content: str) -> None:
    with pytest.raises(InvalidData, match="contains no documents"):
        read_all(put(tmp_path / "toy.arff", content))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (Names(("a",)), "ARFF needs the names of all labels and features before the first document"),
        (Names(("a", "b"), ("b",)), "Names of labels and features must all differ in ARFF; got 'b' twice"),
        (Names(("b",), ("f",)), "Document 1 cannot be written: a label must be among the 1 label names; got 'a'"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, names: Names, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        write_all(tmp_path / "docs.arff", [vector({}, ("a",))], names)
    assert list(tmp_path.iterdir()) == []
