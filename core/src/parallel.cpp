#include "setwise/parallel.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace setwise {
namespace {

// One call of `run_on_threads`; it lives on the caller's stack.
struct Job {
    const std::function<void()>& work;
    int n_wanted;       // threads that may still join
    int n_running = 0;  // threads that have joined and not ended
    std::exception_ptr failure = nullptr;
};

// The threads of this process. They are never ended: each sleeps until there is a job.
class Pool {
  public:
    // Let threads join the job. Sets: jobs_, n_starting_.
    void offer(Job& job) {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(&job);
        try {
            for (; n_idle_ + n_starting_ < n_wanted(); ++n_starting_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            // The process may have no more threads: those there are, and the caller, do the work.
        }
        for (int i = 0; i < job.n_wanted; ++i) offered_.notify_one();
    }

    // Let no further thread join the job, and wait for those that did.
    void close(Job& job) {
        std::unique_lock lock(mutex_);
        std::erase(jobs_, &job);
        ended_.wait(lock, [&] { return job.n_running == 0; });
    }

  private:
    int n_wanted() const {
        int total = 0;
        for (const Job* job : jobs_) total += job->n_wanted;
        return total;
    }

    void serve() {
        std::unique_lock lock(mutex_);
        --n_starting_;
        while (true) {
            ++n_idle_;
            offered_.wait(lock, [&] { return !jobs_.empty(); });
            --n_idle_;
            Job& job = *jobs_.front();
            if (--job.n_wanted == 0) jobs_.pop_front();
            ++job.n_running;
            lock.unlock();
            std::exception_ptr failure;
            try {
                job.work();
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            if (failure) job.failure = failure;
            if (--job.n_running == 0) ended_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable offered_, ended_;
    std::deque<Job*> jobs_;  // those that threads may still join
    int n_idle_ = 0, n_starting_ = 0;
};

std::atomic<Pool*> shared_pool{nullptr};

// The process's threads are shared by all callers: more threads than cores only get in one another's way. A fork leaves
// threads behind, so a child makes a pool of its own; the parent's is left where it is.
Pool& pool() {
#if !defined(_WIN32)  // where no process is forked
    static const int registered = pthread_atfork(nullptr, nullptr, [] { shared_pool = nullptr; });
    static_cast<void>(registered);
#endif
    Pool* found = shared_pool;
    if (found == nullptr) {
        auto* made = new Pool;
        if (shared_pool.compare_exchange_strong(found, made)) return *made;
        delete made;  // another caller was faster
    }
    return *found;
}

}  // namespace

void run_on_threads(int n_threads, const std::function<void()>& work) {
    if (n_threads <= 1) return work();
    Job job{work, n_threads - 1};
    Pool& threads = pool();
    threads.offer(job);
    try {
        work();
    } catch (...) {
        threads.close(job);
        throw;
    }
    threads.close(job);
    if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace setwise
