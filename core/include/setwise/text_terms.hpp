// Terms (words and n-grams) by number: a hash table over the bytes of all terms, one after another.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace setwise {

// After every term this many bytes can be read: short terms are hashed and compared without a loop over their bytes.
constexpr std::size_t kReadAhead = 16;

// The keys are drawn once per process: nobody can prepare a text whose terms all collide. No result depends on them.
struct HashKeys {
    std::uint64_t first, second;
};
HashKeys hash_keys();

inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// The first n bytes, at most eight, as a number.
inline std::uint64_t first_bytes(const char* from, std::size_t n) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    const std::uint64_t unused = n >= 8 ? 0 : 8 * (8 - n);
    if (n == 0) return 0;
    return std::endian::native == std::endian::little ? word << unused >> unused : word >> unused << unused;
}

// A term with what a table needs to find it. Up to 16 bytes, `first` and `second` are the term itself.
struct TermKey {
    std::string_view term;
    std::uint64_t first, second, hash;

    static constexpr std::size_t kShort = 16;
    bool is_short() const { return term.size() <= kShort; }
};

class TermTable {
  public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

    TermTable();

    std::size_t size() const { return bounds_.size() - 1; }
    std::string_view operator[](std::uint32_t id) const {
        return {bytes_.data() + bounds_[id], bounds_[id + 1] - bounds_[id]};
    }

    // The term must be followed by kReadAhead readable bytes.
    TermKey key(std::string_view term) const {
        const char* p = term.data();
        std::size_t n = term.size();
        std::uint64_t state = keys_.first ^ n;
        for (; n > 16; p += 16, n -= 16)
            state = folded_product(first_bytes(p, 8) ^ state, first_bytes(p + 8, 8) ^ keys_.second);
        const std::uint64_t first = first_bytes(p, n), second = first_bytes(p + 8, n > 8 ? n - 8 : 0);
        return {term, first, second, folded_product(first ^ state, second ^ keys_.second)};
    }

    void prefetch(const TermKey& key) const { __builtin_prefetch(&slots_[key.hash & mask_]); }

    std::uint32_t find(const TermKey& key) const {
        for (std::uint64_t at = key.hash & mask_;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            if (is_same(slot, key) || slot.id == kNone) return slot.id;
        }
    }
    bool contains(std::string_view term) const { return find(key(term)) != kNone; }

    std::uint32_t find_or_add(const TermKey& key) {
        for (std::uint64_t at = key.hash & mask_;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            if (is_same(slot, key)) return slot.id;
            if (slot.id == kNone) return add(key, at);
        }
    }

    // Makes room for so many terms and bytes more.
    void reserve(std::size_t n_terms, std::size_t n_bytes);

    // Calls use(key, id) for all terms, in the order of their slots: a table that is as large has them about there too.
    template <class Use>
    void each(Use use) const {
        for (const Slot& slot : slots_) {
            if (slot.id == kNone) continue;
            // The bytes of a short term are read from its slot: to go to their own place for each takes much longer.
            const bool is_short = slot.size <= TermKey::kShort;
            const auto term =
                is_short ? std::string_view(reinterpret_cast<const char*>(&slot), slot.size) : (*this)[slot.id];
            use(TermKey{term, slot.first, slot.second, slot.hash}, slot.id);
        }
    }

  private:
    // Two fit in a line of the cache, and a short term is compared without leaving it.
    struct alignas(32) Slot {
        std::uint64_t first, second;  // at the beginning, where `each` reads the bytes of short terms
        std::uint64_t hash;
        std::uint32_t id = kNone;
        std::uint32_t size = 0;
    };

    bool is_same(const Slot& slot, const TermKey& key) const {
        const std::uint64_t differ = (slot.hash ^ key.hash) | (slot.first ^ key.first) | (slot.second ^ key.second) |
                                     (slot.size ^ key.term.size());
        if (differ != 0 || slot.id == kNone) return false;
        return key.is_short() || (*this)[slot.id] == key.term;
    }
    std::uint32_t add(const TermKey& key, std::uint64_t at);
    void rehash(std::size_t n_slots);

    std::vector<char> bytes_;  // of all terms, and kReadAhead more at least
    std::vector<std::size_t> bounds_{0};
    std::vector<Slot> slots_;  // a power of two, at most half of them in use
    std::uint64_t mask_;
    HashKeys keys_;
};

// Thrown within a text when the caller has asked to stop.
struct Stopped {};

inline const std::atomic<bool> kNeverStops{false};

// Terms on their way to a table. Several are looked up together, so that their places in memory arrive together.
template <class Table, class Use>
class TermBatch {
  public:
    TermBatch(Table& table, Use use, const std::atomic<bool>& stop = kNeverStops)
        : table_(table), use_(use), stop_(stop) {}

    void add(std::string_view term) {
        waiting_[n_] = table_.key(term);
        table_.prefetch(waiting_[n_]);
        if (++n_ == waiting_.size()) flush();
    }

    void flush() {
        if (stop_.load(std::memory_order_relaxed)) throw Stopped{};
        for (std::size_t i = 0; i < n_; ++i) use_(table_, waiting_[i]);
        n_ = 0;
    }

  private:
    Table& table_;
    Use use_;
    const std::atomic<bool>& stop_;
    std::array<TermKey, 32> waiting_;
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
