// Texts at the door: they are read where Python keeps them, without a copy.
#include <nanobind/stl/pair.h>

#include <limits>

#include "arrays.hpp"
#include "parts.hpp"
#include "setwise/parallel.hpp"
#include "setwise/text_counts.hpp"
#include "setwise/text_features.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

constexpr double kOperationsPerCharacter = 10;  // to tell words apart, to hash them and to find them

// Calls use(object) for the objects of a tuple until it returns false; returns whether it never did. Objects lie far
// apart, and to wait for each of them would take longer than to use it: those that follow are fetched meanwhile.
template <class Use>
bool for_all(const nb::tuple& objects, Use use) {
    constexpr Py_ssize_t kAhead = 16;
    const Py_ssize_t n = PyTuple_GET_SIZE(objects.ptr());
    for (Py_ssize_t i = 0; i < n; ++i) {
        if (i + kAhead < n) __builtin_prefetch(PyTuple_GET_ITEM(objects.ptr(), i + kAhead));
        if (!use(nb::handle(PyTuple_GET_ITEM(objects.ptr(), i)))) return false;
    }
    return true;
}

// The strings of a tuple, which stay alive and unchanged while other threads run.
class Texts {
  public:
    explicit Texts(nb::tuple strings) : strings_(std::move(strings)) {
        views_.reserve(strings_.size());
        for_all(strings_, [&](nb::handle text) {
            views_.push_back(view_of(text));
            return true;
        });
    }

    static TextView view_of(nb::handle text) {
        require(PyUnicode_Check(text.ptr()), "texts must be strings");
#if PY_VERSION_HEX < 0x030C0000
        if (PyUnicode_READY(text.ptr()) != 0) throw nb::python_error();
#endif
        return {PyUnicode_DATA(text.ptr()), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.ptr())),
                static_cast<int>(PyUnicode_KIND(text.ptr()))};
    }

    std::span<const TextView> views() const { return views_; }

    double operations() const {
        double n = 0.0;
        for (const TextView& view : views_) n += static_cast<double>(view.length);
        return kOperationsPerCharacter * n;
    }

  private:
    nb::tuple strings_;
    std::vector<TextView> views_;
};

using Lengths = std::optional<std::pair<int, int>>;

std::optional<NgramRange> checked_lengths(const Lengths& lengths) {
    if (!lengths) return std::nullopt;
    require(lengths->first >= 1 && lengths->second >= lengths->first, "lengths of n-grams must rise from 1 or more");
    return NgramRange{lengths->first, lengths->second};
}

TextAnalyzer make_analyzer(const CharacterTable& table, bool unicode_rule, const Lengths& words, const Lengths& chars,
                           const Vocabulary* stop_words) {
    require(words || chars, "there must be a kind of n-grams");
    return {&table, unicode_rule ? TokenRule::kUnicode : TokenRule::kScikitLearn, checked_lengths(words),
            checked_lengths(chars), stop_words ? &stop_words->words() : nullptr};
}

nb::tuple give_rows(SparseRows rows) {
    return nb::make_tuple(give(std::move(rows.indptr)), give(std::move(rows.indices)), give(std::move(rows.values)));
}

// Whether all objects are strings.
bool are_strings(const nb::tuple& objects) {
    return for_all(objects, [](nb::handle one) { return PyUnicode_Check(one.ptr()); });
}

// Whether a text has the character; most texts are too narrow for a character of more than one byte.
bool some_contain(const nb::tuple& strings, std::uint32_t character) {
    return !for_all(strings, [&](nb::handle text) {
        bool found = false;
        with_units(Texts::view_of(text), [&]<class Unit>(const Unit* units, std::size_t n) {
            if (character > std::numeric_limits<Unit>::max()) return;
            // To go to the end of every text takes less time than to look after each character whether to go on.
            const auto same = static_cast<Unit>(character);
            Unit any = 0;
            for (std::size_t i = 0; i < n; ++i) any |= static_cast<Unit>(units[i] == same);
            found = any != 0;
        });
        return !found;
    });
}

TermCounts count_terms(const TextAnalyzer& analyzer, const nb::tuple& strings, int n_threads) {
    const Texts texts(strings);
    return run_interruptibly({texts.operations(), n_threads}, [&](const std::atomic<bool>& stop, int threads) {
        return TermCounts(analyzer, texts.views(), threads, stop);
    });
}

void select(TermCounts& counts, double low, double high, int n_threads) {
    constexpr double kOperationsPerTerm = 50;  // most of them to sort
    const Effort effort{kOperationsPerTerm * times(counts.n_terms()), n_threads};
    nb::gil_scoped_release unlocked;
    counts.select(low, high, effort.useful_threads());
}

nb::tuple tfidf(const TextAnalyzer& analyzer, const Vocabulary& vocabulary, In<float> idf, In<float> frequencies,
                const nb::tuple& strings, int n_threads) {
    const Texts texts(strings);
    auto found = run_interruptibly({texts.operations(), n_threads}, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::tfidf(analyzer, vocabulary, as_span(idf), as_span(frequencies), texts.views(), threads, stop);
    });
    return nb::make_tuple(give_rows(std::move(found.rows)), give(std::move(found.coverage)));
}

