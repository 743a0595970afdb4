#include "setwise/text_features.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <utility>

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
    RawVector<std::int32_t> indices;
    RawVector<float> values;
};

// Where the rows of kTextsAtATime neighbors are until all are put together: one thread found them, one after another.
struct ChunkPlace {
    const Rows* rows = nullptr;
    std::size_t begin = 0;
};

// `out.indptr` has the length of each row behind its place, and becomes the sum of the lengths before.
void put_together(std::span<const ChunkPlace> places, std::span<const std::unique_ptr<Rows>> parts, int n_threads,
                  SparseRows& out) {
    for (std::size_t i = 1; i < out.indptr.size(); ++i) out.indptr[i] += out.indptr[i - 1];
    if (parts.size() == 1) {  // one thread does the rows in their order
        out.indices = std::move(parts[0]->indices);
        out.values = std::move(parts[0]->values);
        return;
    }
    out.indices.resize(static_cast<std::size_t>(out.indptr.back()));
    out.values.resize(out.indices.size());
    share_out(n_threads, static_cast<std::int64_t>(places.size()), 16, [&](Items& items) {
        for (const std::int64_t chunk : items) {
            const ChunkPlace& place = places[static_cast<std::size_t>(chunk)];
            const std::size_t first = static_cast<std::size_t>(chunk * kTextsAtATime),
                              last = std::min(first + kTextsAtATime, out.indptr.size() - 1);
            const auto to = static_cast<std::size_t>(out.indptr[first]),
                       n = static_cast<std::size_t>(out.indptr[last]) - to;
            if (n == 0) continue;
            std::memcpy(out.indices.data() + to, place.rows->indices.data() + place.begin, n * sizeof(std::int32_t));
            std::memcpy(out.values.data() + to, place.rows->values.data() + place.begin, n * sizeof(float));
        }
    });
}

}  // namespace

std::size_t usual_entries(std::span<const TextView> texts, int n_threads) {
    constexpr std::size_t kCharactersPerEntry = 6;  // of short texts; long ones repeat their words, and need less room
    std::size_t n_characters = 0;
    for (const TextView& text : texts) n_characters += text.length;
    return n_characters / kCharactersPerEntry / static_cast<std::size_t>(n_threads);
}

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
    TextFeatures out;
    out.rows.indptr.assign(texts.size() + 1, 0);
    out.coverage.assign(texts.size(), 0.0);
    std::vector<ChunkPlace> places((texts.size() + kTextsAtATime - 1) / kTextsAtATime);
    std::vector<std::unique_ptr<Rows>> parts;
    std::mutex parts_lock;
    const std::size_t n_usual = usual_entries(texts, n_threads);

    share_out(n_threads, static_cast<std::int64_t>(texts.size()), kTextsAtATime, [&](Items& items) {
        auto owned = std::make_unique<Rows>();
        Rows& rows = *owned;
        {
            const std::lock_guard lock(parts_lock);
            parts.push_back(std::move(owned));
        }
        if (n_threads > 1) {  // the rows of one thread are the result, and to have more room there would waste it
            rows.indices.reserve(n_usual);
            rows.values.reserve(n_usual);
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
            std::size_t n_hits = 0, n_covered = 0, n_shortest = 0, n_char_hits = 0;
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
            n_char_hits = std::exchange(n_hits, 0);
            if (analyzer.words)
                n_shortest =
                    count_all(words, limited(*analyzer.words, vocabulary.longest_words()), vocabulary.words(), 0);
            if (n_shortest > 0) out.coverage[i] = static_cast<double>(n_covered) / static_cast<double>(n_shortest);

            const std::size_t begin = rows.indices.size(), most = n_hits + n_char_hits;
            rows.indices.resize(begin + most);
            rows.values.resize(begin + most);
            std::int32_t* const columns = rows.indices.data() + begin;
            float* const values = rows.values.data() + begin;
            std::size_t n_kept = 0;
            found.take_all([&](std::uint32_t id, std::uint32_t n) {
                if (id == unknown) return;
                columns[n_kept] = static_cast<std::int32_t>(id);
                values[n_kept++] = weights.value(id, n);
            });
            weights.normalize({columns, n_kept}, {values, n_kept});
            rows.indices.resize(begin + n_kept);
            rows.values.resize(begin + n_kept);
            if (i % kTextsAtATime == 0) places[i / kTextsAtATime] = {&rows, begin};
            out.rows.indptr[i + 1] = static_cast<std::int64_t>(n_kept);
        }
    });
    put_together(places, parts, n_threads, out.rows);
    return out;
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
