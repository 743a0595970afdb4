#include "setwise/text_terms.hpp"

#include <algorithm>
#include <bit>
#include <random>
#include <stdexcept>

#include "setwise/text_utf8.hpp"

namespace setwise {
namespace {

constexpr std::size_t kFewestSlots = 64;
constexpr std::size_t kMostTerms = (std::size_t{1} << 31) - 2;  // columns are numbered by 32-bit integers

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

HashKeys hash_keys() {
    static const HashKeys keys = [] {
        std::random_device random;
        const auto draw = [&] { return static_cast<std::uint64_t>(random()) << 32 | random(); };
        const std::uint64_t first = draw();
        return HashKeys{first, draw()};
    }();
    return keys;
}

TermTable::TermTable() : bytes_(kReadAhead), keys_(hash_keys()) {
    rehash(kFewestSlots);
}

void TermTable::reserve(std::size_t n_terms, std::size_t n_bytes) {
    const std::size_t end = bounds_.back() + n_bytes + kReadAhead;
    if (bytes_.size() < end) bytes_.resize(end);
    bounds_.reserve(bounds_.size() + n_terms);
    const std::size_t n_slots = std::bit_ceil(std::max(2 * (size() + n_terms), kFewestSlots));
    if (n_slots > slots_.size()) rehash(n_slots);
}

void TermTable::rehash(std::size_t n_slots) {
    std::vector<Slot> old(n_slots);
    old.swap(slots_);
    mask_ = n_slots - 1;
    for (const Slot& slot : old) {
        if (slot.id == kNone) continue;
        std::uint64_t at = slot.hash & mask_;
        while (slots_[at].id != kNone) at = (at + 1) & mask_;
        slots_[at] = slot;
    }
}

std::uint32_t TermTable::add(const TermKey& key, std::uint64_t at) {
    const std::string_view term = key.term;
    if (size() >= kMostTerms) throw std::length_error("the texts have more terms than can be numbered");
    const auto id = static_cast<std::uint32_t>(size());
    slots_[at] = {key.first, key.second, key.hash, id, static_cast<std::uint32_t>(term.size())};
    const std::size_t begin = bounds_.back(), end = begin + term.size();
    if (bytes_.size() < end + kReadAhead) bytes_.resize(2 * (end + kReadAhead));
    if (!term.empty()) std::memcpy(bytes_.data() + begin, term.data(), term.size());
    bounds_.push_back(end);
    if (2 * size() > slots_.size()) rehash(2 * slots_.size());
    return id;
}

Vocabulary::Vocabulary(std::span<const std::uint8_t> bytes, std::span<const std::int64_t> ends, std::size_t n_words) {
    require(n_words <= ends.size(), "a vocabulary cannot have more words than terms");
    require(ends.size() <= kMostTerms, "a vocabulary has more terms than can be numbered");
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
        require(end >= begin, "the ends of the terms must not decrease");
        begin = end;
    }
    require(static_cast<std::size_t>(begin) == bytes.size(), "the last term must end where the bytes end");

    const auto add_new = [](TermTable& table, const TermKey& key) {
        const std::size_t before = table.size();
        table.find_or_add(key);
        require(table.size() > before, "the terms of a vocabulary must all differ; one is there twice");
    };
    std::vector<char> padded(bytes.begin(), bytes.end());
    padded.resize(padded.size() + kReadAhead);
    const char* const data = padded.data();
    const auto add_all = [&](TermTable& table, std::size_t first, std::size_t last, auto look_at) {
        const auto start = static_cast<std::size_t>(first == 0 ? 0 : ends[first - 1]);
        table.reserve(last - first, last == first ? 0 : static_cast<std::size_t>(ends[last - 1]) - start);
        TermBatch batch(table, add_new);
        std::size_t from = start;
        for (std::size_t i = first; i < last; ++i) {
            const std::string_view term(data + from, static_cast<std::size_t>(ends[i]) - from);
            const std::int64_t n_points = count_utf8(term);
            require(n_points >= 0, "the terms of a vocabulary must be UTF-8");
            look_at(term, n_points);
            batch.add(term);
            from = static_cast<std::size_t>(ends[i]);
        }
        batch.flush();
    };
    std::int64_t shortest = 0, longest = 0, longest_chars = 0;
    add_all(words_, 0, n_words, [&](std::string_view term, std::int64_t) {
        const std::int64_t length = std::count(term.begin(), term.end(), ' ') + 1;
        shortest = shortest == 0 ? length : std::min(shortest, length);
        longest = std::max(longest, length);
    });
    add_all(chars_, n_words, ends.size(),
            [&](std::string_view, std::int64_t n_points) { longest_chars = std::max(longest_chars, n_points); });
    constexpr std::int64_t kMost = 0x7FFFFFFF;
    shortest_words_ = static_cast<int>(std::min(shortest, kMost));
    longest_words_ = static_cast<int>(std::min(longest, kMost));
    longest_chars_ = static_cast<int>(std::min(longest_chars, kMost));
}

}  // namespace setwise
