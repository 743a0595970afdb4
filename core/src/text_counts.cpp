#include "setwise/text_counts.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "setwise/parallel.hpp"

namespace setwise {
namespace {

constexpr std::int64_t kTextsAtATime = 16;

// Sorts terms by their bytes. Most comparisons are decided by the first eight, which lie beside the number of the term.
void sort_by_bytes(const TermTable& terms, std::vector<std::uint32_t>& ids) {
    struct Key {
        std::uint64_t prefix;
        std::uint32_t id;
    };
    std::vector<Key> keys;
    keys.reserve(ids.size());
    for (const std::uint32_t id : ids) {
        std::uint64_t prefix = 0;
        const std::string_view term = terms[id];
        for (std::size_t i = 0; i < 8; ++i)
            prefix = prefix << 8 | (i < term.size() ? static_cast<unsigned char>(term[i]) : 0u);
        keys.push_back({prefix, id});
    }
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        return a.prefix != b.prefix ? a.prefix < b.prefix : terms[a.id] < terms[b.id];
    });
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = keys[i].id;
}

}  // namespace

void TermCounts::Block::add(std::uint32_t id, std::int64_t n_texts, std::int64_t count) {
    document_frequency[id] += n_texts;
    totals[id] += count;
}

void TermCounts::Block::resize(std::size_t n_terms) {
    document_frequency.resize(n_terms, 0);
    totals.resize(n_terms, 0);
}

TermCounts::TermCounts(const TextAnalyzer& analyzer, std::span<const TextView> texts, int n_threads,
                       const std::atomic<bool>& stop)
    : rows_(texts.size()) {
    std::vector<std::array<Block, kBlocks>> counted;
    std::mutex lock;
    share_out(n_threads, static_cast<std::int64_t>(texts.size()), kTextsAtATime, [&](Items& items) {
        auto owned = std::make_unique<Part>();
        Part& part = *owned;
        std::array<Block, kBlocks> blocks;
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
            rows_[i] = {&part, begin, middle, part.entries.size()};
        }
        const std::lock_guard locked(lock);
        parts_.push_back(std::move(owned));
        counted.push_back(std::move(blocks));
    });
    if (stop || counted.empty()) return;
    blocks_ = std::move(counted.front());
    for (std::size_t number = 1; number < counted.size(); ++number) merge(number, counted[number], stop);
}

void TermCounts::merge(std::size_t number, std::array<Block, kBlocks>& other, const std::atomic<bool>& stop) {
    for (std::size_t b = 0; b < kBlocks; ++b) {
        auto& merged = parts_[number]->merged[b];
        const TermTable& terms = other[b].terms;
        merged.reserve(terms.size());
        const auto add = [&](TermTable& all, const TermKey& key) { merged.push_back(all.find_or_add(key)); };
        TermBatch batch(blocks_[b].terms, add, stop);
        for (std::uint32_t id = 0; id < terms.size(); ++id) batch.add(terms[id]);
        batch.flush();
        blocks_[b].resize(blocks_[b].terms.size());
        for (std::uint32_t id = 0; id < terms.size(); ++id)
            blocks_[b].add(merged[id], other[b].document_frequency[id], other[b].totals[id]);
        other[b] = Block{};
    }
}

void TermCounts::select(double low, double high) {
    for (Block& block : blocks_) {
        block.selected.clear();
        for (std::size_t id = 0; id < block.document_frequency.size(); ++id) {
            const auto n_texts = static_cast<double>(block.document_frequency[id]);
            if (low <= n_texts && n_texts <= high) block.selected.push_back(static_cast<std::uint32_t>(id));
        }
        sort_by_bytes(block.terms, block.selected);
    }
}

std::size_t TermCounts::n_entries() const {
    std::size_t n = 0;
    for (const auto& part : parts_) n += part->entries.size();
    return n;
}

template <class Value>
std::vector<Value> TermCounts::of_selected(std::vector<Value> Block::* values) const {
    std::vector<Value> out;
    out.reserve(n_selected());
    for (const Block& block : blocks_)
        for (const std::uint32_t id : block.selected) out.push_back((block.*values)[id]);
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
    for (const Block& block : blocks_)
        for (const std::uint32_t id : block.selected) {
            if (!kept[place++]) continue;
            const std::string_view term = block.terms[id];
            out.bytes.insert(out.bytes.end(), term.begin(), term.end());
            out.ends.push_back(static_cast<std::int64_t>(out.bytes.size()));
        }
    return out;
}

SparseRows TermCounts::tfidf(std::span<const std::uint8_t> kept, std::span<const float> idf,
                             std::span<const float> frequencies, int n_threads, const std::atomic<bool>& stop) const {
    constexpr std::int32_t kLeftOut = -1;
    if (kept.size() != n_selected()) throw std::invalid_argument("kept must have one flag per selected term");
    std::array<std::vector<std::int32_t>, kBlocks> columns;
    std::int32_t n_columns = 0;
    std::size_t n_word_columns = 0, place = 0;
    for (std::size_t b = 0; b < kBlocks; ++b) {
        columns[b].assign(blocks_[b].terms.size(), kLeftOut);
        for (const std::uint32_t id : blocks_[b].selected)
            if (kept[place++]) columns[b][id] = n_columns++;
        if (b == 0) n_word_columns = static_cast<std::size_t>(n_columns);
    }
    if (idf.size() != static_cast<std::size_t>(n_columns))
        throw std::invalid_argument("idf must have one value per term");
    const TermWeights weights{idf, frequencies, n_word_columns};

    const auto each_entry = [&](const Row& row, auto use) {
        if (!row.part) return;
        for (std::size_t e = row.begin; e < row.end; ++e) {
            const std::size_t b = e < row.middle ? 0 : 1;
            const Entry entry = row.part->entries[e];
            const auto& merged = row.part->merged[b];
            const std::int32_t column = columns[b][merged.empty() ? entry.term : merged[entry.term]];
            if (column != kLeftOut) use(column, entry.count);
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
