// Terms (words and n-grams) by number: a hash table over the bytes of all terms, one after another.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace setwise {

// The seed is drawn once per process: nobody can prepare a text whose terms all collide. No result depends on it.
std::uint64_t hash_seed();

inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_term(std::string_view term, std::uint64_t seed) {
    constexpr std::uint64_t kStep = 0xD6E8FEB86659FD93u, kEnd = 0xA0761D6478BD642Fu;
    const auto load = [](const char* from, auto value) -> std::uint64_t {
        std::memcpy(&value, from, sizeof value);
        return value;
    };
    const char* p = term.data();
    const std::size_t n = term.size();
    std::uint64_t state = seed, tail = 0;
    if (n >= 8) {
        const char* const last = p + n - 8;
        for (; p < last; p += 8) state = folded_product(state ^ load(p, std::uint64_t{}), kStep);
        tail = load(last, std::uint64_t{});  // may overlap what was read, which does no harm
    } else if (n >= 4) {
        tail = load(p, std::uint32_t{}) << 32 | load(p + n - 4, std::uint32_t{});
    } else if (n > 0) {
        tail = load(p, std::uint8_t{}) << 16 | load(p + n / 2, std::uint8_t{}) << 8 | load(p + n - 1, std::uint8_t{});
    }
    return folded_product(state ^ tail, kEnd ^ n);
}

class TermTable {
  public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

    TermTable();

    std::size_t size() const { return bounds_.size() - 1; }
    std::string_view operator[](std::uint32_t id) const {
        return {bytes_.data() + bounds_[id], bounds_[id + 1] - bounds_[id]};
    }
    std::uint64_t hash(std::string_view term) const { return hash_term(term, seed_); }
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    std::uint32_t find(std::string_view term, std::uint64_t hash) const {
        for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            if (slot.id == kNone || is_same(slot, term, hash)) return slot.id;
        }
    }

    std::uint32_t find_or_add(std::string_view term, std::uint64_t hash) {
        for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            if (slot.id == kNone) return add(term, hash, at);
            if (is_same(slot, term, hash)) return slot.id;
        }
    }

    void reserve(std::size_t n_terms, std::size_t n_bytes);

    // Calls `use(id, hash)` for each term, in no particular order.
    template <class Use>
    void each(Use use) const {
        for (const Slot& slot : slots_)
            if (slot.id != kNone) use(slot.id, slot.hash);
    }

  private:
    struct Slot {
        std::uint64_t hash;
        std::uint32_t id = kNone;
        std::uint32_t size;
    };

    bool is_same(const Slot& slot, std::string_view term, std::uint64_t hash) const {
        return slot.hash == hash && slot.size == static_cast<std::uint32_t>(term.size()) && (*this)[slot.id] == term;
    }
    std::uint32_t add(std::string_view term, std::uint64_t hash, std::uint64_t at);
    void rehash(std::size_t n_slots);

    std::vector<char> bytes_;
    std::vector<std::size_t> bounds_{0};
    std::vector<Slot> slots_;  // a power of two, at most half of them in use
    std::uint64_t mask_, seed_;
};

// Terms on their way to a table. Several are looked up together, so that their places in memory arrive together.
template <class Table, class Use>
class TermBatch {
  public:
    TermBatch(Table& table, Use use) : table_(table), use_(use) {}

    void add(std::string_view term) {
        const std::uint64_t hash = table_.hash(term);
        table_.prefetch(hash);
        waiting_[n_++] = {term, hash};
        if (n_ == waiting_.size()) flush();
    }

    void flush() {
        for (std::size_t i = 0; i < n_; ++i) use_(table_, waiting_[i].term, waiting_[i].hash);
        n_ = 0;
    }

  private:
    struct Waiting {
        std::string_view term;
        std::uint64_t hash;
    };

    Table& table_;
    Use use_;
    std::array<Waiting, 32> waiting_;
    std::size_t n_ = 0;
};

// The terms that are columns: words and word n-grams first, then character n-grams.
class Vocabulary {
  public:
    // Checks everything: ends must not fall and must span the bytes, terms must be UTF-8 (single surrogates are
    // permitted, as Python's texts may have them) and differ from the others of their kind.
    Vocabulary(std::span<const std::uint8_t> bytes, std::span<const std::int64_t> ends, std::size_t n_words);

    const TermTable& words() const { return words_; }
    const TermTable& chars() const { return chars_; }
    std::size_t size() const { return words_.size() + chars_.size(); }

    // Lengths in words of the word n-grams, and in characters of the character n-grams; 0 where there are none.
    int shortest_words() const { return shortest_words_; }
    int longest_words() const { return longest_words_; }
    int longest_chars() const { return longest_chars_; }

  private:
    TermTable words_, chars_;
    int shortest_words_ = 0, longest_words_ = 0, longest_chars_ = 0;
};

}  // namespace setwise
