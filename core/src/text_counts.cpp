#include "setwise/text_counts.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "setwise/parallel.hpp"

namespace setwise {
namespace {

constexpr std::int64_t kTextsAtATime = 16;

}  // namespace

void TermCounts::Block::add(std::uint32_t id, std::int64_t n_texts, std::int64_t count) {
    document_frequency[id] += n_texts;
    totals[id] += count;
}

void TermCounts::Block::resize(std::size_t n_terms) {
    document_frequency.resize(n_terms, 0);
    totals.resize(n_terms, 0);
}

// Most comparisons are decided by the first eight bytes, which lie beside the number of the term.
void TermCounts::Kind::sort_selected() {
    struct Key {
        std::uint64_t prefix;
        std::uint32_t number;
    };
    std::vector<Key> keys;
    keys.reserve(selected.size());
    for (const std::uint32_t number : selected) {
        const std::string_view bytes = term(number);
        std::uint64_t prefix = 0;
        for (std::size_t i = 0; i < 8; ++i)
            prefix = prefix << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
        keys.push_back({prefix, number});
    }
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        return a.prefix != b.prefix ? a.prefix < b.prefix : term(a.number) < term(b.number);
    });
    for (std::size_t i = 0; i < selected.size(); ++i) selected[i] = keys[i].number;
}

std::size_t TermCounts::Kind::end_of_numbers() const {
    std::size_t most = 0;
    for (const Block& shard : shards) most = std::max(most, shard.terms.size());
    return most * shards.size();
}

TermCounts::TermCounts(const TextAnalyzer& analyzer, std::span<const TextView> texts, int n_threads,
                       const std::atomic<bool>& stop)
    : rows_(texts.size()) {
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
            block.resize(block.terms.size());
            found.take_all([&](std::uint32_t id, std::uint32_t n) {
                part.entries.push_back({id, n});
                block.add(id, 1, n);
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
    if (!stop) merge(std::move(counted), n_threads, stop);
}

void TermCounts::merge(std::vector<Counted> counted, int n_threads, const std::atomic<bool>& stop) {
    if (counted.size() == 1) {
        for (std::size_t kind = 0; kind < kKinds; ++kind) kinds_[kind].shards.push_back(std::move(counted[0][kind]));
        return;
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        kinds_[kind].shards.resize(counted.size());
        for (std::size_t part = 0; part < counted.size(); ++part)
            parts_[part]->merged[kind].resize(counted[part][kind].terms.size());
    }
    share_out(n_threads, static_cast<std::int64_t>(kKinds * counted.size()), 1, [&](Items& items) {
        for (const std::int64_t item : items) {
            if (stop) return;
            const auto which = static_cast<std::size_t>(item);
            merge_shard(counted, which / counted.size(), which % counted.size());
        }
    });
}

void TermCounts::merge_shard(std::span<const Counted> counted, std::size_t kind, std::size_t shard) {
    const std::size_t n_shards = counted.size();
    std::size_t n_terms = 0, n_bytes = 0;
    for (const Counted& blocks : counted)
        blocks[kind].terms.each_of_shard(shard, n_shards, [&](const TermKey& key, std::uint32_t) {
            ++n_terms;
            n_bytes += key.term.size();
        });
    // Room for all, as if none was there twice: to add terms in the order of their hash, and let the table grow
    // meanwhile, would take many times as long.
    Block& all = kinds_[kind].shards[shard];
    all.terms.reserve(n_terms, n_bytes);
    all.resize(n_terms);
    if (n_terms * n_shards > TermTable::kNone)
        throw std::length_error("the texts have more terms than can be numbered");
    for (std::size_t part = 0; part < n_shards; ++part) {
        const Block& block = counted[part][kind];
        std::uint32_t* const merged = parts_[part]->merged[kind].data();
        block.terms.each_of_shard(shard, n_shards, [&](const TermKey& key, std::uint32_t id) {
            const std::uint32_t found = all.terms.find_or_add(key);
            all.add(found, block.document_frequency[id], block.totals[id]);
            merged[id] = static_cast<std::uint32_t>(found * n_shards + shard);
        });
    }
    all.resize(all.terms.size());
}

void TermCounts::select(double low, double high) {
    for (Kind& kind : kinds_) {
        kind.selected.clear();
        for (std::size_t shard = 0; shard < kind.shards.size(); ++shard) {
            const auto& document_frequency = kind.shards[shard].document_frequency;
            for (std::size_t id = 0; id < document_frequency.size(); ++id) {
                const auto n_texts = static_cast<double>(document_frequency[id]);
                if (low <= n_texts && n_texts <= high)
                    kind.selected.push_back(static_cast<std::uint32_t>(id * kind.shards.size() + shard));
            }
        }
        kind.sort_selected();
    }
}

std::size_t TermCounts::n_entries() const {
    std::size_t n = 0;
    for (const auto& part : parts_) n += part->entries.size();
    return n;
}

std::vector<std::int64_t> TermCounts::of_selected(std::vector<std::int64_t> Block::* values) const {
    std::vector<std::int64_t> out;
    out.reserve(n_selected());
    for (const Kind& kind : kinds_)
        for (const std::uint32_t number : kind.selected)
            out.push_back((kind.shard_of(number).*values)[kind.id_of(number)]);
    return out;
}

std::vector<std::int64_t> TermCounts::document_frequency() const {
    return of_selected(&Block::document_frequency);
}

std::vector<std::int64_t> TermCounts::totals() const {
    return of_selected(&Block::totals);
}

PackedTerms TermCounts::packed(std::span<const std::uint8_t> kept) const {
    if (kept.size() != n_selected()) throw std::invalid_argument("kept must have one flag per selected term");
    PackedTerms out;
    std::size_t place = 0;
    for (const Kind& kind : kinds_)
        for (const std::uint32_t number : kind.selected) {
            if (!kept[place++]) continue;
            const std::string_view term = kind.term(number);
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
        columns[kind].assign(kinds_[kind].end_of_numbers(), kLeftOut);
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
