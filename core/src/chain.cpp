// Walks along a chain: the most probable sets by beam search, and samples.
#include "setwise/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "setwise/dispatch.hpp"
#include "setwise/parallel.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

// log p of n beginnings followed by a label that is absent, or present.
SETWISE_INLINE void extend(std::int32_t n, const double* log_prob, const double* logit, double* absent,
                           double* present) {
#pragma omp simd
    for (std::int32_t k = 0; k < n; ++k) {
        const double tail = log1p_of_unit(exp_of_negative(-std::abs(logit[k])));
        absent[k] = log_prob[k] - (tail + (logit[k] > 0.0 ? logit[k] : 0.0));
        present[k] = log_prob[k] - (tail + (logit[k] < 0.0 ? -logit[k] : 0.0));
    }
}

// The beam of one document after the other. A beginning lives in a slot, and stays there as labels pass by that it does
// not take: few do, so little is ever copied.
class BeamSearch {
  public:
    BeamSearch(const Chain& chain, std::int32_t width)
        : feedback_(chain.feedback()), n_labels_(chain.n_labels()), width_(width) {}

    void run(const double* score) {
        begin(score);
        for (std::int32_t label = 0; label < n_labels_; ++label) pass(label);
    }

    double pruned() const { return pruned_; }
    std::int32_t n_sets() const { return alive_; }
    const std::vector<std::int32_t>& set(std::int32_t slot) const { return sets_[slot]; }

  private:
    void begin(const double* score) {
        alive_ = 1;
        pruned_ = -std::numeric_limits<double>::infinity();
        make_room(1);
        log_prob_[0] = 0.0;
        sets_[0].clear();
        for (std::int32_t j = 0; j < n_labels_; ++j) logit(j, 0) = score[j];
    }

    double& logit(std::int32_t label, std::int32_t slot) {
        return logits_[static_cast<std::size_t>(label) * room_ + slot];
    }

    // Slots are made as they are needed: a wide beam over few labels needs few.
    void make_room(std::int32_t n) {
        if (n <= room_) return;
        const std::int32_t before = room_;
        const std::vector<double> logits = std::move(logits_);
        room_ = static_cast<std::int32_t>(std::min<std::int64_t>(width_, 2 * static_cast<std::int64_t>(n)));
        logits_.assign(static_cast<std::size_t>(n_labels_) * room_, 0.0);
        for (std::int32_t j = 0; j < n_labels_; ++j)
            std::copy_n(logits.begin() + static_cast<std::ptrdiff_t>(j) * before, before,
                        logits_.begin() + static_cast<std::ptrdiff_t>(j) * room_);
        for (auto* lane : {&log_prob_, &absent_, &present_}) lane->resize(room_);
        sets_.resize(room_);
    }

    void pass(std::int32_t label) {
        dispatch<extend>(alive_, log_prob_.data(), &logit(label, 0), absent_.data(), present_.data());
        const std::int32_t n_before = alive_;
        const auto n_after = static_cast<std::int32_t>(std::min<std::int64_t>(width_, 2LL * n_before));
        if (n_after == n_before) {
            const double best = *std::max_element(present_.begin(), present_.begin() + n_before);
            if (best <= *std::min_element(absent_.begin(), absent_.begin() + n_before)) {
                pruned_ = std::max(pruned_, best);
                std::copy_n(absent_.begin(), n_before, log_prob_.begin());
                return;
            }
        }
        make_room(n_after);
        choose(n_before, n_after);
        settle(label, n_before, n_after);
        alive_ = n_after;
    }

    // Marks the n_after most probable of the children, ties by slot, the absent first.
    void choose(std::int32_t n_before, std::int32_t n_after) {
        children_.clear();
        for (std::int32_t slot = 0; slot < n_before; ++slot) children_.push_back({absent_[slot], slot, false});
        for (std::int32_t slot = 0; slot < n_before; ++slot) children_.push_back({present_[slot], slot, true});
        if (n_after < static_cast<std::int32_t>(children_.size())) {
            std::nth_element(children_.begin(), children_.begin() + n_after, children_.end());
            for (std::size_t k = n_after; k < children_.size(); ++k) pruned_ = std::max(pruned_, children_[k].log_prob);
        }
        stays_.assign(n_after, false);
        takes_.assign(n_before, false);
        for (std::int32_t k = 0; k < n_after; ++k) (children_[k].present ? takes_ : stays_)[children_[k].slot] = true;
    }

