// Random texts with every setting: what was fitted, transformed and located agrees, whatever the units are.
#include <array>
#include <random>

#include "setwise/text_counts.hpp"
#include "setwise/text_features.hpp"
#include "test_main.hpp"
#include "text_tables.hpp"

using namespace setwise;

namespace {

constexpr std::size_t kTexts = 100;  // per setting: enough that three threads share them
constexpr std::size_t kLongRun = 3000, kFewUnits = 60;

constexpr std::uint32_t kLikely[] = {
    'a',       'B',     'z',     '9',        ' ',        '\t',     '\n',          0,           0x1F,        '\'',
    '_',       kSharpS, kGone,   kMarkPoint, kHanFirst,  kHanLast, kCapitalSigma, kSmallSigma, kFinalSigma, kDottedI,
    0x85,      0xA0,    0x200B,  0x2028,     kWideSpace, 0xFDFA,   0xD800,        0xDBFF,      0xDC00,      0xDFFF,
    0xFFFF,    0x10400, 0x3FFFF, 0x40000,    0xE0001,    0xE1000,  0xF0000,       0x10FFFF,    0x110000,    0x7FFFFFFF,
    0xFFFFFFFF};

// Texts of all three widths. Each lies in memory of its own, so that a read behind its end is noticed.
class RandomTexts {
  public:
    RandomTexts(std::mt19937& random, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            const auto units = random_units(random);
            if (random() % 3 == 0)
                views_.push_back(view(narrow_.emplace_back(units.begin(), units.end())));
            else if (random() % 2 == 0)
                views_.push_back(view(middle_.emplace_back(units.begin(), units.end())));
            else
                views_.push_back(view(wide_.emplace_back(units)));
        }
    }
    std::span<const TextView> views() const { return views_; }

  private:
    static std::uint32_t random_unit(std::mt19937& random) {
        switch (random() % 8) {
            case 0:
                return random();
            case 1:
                return random() % 0x110000;
            default:
                return kLikely[random() % std::size(kLikely)];
        }
    }

    static std::vector<std::uint32_t> random_units(std::mt19937& random) {
        const bool is_run = random() % 50 == 0;
        std::vector<std::uint32_t> units(random() % (is_run ? kLongRun : kFewUnits));
        std::uint32_t unit = random_unit(random);
        for (auto& each : units) {
            if (!is_run || random() % 1000 == 0) unit = random_unit(random);
            each = unit;
        }
        return units;
    }

    // Lists of vectors would move them, but not their units, to which the views point.
    std::vector<std::vector<std::uint8_t>> narrow_;
    std::vector<std::vector<std::uint16_t>> middle_;
    std::vector<std::vector<std::uint32_t>> wide_;
    std::vector<TextView> views_;
};

bool same(const SparseRows& a, const SparseRows& b) {
    return a.indptr == b.indptr && a.indices == b.indices && a.values == b.values;
}

void check_spans(const TextAnalyzer& analyzer, const Vocabulary& known, const TextView& text, bool has_terms) {
    const auto spans = term_spans(analyzer, known, text, never);
    CHECK(spans.empty() != has_terms);
    bool within = true;
    for (const TermSpan& span : spans)
        within &= span.range.begin >= 0 && span.range.begin <= span.range.end &&
                  span.range.end <= static_cast<std::int64_t>(text.length) && span.column >= 0 &&
                  static_cast<std::size_t>(span.column) < known.size();
    CHECK(within);
}

