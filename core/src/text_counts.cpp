#include "setwise/text_counts.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "setwise/parallel.hpp"

namespace setwise {
namespace {

constexpr std::int64_t kTextsAtATime = 16;

// The first eight bytes, zero behind the end, as a number that sorts as they do. The term must be followed by
// kReadAhead readable bytes.
std::uint64_t big_endian_prefix(std::string_view term) {
    const std::uint64_t word = first_bytes(term.data(), term.size());
    return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

}  // namespace

TermCounts::TermCounts(const TextAnalyzer& analyzer, std::span<const TextView> texts, int n_threads,
                       const std::atomic<bool>& stop)
    : rows_(texts.size()) {
    const std::size_t n_usual = usual_entries(texts, n_threads);
    std::vector<Counted> counted;
    std::mutex lock;
    share_out(n_threads, static_cast<std::int64_t>(texts.size()), kTextsAtATime, [&](Items& items) {
        auto owned = std::make_unique<Part>();
        Part& part = *owned;
        std::size_t number = 0;
        {
            const std::lock_guard locked(lock);
            number = parts_.size();
            parts_.push_back(std::move(owned));
            counted.emplace_back();
        }
        part.entries.reserve(n_usual);
        Counted blocks;
        WordTerms words = analyzer.word_terms();
        CharTerms chars = analyzer.char_terms();
        TermFrequencies found;
        const auto count_all = [&](auto& terms, NgramRange lengths, Block& block, const TextView& text) {
            terms.read(text);
            const auto count = [&](TermTable& table, const TermKey& key) {
                const std::uint32_t id = table.find_or_add(key);
                if (id >= found.size()) found.resize(2 * std::size_t{id} + 4096);
                found.add(id);
            };
            each_term(terms, lengths, block.terms, stop, count, [] {});
            if (block.tallies.size() < block.terms.size()) block.tallies.resize(2 * block.terms.size());
            found.take_all([&](std::uint32_t id, std::uint32_t n) {
                part.entries.push_back({id, n});
                ++block.tallies[id].n_texts;
                block.tallies[id].count += n;
            });
        };
        for (const std::int64_t item : items) {
            if (stop) return;
            const auto i = static_cast<std::size_t>(item);
            const std::size_t begin = part.entries.size();
            if (analyzer.words) count_all(words, *analyzer.words, blocks[0], texts[i]);
            const std::size_t middle = part.entries.size();
            if (analyzer.chars) count_all(chars, *analyzer.chars, blocks[1], texts[i]);
            rows_[i] = {number, begin, middle, part.entries.size()};
        }
        const std::lock_guard locked(lock);
        counted[number] = std::move(blocks);
    });
    if (stop) return;
    share_out(n_threads, kKinds, 1, [&](Items& items) {
        for (const std::int64_t item : items) {
            const auto kind = static_cast<std::size_t>(item);
            const auto fewer = [&](const Counted& a, const Counted& b) {
                return a[kind].terms.size() < b[kind].terms.size();
            };
            const auto most = std::max_element(counted.begin(), counted.end(), fewer) - counted.begin();
            kinds_[kind].all = std::move(counted[static_cast<std::size_t>(most)][kind]);
            for (std::size_t part = 0; part < counted.size(); ++part)
                if (part != static_cast<std::size_t>(most))
                    parts_[part]->merged[kind] = merge(kinds_[kind].all, counted[part][kind]);
        }
    });
}

// Adds the terms of a block to those of another, and returns their numbers there.
RawVector<std::uint32_t> TermCounts::merge(Block& all, const Block& more) {
    RawVector<std::uint32_t> merged(more.terms.size());
    std::vector<std::pair<TermKey, std::uint32_t>> absent;
    std::size_t n_bytes = 0;
    more.terms.each([&](const TermKey& key, std::uint32_t id) {
        merged[id] = all.terms.find(key);
        if (merged[id] != TermTable::kNone) return;
        absent.emplace_back(key, id);
        n_bytes += key.term.size();
    });
    // Room for all comes first: to add terms in the order of their hash, and let the table grow meanwhile, would take
    // many times as long.
    all.terms.reserve(absent.size(), n_bytes);
    for (const auto& [key, id] : absent) merged[id] = all.terms.find_or_add(key);
    all.tallies.resize(all.terms.size());
    for (std::size_t id = 0; id < merged.size(); ++id) {
        all.tallies[merged[id]].n_texts += more.tallies[id].n_texts;
        all.tallies[merged[id]].count += more.tallies[id].count;
    }
    return merged;
}

void TermCounts::select(double low, double high, int n_threads) {
    for (Kind& kind : kinds_) {
        kind.selected.clear();
        for (std::size_t number = 0; number < kind.all.terms.size(); ++number) {
            const auto n_texts = static_cast<double>(kind.all.tallies[number].n_texts);
            if (low <= n_texts && n_texts <= high) kind.selected.push_back(static_cast<std::uint32_t>(number));
        }
        kind.sort_selected(n_threads);
    }
}

// Terms are put into buckets by their first two bytes, and most comparisons within a bucket are decided by the first
// eight, which lie beside the number of the term.
void TermCounts::Kind::sort_selected(int n_threads) {
    constexpr std::size_t kBuckets = 1 << 16;
    constexpr std::int64_t kBucketsAtATime = 64, kTermsAtATime = 1024;
    struct Key {
        std::uint64_t prefix;
        std::uint32_t number;
    };
    RawVector<Key> keys(selected.size()), sorted(selected.size());
    share_out(n_threads, static_cast<std::int64_t>(keys.size()), kTermsAtATime, [&](Items& items) {
        for (const std::int64_t item : items) {
            const auto i = static_cast<std::size_t>(item);
            const std::string_view term = all.terms[selected[i]];
            keys[i] = {big_endian_prefix(term), selected[i]};
        }
    });
    const auto bucket_of = [](const Key& key) { return static_cast<std::size_t>(key.prefix >> 48); };
    std::vector<std::uint32_t> begins(kBuckets + 1);
    for (const Key& key : keys) ++begins[bucket_of(key) + 1];
    for (std::size_t b = 0; b < kBuckets; ++b) begins[b + 1] += begins[b];
    auto next = begins;
    for (const Key& key : keys) sorted[next[bucket_of(key)]++] = key;
    share_out(n_threads, static_cast<std::int64_t>(kBuckets), kBucketsAtATime, [&](Items& items) {
        for (const std::int64_t item : items) {
            const auto bucket = static_cast<std::size_t>(item);
            const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(begins[bucket]);
            const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(begins[bucket + 1]);
            std::sort(first, last, [&](const Key& a, const Key& b) {
                return a.prefix != b.prefix ? a.prefix < b.prefix : all.terms[a.number] < all.terms[b.number];
            });
        }
    });
    for (std::size_t i = 0; i < selected.size(); ++i) selected[i] = sorted[i].number;
}

std::size_t TermCounts::n_entries() const {
    std::size_t n = 0;
    for (const auto& part : parts_) n += part->entries.size();
    return n;
}

std::vector<std::int64_t> TermCounts::of_selected(std::int64_t Tally::* value) const {
    std::vector<std::int64_t> out;
    out.reserve(n_selected());
    for (const Kind& kind : kinds_)
        for (const std::uint32_t number : kind.selected) out.push_back(kind.all.tallies[number].*value);
    return out;
}

std::vector<std::int64_t> TermCounts::document_frequency() const {
    return of_selected(&Tally::n_texts);
}

std::vector<std::int64_t> TermCounts::totals() const {
    return of_selected(&Tally::count);
}

PackedTerms TermCounts::packed(std::span<const std::uint8_t> kept) const {
    if (kept.size() != n_selected()) throw std::invalid_argument("kept must have one flag per selected term");
    PackedTerms out;
    std::size_t place = 0;
    for (const Kind& kind : kinds_)
        for (const std::uint32_t number : kind.selected) {
            if (!kept[place++]) continue;
            const std::string_view term = kind.all.terms[number];
            out.bytes.insert(out.bytes.end(), term.begin(), term.end());
            out.ends.push_back(static_cast<std::int64_t>(out.bytes.size()));
        }
    return out;
}

SparseRows TermCounts::tfidf(std::span<const std::uint8_t> kept, std::span<const float> idf,
                             std::span<const float> frequencies, int n_threads, const std::atomic<bool>& stop) const {
    constexpr std::int32_t kLeftOut = -1;
    if (kept.size() != n_selected()) throw std::invalid_argument("kept must have one flag per selected term");
    std::array<std::vector<std::int32_t>, kKinds> columns;
    std::int32_t n_columns = 0;
    std::size_t n_word_columns = 0, place = 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        columns[kind].assign(kinds_[kind].all.terms.size(), kLeftOut);
        for (const std::uint32_t number : kinds_[kind].selected)
            if (kept[place++]) columns[kind][number] = n_columns++;
        if (kind == 0) n_word_columns = static_cast<std::size_t>(n_columns);
    }
    if (idf.size() != static_cast<std::size_t>(n_columns))
        throw std::invalid_argument("idf must have one value per term");
    const TermWeights weights{idf, frequencies, n_word_columns};

