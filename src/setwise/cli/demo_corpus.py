"""A made-up corpus of short news: topics that keep company, and words that depend on the topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setwise.exceptions import InvalidParameter

__all__ = ["TOPICS", "DemoCorpus", "make_corpus"]

_WORDS_OF = {
    "arts": "painting museum concert novel theatre actor poem orchestra gallery film director stage",
    "business": "company profit merger shares retailer chief executive factory orders customers brand supplier",
    "climate": "emissions warming drought glacier carbon flood temperature coast storm forecast ocean forest",
    "economy": "inflation interest growth unemployment budget deficit wages exports currency central bank prices",
    "education": "school teacher pupils university exam lessons curriculum classroom degree tuition campus reading",
    "energy": "oil gas pipeline solar turbine reactor grid electricity fuel refinery battery coal",
    "health": "hospital patients vaccine doctor disease clinic treatment nurse symptoms infection surgery diet",
    "law": "court judge trial appeal lawyer verdict prosecutor evidence ruling sentence jury statute",
    "politics": "minister election parliament vote party campaign coalition senator reform debate cabinet opposition",
    "science": "researchers experiment telescope particle genome laboratory theory cells physics discovery species",
    "sport": "match goal coach league season striker championship race medal stadium injury tournament",
    "technology": "software chip network startup device robot algorithm users platform privacy internet server",
}
TOPICS = tuple(_WORDS_OF)
TOPIC_WORDS = {topic: words.split() for topic, words in _WORDS_OF.items()}
ALL_TOPIC_WORDS = [word for words in TOPIC_WORDS.values() for word in words]

COMPANIONS = {
    "arts": ("education", "business"),
    "business": ("economy", "technology"),
    "climate": ("energy", "science", "politics"),
    "economy": ("politics", "business"),
    "education": ("politics", "science"),
    "energy": ("climate", "business"),
    "health": ("science", "politics"),
    "law": ("politics", "business"),
    "politics": ("economy", "law"),
    "science": ("technology", "health"),
    "sport": ("business", "health"),
    "technology": ("business", "science", "law"),
}

_COMMON = (
    "the a of to in and on for with from by at as it that this which who said says told new old first last more most "
    "many some other after before during week month year day time people public city country report plan group place "
    "number part work early late again still also may could would will has had been was were is are not only over"
)
COMMON_WORDS = _COMMON.split()

CHANCE_OF_NO_TOPIC = 0.04
CHANCE_OF_COMPANION = 0.45
MEAN_LENGTH = 40
# Of a document's words: how many tell of its own topics, and how many stray in from any topic. The rest are common.
SHARE_OF_OWN_WORDS = 0.22
SHARE_OF_STRAY_WORDS = 0.10

FEWEST_DOCUMENTS = 50


@dataclass(frozen=True)
class DemoCorpus:
    """Texts and the topics of each."""

    texts: list[str]
    labels: list[list[str]]


def make_corpus(n_documents: int, seed: int) -> DemoCorpus:
    """Make up documents; the same seed gives the same ones."""
    if n_documents < FEWEST_DOCUMENTS:
        raise InvalidParameter(f"documents must be at least {FEWEST_DOCUMENTS}; got {n_documents}.")
    if seed < 0:
        raise InvalidParameter(f"seed must not be negative; got {seed}.")
    rng = np.random.default_rng(seed)
    labels = [_topics(rng) for _ in range(n_documents)]
    return DemoCorpus(texts=[_text(rng, topics) for topics in labels], labels=labels)


def _topics(rng: np.random.Generator) -> list[str]:
    if rng.random() < CHANCE_OF_NO_TOPIC:
        return []
    main = str(rng.choice(TOPICS))
    return [main, *(topic for topic in COMPANIONS[main] if rng.random() < CHANCE_OF_COMPANION)]


def _text(rng: np.random.Generator, topics: list[str]) -> str:
    own = [word for topic in topics for word in TOPIC_WORDS[topic]]
    words = []
    for kind in rng.random(1 + rng.poisson(MEAN_LENGTH)):
        if own and kind < SHARE_OF_OWN_WORDS:
            source = own
        elif kind < SHARE_OF_OWN_WORDS + SHARE_OF_STRAY_WORDS:
            source = ALL_TOPIC_WORDS
        else:
            source = COMMON_WORDS
        words.append(source[rng.integers(len(source))])
    return " ".join(words)