    // Gives each chosen child a slot: its parent's, or where the parent has two, one that nobody else needs.
    void settle(std::int32_t label, std::int32_t n_before, std::int32_t n_after) {
        std::int32_t free = 0;
        for (std::int32_t slot = 0; slot < n_before; ++slot) {
            if (!takes_[slot]) continue;
            std::int32_t to = slot;
            if (stays_[slot]) {
                while (free < n_after && (stays_[free] || (free < n_before && takes_[free]))) ++free;
                to = free++;
                for (std::int32_t j = label + 1; j < n_labels_; ++j) logit(j, to) = logit(j, slot);
                sets_[to] = sets_[slot];
            }
            sets_[to].push_back(label);
            log_prob_[to] = present_[slot];
            for (std::int64_t e = feedback_.begin(label); e < feedback_.end(label); ++e)
                logit(feedback_.indices[e], to) += feedback_.values[e];
        }
        for (std::int32_t slot = 0; slot < n_before; ++slot)
            if (stays_[slot]) log_prob_[slot] = absent_[slot];
    }

    struct Child {
        double log_prob;
        std::int32_t slot;
        bool present;
        bool operator<(const Child& other) const {
            if (log_prob != other.log_prob) return log_prob > other.log_prob;
            return present != other.present ? !present : slot < other.slot;
        }
    };

    const Columns<const double*> feedback_;
    std::int32_t n_labels_, width_;
    std::int32_t room_ = 0, alive_ = 0;  // slots there are, and slots in use: the first so many
    double pruned_ = 0.0;
    std::vector<double> logits_;  // a row of slots a label
    std::vector<double> log_prob_, absent_, present_;
    std::vector<std::vector<std::int32_t>> sets_;
    std::vector<Child> children_;
    std::vector<bool> stays_, takes_;  // a slot each: its beginning goes on without the label, or with it
};

constexpr int kChunk = 64;  // samples drawn side by side

// A label is present where uniform * whole < share, which is uniform < p without a division.
SETWISE_INLINE void odds_against(std::int32_t n, const double* logit, double* whole, double* share) {
#pragma omp simd
    for (std::int32_t j = 0; j < n; ++j) {
        const double e = exp_of_negative(-std::abs(logit[j]));
        whole[j] = 1.0 + e;
        share[j] = logit[j] > 0.0 ? 1.0 : e;
    }
}

// present[k] = uniform[k] < p where p is the same for all; returns how many are.
SETWISE_INLINE int draw_alike(double whole, double share, const double* uniform, std::uint8_t* present) {
    int n = 0;
#pragma omp simd reduction(+ : n)
    for (int k = 0; k < kChunk; ++k) {
        present[k] = uniform[k] * whole < share ? 1 : 0;
        n += present[k];
    }
    return n;
}

// The same where every sample has a logit of its own.
SETWISE_INLINE int draw_each(const double* logit, const double* uniform, std::uint8_t* present) {
    double whole[kChunk], share[kChunk];
    odds_against(kChunk, logit, whole, share);
    int n = 0;
#pragma omp simd reduction(+ : n)
    for (int k = 0; k < kChunk; ++k) {
        present[k] = uniform[k] * whole[k] < share[k] ? 1 : 0;
        n += present[k];
    }
    return n;
}

// The samples that one chain draws of every document, with their uniform numbers in chunks, labels by samples: all
// documents share them.
class ChunkedDraws {
  public:
    ChunkedDraws(const ChainDraws& draws, const double* uniform) : draws_(draws) {
        const std::int32_t n_labels = draws.chain->n_labels();
        uniform_.assign(static_cast<std::size_t>(n_chunks()) * n_labels * kChunk, 1.0);  // a 1 is never below p
        for (std::size_t k = 0; k < draws.samples.size(); ++k)
            for (std::int32_t j = 0; j < n_labels; ++j)
                uniform_[(k / kChunk * n_labels + j) * kChunk + k % kChunk] =
                    uniform[static_cast<std::int64_t>(draws.samples[k]) * n_labels + j];
    }

    const ChainDraws& draws() const { return draws_; }
    std::int32_t n_chunks() const { return static_cast<std::int32_t>((draws_.samples.size() + kChunk - 1) / kChunk); }
    const double* uniform(std::int32_t chunk, std::int32_t label) const {
        return uniform_.data() + (static_cast<std::size_t>(chunk) * draws_.chain->n_labels() + label) * kChunk;
    }

  private:
    const ChainDraws& draws_;
    std::vector<double> uniform_;
};

// Draws the sets of one document after the other.
class Sampler {
  public:
    explicit Sampler(std::int32_t n_labels)
        : whole_(n_labels),
          share_(n_labels),
          logits_(static_cast<std::size_t>(n_labels) * kChunk),
          differs_(n_labels) {}