nb::tuple counts_tfidf(const TermCounts& counts, In<std::uint8_t> kept, In<float> idf, In<float> frequencies,
                       int n_threads) {
    constexpr double kOperationsPerEntry = 30;
    const double operations = kOperationsPerEntry * times(counts.n_entries());
    return give_rows(run_interruptibly({operations, n_threads}, [&](const std::atomic<bool>& stop, int threads) {
        return counts.tfidf(as_span(kept), as_span(idf), as_span(frequencies), threads, stop);
    }));
}

nb::tuple term_spans(const TextAnalyzer& analyzer, const Vocabulary& vocabulary, const nb::str& text) {
    const TextView view = Texts::view_of(text);
    const double operations = kOperationsPerCharacter * times(view.length);
    const auto spans = run_interruptibly({operations}, [&](const std::atomic<bool>& stop, int) {
        return setwise::term_spans(analyzer, vocabulary, view, stop);
    });
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> begins, ends;
    for (const TermSpan& span : spans) {
        columns.push_back(span.column);
        begins.push_back(span.range.begin);
        ends.push_back(span.range.end);
    }
    return nb::make_tuple(give(std::move(columns)), give(std::move(begins)), give(std::move(ends)));
}

std::pair<std::int64_t, std::int64_t> count_scripts(const CharacterTable& table, const nb::tuple& strings) {
    const Texts texts(strings);
    const auto total = run_interruptibly({texts.operations()}, [&](const std::atomic<bool>& stop, int) {
        ScriptCounts sum;
        for (const TextView& text : texts.views()) {
            if (stop) break;
            const ScriptCounts one = setwise::count_scripts(table, text);
            sum.word += one.word;
            sum.unspaced += one.unspaced;
        }
        return sum;
    });
    return {total.unspaced, total.word};
}

}  // namespace

void bind_text(nb::module_& m) {
    using Flags = In<std::uint8_t>;
    nb::class_<CharacterTable>(m, "CharacterTable")
        .def(
            "__init__",
            [](CharacterTable* table, Flags word, Flags space, Flags mark, Flags unspaced, In<std::int32_t> mapped,
               In<std::uint32_t> expansions, In<std::int64_t> ends, Flags sigma_context) {
                new (table) CharacterTable({as_span(word), as_span(space), as_span(mark), as_span(unspaced)},
                                           as_span(mapped), as_span(expansions), as_span(ends), as_span(sigma_context));
            },
            "word"_a, "space"_a, "mark"_a, "unspaced"_a, "mapped"_a, "expansions"_a, "ends"_a, "sigma_context"_a);
    nb::class_<Vocabulary>(m, "Vocabulary")
        .def(
            "__init__",
            [](Vocabulary* vocabulary, In<std::uint8_t> bytes, In<std::int64_t> ends, std::size_t n_words) {
                new (vocabulary) Vocabulary(as_span(bytes), as_span(ends), n_words);
            },
            "bytes"_a, "ends"_a, "n_words"_a)
        .def_prop_ro("shortest_words", &Vocabulary::shortest_words)
        .def_prop_ro("longest_words", &Vocabulary::longest_words)
        .def_prop_ro("longest_chars", &Vocabulary::longest_chars);
    nb::class_<TextAnalyzer>(m, "TextAnalyzer")
        .def(
            "__init__",
            [](TextAnalyzer* analyzer, const CharacterTable& table, bool unicode_rule, Lengths words, Lengths chars,
               const Vocabulary* stop_words) {
                new (analyzer) TextAnalyzer(make_analyzer(table, unicode_rule, words, chars, stop_words));
            },
            "table"_a, "unicode_rule"_a, "words"_a.none(), "chars"_a.none(), "stop_words"_a.none(),
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 6>());
    nb::class_<TermCounts>(m, "TermCounts")
        .def(
            "__init__",
            [](TermCounts* counts, const TextAnalyzer& analyzer, const nb::tuple& texts, int n_threads) {
                new (counts) TermCounts(count_terms(analyzer, texts, n_threads));
            },
            "analyzer"_a, "texts"_a, "n_threads"_a)
        .def("select", &select, "low"_a, "high"_a, "n_threads"_a)
        .def_prop_ro("n_words", &TermCounts::n_words)
        .def("document_frequency", [](const TermCounts& counts) { return give(counts.document_frequency()); })
        .def("totals", [](const TermCounts& counts) { return give(counts.totals()); })
        .def(
            "packed",
            [](const TermCounts& counts, Flags kept) {
                PackedTerms packed = counts.packed(as_span(kept));
                return nb::make_tuple(give(std::move(packed.bytes)), give(std::move(packed.ends)));
            },
            "kept"_a)
        .def("tfidf", &counts_tfidf, "kept"_a, "idf"_a, "frequencies"_a, "n_threads"_a);
    m.def("tfidf", &tfidf, "analyzer"_a, "vocabulary"_a, "idf"_a, "frequencies"_a, "texts"_a, "n_threads"_a);
    m.def("term_spans", &term_spans, "analyzer"_a, "vocabulary"_a, "text"_a);
    m.def("count_scripts", &count_scripts, "table"_a, "texts"_a);
    m.def("are_strings", &are_strings, "objects"_a);
    m.def("some_contain", &some_contain, "texts"_a, "character"_a);
}

}  // namespace setwise::door
