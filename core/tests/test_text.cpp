// Texts of every width become the terms that a plain reading of the rules gives, and damaged input is refused.
#include <algorithm>
#include <cmath>
#include <string>

#include "setwise/text_counts.hpp"
#include "setwise/text_features.hpp"
#include "test_main.hpp"
#include "text_tables.hpp"

using namespace setwise;

namespace {

std::vector<std::uint32_t> points(const std::u32string& text) {
    return {text.begin(), text.end()};
}

std::vector<std::string> strings(const TermCounts& counts) {
    const PackedTerms packed = counts.packed(std::vector<std::uint8_t>(counts.n_selected(), 1));
    std::vector<std::string> out;
    std::int64_t begin = 0;
    for (const std::int64_t end : packed.ends) {
        out.emplace_back(packed.bytes.begin() + begin, packed.bytes.begin() + end);
        begin = end;
    }
    return out;
}

std::vector<std::string> terms_of(const TextAnalyzer& analyzer, const TextView& text) {
    TermCounts counts(analyzer, std::span(&text, 1), 1, never);
    counts.select(1, 1e9, 1);
    return strings(counts);
}

Vocabulary vocabulary(const std::vector<std::string>& words) {
    PackedTerms packed;
    for (const std::string& word : words) {
        packed.bytes.insert(packed.bytes.end(), word.begin(), word.end());
        packed.ends.push_back(static_cast<std::int64_t>(packed.bytes.size()));
    }
    return {packed.bytes, packed.ends, words.size()};
}

using Strings = std::vector<std::string>;

}  // namespace

TEST(words_of_every_width) {
    const auto table = small_table();
    const TextAnalyzer analyzer{table.get(), TokenRule::kScikitLearn, NgramRange{1, 2}, {}, nullptr};
    const std::string text = "The cat, a CAT_1 sat";
    const Strings expected{"cat", "cat cat_1", "cat_1", "cat_1 sat", "sat", "the", "the cat"};
    CHECK(terms_of(analyzer, view(std::vector<std::uint8_t>(text.begin(), text.end()))) == expected);
    CHECK(terms_of(analyzer, view(std::vector<std::uint16_t>(text.begin(), text.end()))) == expected);
    CHECK(terms_of(analyzer, view(std::vector<std::uint32_t>(text.begin(), text.end()))) == expected);
}

TEST(expansions_and_dropped_characters) {
    const auto table = small_table();
    const TextAnalyzer analyzer{table.get(), TokenRule::kUnicode, NgramRange{1, 1}, {}, nullptr};
    const std::vector<std::uint8_t> text{kSharpS, ' ', 'a', kGone, 'B', ' ', 'x', kGone};
    CHECK(terms_of(analyzer, view(text)) == (Strings{"ab", "ss"}));
}

TEST(final_sigma) {
    const auto table = small_table({.sigma = true});
    const TextAnalyzer analyzer{table.get(), TokenRule::kScikitLearn, {}, NgramRange{9, 9}, nullptr};
    const auto text = points(U"A\u03A3 A'\u03A3' \u03A3A A\u03A3'A");
    CHECK(terms_of(analyzer, view(text)) ==
          (Strings{" a'\xCF\x82' ", " a\xCF\x82 ", " a\xCF\x83'a ", " \xCF\x83\x61 "}));
}

TEST(runs_of_unspaced_characters) {
    const auto table = small_table();
    const auto text = points(U"ab\u4E00\u0301\u4E01\u4E02 \u4E03 c");
    const TextAnalyzer words{table.get(), TokenRule::kUnicode, NgramRange{1, 2}, {}, nullptr};
    const std::string one = "\xE4\xB8\x80\xCC\x81", two = "\xE4\xB8\x81", three = "\xE4\xB8\x82", four = "\xE4\xB8\x83";
    Strings expected{"ab",        "ab " + one + two,        one,   one + two, one + two + " " + two + three, two,
                     two + three, two + three + " " + four, three, four};
    std::sort(expected.begin(), expected.end());
    CHECK(terms_of(words, view(text)) == expected);
    const TextAnalyzer chars{table.get(), TokenRule::kUnicode, {}, NgramRange{4, 4}, nullptr};
    expected = {" ab ", " c ", " " + one + two, one + two + three, "\xCC\x81" + two + three + " ", " " + four + " "};
    std::sort(expected.begin(), expected.end());
    CHECK(terms_of(chars, view(text)) == expected);
}

