#include "setwise/text_features.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "setwise/parallel.hpp"

namespace setwise {
namespace {

constexpr std::int64_t kTextsAtATime = 16;

void scale_to_unit_length(std::span<float> values) {
    double squares = 0.0;
    for (const float value : values) squares += value * value;
    if (squares == 0.0) return;
    const double norm = std::sqrt(squares);
    for (float& value : values) value = static_cast<float>(value / norm);
}

// The lengths to analyze: those of `wanted`, up to the longest that the vocabulary has.
NgramRange limited(NgramRange wanted, int longest) {
    return {wanted.shortest, std::max(wanted.shortest, std::min(wanted.longest, longest))};
}

// Rows as one thread found them.
struct Rows {
    std::vector<std::int32_t> indices;
    std::vector<float> values;
};

// Where a row is until all are put together.
struct RowPlace {
    const Rows* rows;
    std::size_t begin, length;
};

SparseRows put_together(const std::vector<RowPlace>& places, std::span<const std::unique_ptr<Rows>> parts,
                        int n_threads) {
    SparseRows out;
    out.indptr.assign(places.size() + 1, 0);
    for (std::size_t i = 0; i < places.size(); ++i)
        out.indptr[i + 1] = out.indptr[i] + static_cast<std::int64_t>(places[i].length);
    if (parts.size() == 1) {  // one thread does the rows in their order
        out.indices = std::move(parts[0]->indices);
        out.values = std::move(parts[0]->values);
        return out;
    }
    out.indices.resize(static_cast<std::size_t>(out.indptr.back()));
    out.values.resize(out.indices.size());
    share_out(n_threads, static_cast<std::int64_t>(places.size()), 16 * kTextsAtATime, [&](Items& items) {
        for (const std::int64_t i : items) {
            const RowPlace& place = places[static_cast<std::size_t>(i)];
            if (place.length == 0) continue;
            std::memcpy(&out.indices[out.indptr[i]], &place.rows->indices[place.begin], place.length * 4);
            std::memcpy(&out.values[out.indptr[i]], &place.rows->values[place.begin], place.length * 4);
        }
    });
    return out;
}

}  // namespace

float TermWeights::unlisted(std::uint32_t count) {
    return 1.0f + static_cast<float>(std::log(static_cast<double>(count)));
}

void TermWeights::normalize(std::span<const std::int32_t> columns, std::span<float> values) const {
    const auto first_char = std::lower_bound(columns.begin(), columns.end(), n_words, [](std::int32_t column, auto n) {
        return static_cast<std::size_t>(column) < n;
    });
    const auto n_first = static_cast<std::size_t>(first_char - columns.begin());
    if (n_first > 0 && n_first < values.size()) {
        scale_to_unit_length(values.first(n_first));
        scale_to_unit_length(values.subspan(n_first));
    }
    scale_to_unit_length(values);
}

TextFeatures tfidf(const TextAnalyzer& analyzer, const Vocabulary& vocabulary, std::span<const float> idf,
                   std::span<const float> frequencies, std::span<const TextView> texts, int n_threads,
                   const std::atomic<bool>& stop) {
    if (idf.size() != vocabulary.size()) throw std::invalid_argument("idf must have one value per term");
    const std::size_t n_words = vocabulary.words().size();
    const TermWeights weights{idf, frequencies, n_words};
    std::vector<RowPlace> places(texts.size(), RowPlace{});
    std::vector<double> coverage(texts.size(), 0.0);
    std::vector<std::unique_ptr<Rows>> parts;
    std::mutex parts_lock;

    share_out(n_threads, static_cast<std::int64_t>(texts.size()), kTextsAtATime, [&](Items& items) {
        auto owned = std::make_unique<Rows>();
        Rows& rows = *owned;
        {
            const std::lock_guard lock(parts_lock);
            parts.push_back(std::move(owned));
        }
        WordTerms words = analyzer.word_terms();
        CharTerms chars = analyzer.char_terms();
        // Unknown terms are counted too, behind the others: to tell them apart by a branch takes longer.
        const std::size_t unknown = vocabulary.size();
        TermFrequencies found;
        found.resize(unknown + 1);
        for (const std::int64_t item : items) {
            if (stop) return;
            const auto i = static_cast<std::size_t>(item);
            std::size_t n_hits = 0, n_covered = 0, n_shortest = 0;
            const auto count_all = [&](auto& terms, NgramRange lengths, const TermTable& table, std::size_t offset) {
                terms.read(texts[i]);
                const auto count = [&](const TermTable& known, const TermKey& key) {
                    const std::uint32_t id = known.find(key);
                    const bool is_known = id != TermTable::kNone;
                    found.add(static_cast<std::uint32_t>(is_known ? id + offset : unknown));
                    n_hits += is_known;
                };
                return each_term(terms, lengths, table, stop, count, [&] { n_covered = n_hits; });
            };
            // Of two kinds of terms, the words are those that coverage is about.
            if (analyzer.chars)
                n_shortest =
                    count_all(chars, limited(*analyzer.chars, vocabulary.longest_chars()), vocabulary.chars(), n_words);
            n_hits = 0;
            if (analyzer.words)
                n_shortest =
                    count_all(words, limited(*analyzer.words, vocabulary.longest_words()), vocabulary.words(), 0);
            if (n_shortest > 0) coverage[i] = static_cast<double>(n_covered) / static_cast<double>(n_shortest);

            const std::size_t begin = rows.indices.size();
            found.take_all([&](std::uint32_t id, std::uint32_t n) {
                if (id == unknown) return;
                rows.indices.push_back(static_cast<std::int32_t>(id));
                rows.values.push_back(weights.value(id, n));
            });
            weights.normalize(std::span(rows.indices).subspan(begin), std::span(rows.values).subspan(begin));
            places[i] = {&rows, begin, rows.indices.size() - begin};
        }
    });
    return {put_together(places, parts, n_threads), std::move(coverage)};
}

std::vector<TermSpan> term_spans(const TextAnalyzer& analyzer, const Vocabulary& vocabulary, const TextView& text,
                                 const std::atomic<bool>& stop) {
    std::vector<TermSpan> spans;
    const auto add_all = [&](auto terms, NgramRange lengths, const TermTable& table, std::size_t offset) {
        terms.read(text);
        const auto add = [&](std::string_view term, TermPlace place) {
            if (stop.load(std::memory_order_relaxed)) throw Stopped{};
            const std::uint32_t id = table.find(table.key(term));
            if (id != TermTable::kNone) spans.push_back({static_cast<std::int32_t>(offset + id), terms.range(place)});
        };
        terms.each_shortest(lengths, add);
        terms.each_longer(lengths, add);
    };
    if (analyzer.words)
        add_all(analyzer.word_terms(true), limited(*analyzer.words, vocabulary.longest_words()), vocabulary.words(), 0);
    if (analyzer.chars)
        add_all(analyzer.char_terms(true), limited(*analyzer.chars, vocabulary.longest_chars()), vocabulary.chars(),
                vocabulary.words().size());
    const auto key = [](const TermSpan& one) { return std::tuple(one.range.begin, one.range.end, one.column); };
    std::sort(spans.begin(), spans.end(), [&](const TermSpan& a, const TermSpan& b) { return key(a) < key(b); });
    return spans;
}

}  // namespace setwise