// Fits texts with one thread and with three, and compares all that follows.
void check_texts(const TextAnalyzer& analyzer, std::span<const TextView> texts) {
    TermCounts counts(analyzer, texts, 1, never), by_three(analyzer, texts, 3, never);
    counts.select(1, 1e9, 1);
    by_three.select(1, 1e9, 3);
    const std::vector<std::uint8_t> kept(counts.n_selected(), 1);
    const PackedTerms packed = counts.packed(kept);
    CHECK(by_three.n_words() == counts.n_words() && by_three.n_selected() == counts.n_selected());
    CHECK(by_three.packed(kept).bytes == packed.bytes && by_three.packed(kept).ends == packed.ends);
    CHECK(by_three.document_frequency() == counts.document_frequency() && by_three.totals() == counts.totals());

    const Vocabulary known(packed.bytes, packed.ends, counts.n_words());  // checks that terms are distinct and UTF-8
    const std::vector<float> idf(known.size(), 1.5f);
    const SparseRows fitted = counts.tfidf(kept, idf, {}, 1, never);
    CHECK(same(by_three.tfidf(kept, idf, {}, 3, never), fitted));
    CHECK(same(tfidf(analyzer, known, idf, {}, texts, 1, never).rows, fitted));
    CHECK(same(tfidf(analyzer, known, idf, {}, texts, 3, never).rows, fitted));
    for (std::size_t i = 0; i < texts.size(); ++i)
        check_spans(analyzer, known, texts[i], fitted.indptr[i] < fitted.indptr[i + 1]);
}

}  // namespace

TEST(random_texts_with_every_setting) {
    std::mt19937 random(7);
    std::size_t n_texts = 0;
    for (const bool sigma : {false, true})
        for (const bool lowercase : {false, true})
            for (const Accents accents : {Accents::kKept, Accents::kStripped, Accents::kAsciiOnly}) {
                const auto table = small_table({sigma, lowercase, accents});
                for (const TokenRule rule : {TokenRule::kScikitLearn, TokenRule::kUnicode})
                    for (const NgramRange lengths : {NgramRange{1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 5}})
                        for (const int kind : {0, 1, 2}) {
                            TextAnalyzer analyzer{table.get(), rule, {}, {}, nullptr};
                            if (kind != 0) analyzer.words = lengths;
                            if (kind != 1) analyzer.chars = lengths;
                            const RandomTexts texts(random, kTexts);
                            check_texts(analyzer, texts.views());
                            n_texts += kTexts;
                        }
            }
    CHECK(n_texts >= 20'000);
}

TEST(long_texts_have_the_terms_of_their_words) {
    const auto table = small_table();
    std::mt19937 random(8);
    constexpr std::size_t kLong = 200'000;
    const TextAnalyzer analyzer{table.get(), TokenRule::kUnicode, NgramRange{1, 2}, {}, nullptr};
    for (const int pattern : {0, 1, 2, 3}) {
        std::vector<std::uint8_t> narrow(kLong + static_cast<std::size_t>(pattern));
        for (std::size_t i = 0; i < narrow.size(); ++i)
            narrow[i] = pattern == 0   ? 'a'
                        : pattern == 1 ? (i % 2 ? ' ' : 'a')
                        : pattern == 2 ? (i % 2 ? 'a' : ' ')
                                       : static_cast<std::uint8_t>(random() % 6 ? 'a' + random() % 3 : ' ');
        const std::vector<std::uint32_t> wide(narrow.begin(), narrow.end());
        const TextView by_width[] = {view(narrow), view(wide)};
        TermCounts one(analyzer, std::span(by_width, 1), 1, never),
            other(analyzer, std::span(by_width + 1, 1), 1, never);
        one.select(1, 1e9, 1);
        other.select(1, 1e9, 1);
        const std::vector<std::uint8_t> kept(one.n_selected(), 1);
        CHECK(one.n_selected() == other.n_selected() && one.totals() == other.totals());
        CHECK(one.packed(kept).bytes == other.packed(kept).bytes);
        check_texts(analyzer, by_width);
    }
}

TEST(a_text_is_left_when_asked_to_stop) {
    const auto table = small_table();
    const TextAnalyzer analyzer{table.get(), TokenRule::kUnicode, NgramRange{1, 1}, {}, nullptr};
    const std::vector<std::uint8_t> text(100, 'a');
    const std::atomic<bool> stopped{true};
    TermTable terms;
    WordTerms words = analyzer.word_terms();
    words.read(view(text));
    CHECK_THROWS(each_term(words, *analyzer.words, terms, stopped, [](TermTable&, const TermKey&) {}, [] {}), Stopped);
    CHECK(terms.size() == 0);
}