TEST(stop_words_leave_no_gap) {
    const auto table = small_table();
    const Vocabulary stop_words = vocabulary({"the", "an extremely long stop word that is no word"});
    const TextAnalyzer analyzer{table.get(), TokenRule::kUnicode, NgramRange{2, 2}, {}, &stop_words.words()};
    const std::string text = "red the fox x runs";
    CHECK(terms_of(analyzer, view(std::vector<std::uint8_t>(text.begin(), text.end()))) ==
          (Strings{"fox runs", "red fox"}));
    CHECK(terms_of(analyzer, view(std::vector<std::uint32_t>(text.begin(), text.end()))) ==
          (Strings{"fox runs", "red fox"}));
}

TEST(values_have_unit_length_and_coverage_counts_words) {
    const auto table = small_table();
    const TextAnalyzer analyzer{table.get(), TokenRule::kUnicode, NgramRange{1, 1}, {}, nullptr};
    const Vocabulary known = vocabulary({"fox", "red"});
    const std::vector<float> idf{2.0f, 1.0f}, frequencies{1.0f};
    const std::string text = "red red fox hen";
    const TextView views[] = {{text.data(), text.size(), 1}, {text.data(), 0, 1}};
    const TextFeatures found = tfidf(analyzer, known, idf, frequencies, views, 1, never);
    CHECK(found.rows.indptr == (std::vector<std::int64_t>{0, 2, 2}));
    CHECK(found.rows.indices == (RawVector<std::int32_t>{0, 1}));
    const double fox = 2.0, red = 1.0 + std::log(2.0), norm = std::sqrt(fox * fox + red * red);
    CHECK_NEAR(found.rows.values[0], fox / norm, 1e-6);
    CHECK_NEAR(found.rows.values[1], red / norm, 1e-6);
    CHECK_NEAR(found.coverage[0], 0.75, 0.0);
    CHECK_NEAR(found.coverage[1], 0.0, 0.0);
    CHECK_THROWS(tfidf(analyzer, known, std::span(idf).first(1), frequencies, views, 1, never), std::invalid_argument);
}

TEST(spans_are_places_in_the_text) {
    const auto table = small_table();
    const TextAnalyzer analyzer{table.get(), TokenRule::kUnicode, NgramRange{1, 2}, {}, nullptr};
    const Vocabulary known = vocabulary({"ss ab", "ab"});
    const std::vector<std::uint8_t> text{' ', kSharpS, ',', 'A', kGone, 'B'};
    const auto spans = term_spans(analyzer, known, view(text), never);
    CHECK(spans.size() == 2);
    CHECK(spans[0].column == 0 && spans[0].range.begin == 1 && spans[0].range.end == 6);
    CHECK(spans[1].column == 1 && spans[1].range.begin == 3 && spans[1].range.end == 6);
}