    // Puts the labels of each of the chain's samples of document i into its place of `sets`, in the order of the chain.
    void run(const ChunkedDraws& chunks, std::int64_t i, std::vector<std::vector<std::int32_t>>& sets) {
        const ChainDraws& draws = chunks.draws();
        const double* const score = draws.scores.row(i);
        const auto n_labels = static_cast<std::int32_t>(whole_.size());
        dispatch<odds_against>(n_labels, score, whole_.data(), share_.data());
        for (std::int32_t chunk = 0; chunk < chunks.n_chunks(); ++chunk) {
            std::fill(differs_.begin(), differs_.end(), false);
            for (std::int32_t j = 0; j < n_labels; ++j) {
                const double* const uniform = chunks.uniform(chunk, j);
                const int n = differs_[j] ? dispatch<draw_each>(row(j), uniform, present_)
                                          : dispatch<draw_alike>(whole_[j], share_[j], uniform, present_);
                for (int k = 0, left = n; left > 0; ++k) {
                    if (present_[k] == 0) continue;
                    --left;
                    sets[draws.samples[static_cast<std::size_t>(chunk) * kChunk + k]].push_back(draws.order[j]);
                    feed_back(draws.chain->feedback(), j, k, score);
                }
            }
        }
    }

  private:
    double* row(std::int32_t label) { return logits_.data() + static_cast<std::size_t>(label) * kChunk; }

    // A label's logits are written out only once a sample's differs from the others'.
    void feed_back(const Columns<const double*>& feedback, std::int32_t label, int sample, const double* score) {
        for (std::int64_t e = feedback.begin(label); e < feedback.end(label); ++e) {
            const std::int32_t receiver = feedback.indices[e];
            if (!differs_[receiver]) std::fill_n(row(receiver), kChunk, score[receiver]);
            differs_[receiver] = true;
            row(receiver)[sample] += feedback.values[e];
        }
    }

    std::vector<double> whole_, share_;  // of the labels without feedback
    std::vector<double> logits_;         // labels x samples of a chunk
    std::vector<char> differs_;          // whether the row of a label is in use
    std::uint8_t present_[kChunk];
};

}  // namespace

Beams chain_beams(const Chain& chain, const ScoreRows& scores, std::int32_t width, int n_threads,
                  const std::atomic<bool>& stop) {
    std::vector<std::vector<std::vector<std::int32_t>>> found(scores.n_rows);
    Beams beams;
    beams.pruned.resize(scores.n_rows);
    share_out(n_threads, scores.n_rows, 1, [&](Items& items) {
        BeamSearch search(chain, width);
        for (const std::int64_t i : items) {
            if (stop) continue;
            search.run(scores.row(i));
            for (std::int32_t slot = 0; slot < search.n_sets(); ++slot) found[i].push_back(search.set(slot));
            beams.pruned[i] = search.pruned();
        }
    });
    beams.first.push_back(0);
    beams.indptr.push_back(0);
    for (const auto& sets : found) {
        for (const auto& set : sets) {
            beams.indices.insert(beams.indices.end(), set.begin(), set.end());
            beams.indptr.push_back(static_cast<std::int64_t>(beams.indices.size()));
        }
        beams.first.push_back(static_cast<std::int64_t>(beams.indptr.size()) - 1);
    }
    return beams;
}

Samples chain_samples(const std::vector<ChainDraws>& chains, std::int32_t n_samples, const double* uniform,
                      int n_threads, const std::atomic<bool>& stop) {
    std::vector<ChunkedDraws> chunked;
    for (const ChainDraws& draws : chains) chunked.emplace_back(draws, uniform);
    struct Drawn {
        std::vector<std::int32_t> sizes, labels;
    };
    const std::int32_t n_documents = chains.front().scores.n_rows;
    std::vector<Drawn> found(n_documents);
    share_out(n_threads, n_documents, 1, [&](Items& items) {
        Sampler sampler(chains.front().chain->n_labels());
        std::vector<std::vector<std::int32_t>> sets(n_samples);
        for (const std::int64_t i : items) {
            if (stop) continue;
            for (auto& set : sets) set.clear();
            for (const ChunkedDraws& chunks : chunked) sampler.run(chunks, i, sets);
            for (auto& set : sets) {
                std::sort(set.begin(), set.end());
                found[i].sizes.push_back(static_cast<std::int32_t>(set.size()));
                found[i].labels.insert(found[i].labels.end(), set.begin(), set.end());
            }
        }
    });
    Samples samples;
    samples.indptr.push_back(0);
    for (Drawn& drawn : found) {
        for (const std::int32_t size : drawn.sizes) samples.indptr.push_back(samples.indptr.back() + size);
        samples.indices.insert(samples.indices.end(), drawn.labels.begin(), drawn.labels.end());
        drawn = {};
    }
    return samples;
}

}  // namespace setwise