    // The columns of the terms by the numbers that each part has for them.
    std::vector<std::array<std::vector<std::int32_t>, kKinds>> own_columns(parts_.size());
    share_out(n_threads, static_cast<std::int64_t>(parts_.size()), 1, [&](Items& items) {
        for (const std::int64_t item : items)
            for (std::size_t kind = 0; kind < kKinds; ++kind) {
                const auto part = static_cast<std::size_t>(item);
                auto& own = own_columns[part][kind];
                own.reserve(parts_[part]->merged[kind].size());
                for (const std::uint32_t number : parts_[part]->merged[kind]) own.push_back(columns[kind][number]);
            }
    });
    const auto each_entry = [&](const Row& row, auto use) {
        if (row.begin == row.end) return;
        const Part& part = *parts_[row.part];
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            const std::int32_t* const own =
                (part.merged[kind].empty() ? columns[kind] : own_columns[row.part][kind]).data();
            const std::size_t begin = kind == 0 ? row.begin : row.middle, end = kind == 0 ? row.middle : row.end;
            for (std::size_t e = begin; e < end; ++e)
                if (const std::int32_t column = own[part.entries[e].term]; column != kLeftOut)
                    use(column, part.entries[e].count);
        }
    };
    SparseRows out;
    out.indptr.assign(rows_.size() + 1, 0);
    share_out(n_threads, static_cast<std::int64_t>(rows_.size()), kTextsAtATime, [&](Items& items) {
        for (const std::int64_t i : items) {
            std::int64_t n = 0;
            each_entry(rows_[static_cast<std::size_t>(i)], [&](std::int32_t, std::uint32_t) { ++n; });
            out.indptr[static_cast<std::size_t>(i) + 1] = n;
        }
    });
    for (std::size_t i = 0; i < rows_.size(); ++i) out.indptr[i + 1] += out.indptr[i];
    out.indices.resize(static_cast<std::size_t>(out.indptr.back()));
    out.values.resize(out.indices.size());
    share_out(n_threads, static_cast<std::int64_t>(rows_.size()), kTextsAtATime, [&](Items& items) {
        TermFrequencies row;
        row.resize(static_cast<std::size_t>(n_columns));
        for (const std::int64_t i : items) {
            if (stop) return;
            each_entry(rows_[static_cast<std::size_t>(i)], [&](std::int32_t column, std::uint32_t count) {
                row.add(static_cast<std::uint32_t>(column), count);
            });
            const auto begin = static_cast<std::size_t>(out.indptr[static_cast<std::size_t>(i)]);
            std::size_t place = begin;
            row.take_all([&](std::uint32_t column, std::uint32_t count) {
                out.indices[place] = static_cast<std::int32_t>(column);
                out.values[place++] = weights.value(column, count);
            });
            weights.normalize(std::span(out.indices).subspan(begin, place - begin),
                              std::span(out.values).subspan(begin, place - begin));
        }
    });
    return out;
}

}  // namespace setwise