TEST(damaged_vocabularies_are_refused) {
    using Bytes = std::vector<std::uint8_t>;
    using Ends = std::vector<std::int64_t>;
    const auto build = [](const Bytes& bytes, const Ends& ends, std::size_t n_words) {
        return Vocabulary(bytes, ends, n_words).size();
    };
    CHECK(build({'a', 'b'}, {1, 2}, 1) == 2);
    CHECK(build({'a', 'a'}, {1, 2}, 1) == 2);  // a word and an n-gram of characters
    CHECK(build({}, {}, 0) == 0);
    CHECK(build({0xED, 0xA0, 0x80}, {3}, 1) == 1);  // a single surrogate
    CHECK_THROWS(build({'a', 'a'}, {1, 2}, 2), std::invalid_argument);
    CHECK_THROWS(build({'a', 'b'}, {2, 1}, 2), std::invalid_argument);
    CHECK_THROWS(build({'a', 'b'}, {-1, 2}, 2), std::invalid_argument);
    CHECK_THROWS(build({'a', 'b'}, {1, 3}, 2), std::invalid_argument);
    CHECK_THROWS(build({'a', 'b'}, {1}, 1), std::invalid_argument);
    CHECK_THROWS(build({'a', 'b'}, {1, 2}, 3), std::invalid_argument);
    for (const Bytes& bad : {Bytes{0x80}, Bytes{0xC3}, Bytes{0xC0, 0x80}, Bytes{0xE0, 0x80, 0x80}, Bytes{0xE4, 0xB8},
                             Bytes{0xF0, 0x80, 0x80, 0x80}, Bytes{0xF4, 0x90, 0x80, 0x80}, Bytes{0xF8, 0x80},
                             Bytes{0xF0, 0x9F, 0x98}, Bytes{0xC3, 'a'}})
        CHECK_THROWS(build(bad, {static_cast<std::int64_t>(bad.size())}, 1), std::invalid_argument);
    CHECK_THROWS(build({0xC3, 0xA9}, {1, 2}, 2), std::invalid_argument);  // a character cut in two
}

TEST(damaged_tables_are_refused) {
    const std::vector<std::uint8_t> flags(CharacterTable::kRows), few(3);
    const auto build = [&](std::span<const std::uint8_t> word, std::vector<std::int32_t> mapped,
                           std::vector<std::uint32_t> expansions, std::vector<std::int64_t> ends,
                           std::span<const std::uint8_t> context = {}) {
        return CharacterTable({word, flags, flags, flags}, mapped, expansions, ends, context).code(std::uint8_t{'a'});
    };
    auto mapped = identity();
    CHECK(build(flags, mapped, {}, {}) == 'a');
    CHECK_THROWS(build(few, mapped, {}, {}), std::invalid_argument);
    CHECK_THROWS(build(flags, {1, 2}, {}, {}), std::invalid_argument);
    CHECK_THROWS(build(flags, mapped, {}, {}, few), std::invalid_argument);
    CHECK_THROWS(build(flags, mapped, {'a'}, {2}), std::invalid_argument);
    CHECK_THROWS(build(flags, mapped, {'a', 'b'}, {2, 1}), std::invalid_argument);
    CHECK_THROWS(build(flags, mapped, {0x110000}, {1}), std::invalid_argument);
    mapped[0x100] = -1;
    CHECK_THROWS(build(flags, mapped, {}, {}), std::invalid_argument);
    mapped[0x100] = 0x110000;
    CHECK_THROWS(build(flags, mapped, {}, {}), std::invalid_argument);
    mapped[0x100] = 0x100;
    mapped['a'] = 0x4E00;
    CHECK_THROWS(build(flags, mapped, {}, {}), std::invalid_argument);
}

TEST(many_terms_of_every_length) {
    TermTable table;
    std::vector<std::string> terms;
    for (int i = 0; i < 20000; ++i)
        terms.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i % 40), 'x'));
    for (const std::string& term : terms) {
        const std::string padded = term + std::string(kReadAhead, static_cast<char>('0' + term.size() % 10));
        table.find_or_add(table.key(std::string_view(padded).substr(0, term.size())));
    }
    CHECK(table.size() == terms.size());
    for (std::uint32_t id = 0; id < terms.size(); ++id) {
        const std::string padded = terms[id] + std::string(kReadAhead, '?');
        const std::string_view term = std::string_view(padded).substr(0, terms[id].size());
        CHECK(table.find(table.key(term)) == id && table[id] == terms[id]);
        CHECK(!table.contains(std::string_view(padded).substr(0, term.size() + 1)));
    }
}
