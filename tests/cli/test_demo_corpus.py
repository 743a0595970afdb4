from __future__ import annotations

import pytest

from setwise.cli.demo_corpus import COMPANIONS, TOPIC_WORDS, TOPICS, make_corpus
from setwise.exceptions import InvalidParameter


def test_the_same_seed_makes_the_same_documents():
    assert make_corpus(60, seed=3) == make_corpus(60, seed=3)
    assert make_corpus(60, seed=3) != make_corpus(60, seed=4)


def test_documents_have_known_topics_and_some_have_none():
    corpus = make_corpus(500, seed=0)
    assert len(corpus.texts) == len(corpus.labels) == 500
    assert {topic for labels in corpus.labels for topic in labels} == set(TOPICS) == set(COMPANIONS)
    assert [] in corpus.labels
    assert max(map(len, corpus.labels)) >= 3
    assert all(len(set(labels)) == len(labels) for labels in corpus.labels)
    assert all(corpus.texts)


def test_words_of_a_topic_are_more_frequent_where_it_is_a_label():
    corpus = make_corpus(500, seed=0)
    for topic, topic_words in TOPIC_WORDS.items():
        shares: dict[bool, list[float]] = {True: [], False: []}
        for text, labels in zip(corpus.texts, corpus.labels, strict=True):
            words = text.split()
            shares[topic in labels].append(sum(word in topic_words for word in words) / len(words))
        assert sum(shares[True]) / len(shares[True]) > 3 * sum(shares[False]) / len(shares[False])


@pytest.mark.parametrize(("n_documents", "seed", "message"), [(49, 0, "at least 50; got 49"), (50, -1, "got -1")])
def test_bad_parameters_are_refused(n_documents, seed, message):
    with pytest.raises(InvalidParameter, match=message):
        make_corpus(n_documents, seed)
