// Long work runs on a thread of its own, so that the interpreter's thread can look for Ctrl-C. That thread stays for
// the next call: to start one per call would cost more than most calls.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace setwise::door {

class Worker {
  public:
    Worker();

    // Whether it has work already. Only asked and changed with the interpreter's lock held.
    bool busy() const { return busy_; }

    void start(std::function<void()> work);

    // True once the work is over, false when the time has passed before.
    template <class Duration>
    bool wait_for(Duration time) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, time, [&] { return !work_; });
    }

    void rest() { busy_ = false; }

  private:
    void serve();

    bool busy_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> work_;  // empty while there is none
};

// A worker with nothing to do: the process's own, or another while that one is busy. Needs the interpreter's lock.
Worker& idle_worker();

}  // namespace setwise::door
