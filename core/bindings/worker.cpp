#include "worker.hpp"

#if !defined(_WIN32)
#include <unistd.h>
#endif

#include <memory>
#include <utility>
#include <vector>

namespace setwise::door {

Worker::Worker() {
    std::thread([this] { serve(); }).detach();
}

void Worker::start(std::function<void()> work) {
    busy_ = true;
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
    changed_.notify_all();
}

void Worker::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return static_cast<bool>(work_); });
        lock.unlock();
        work_();
        lock.lock();
        work_ = nullptr;
        changed_.notify_all();
    }
}

Worker& idle_worker() {
    // Never destroyed: their threads wait until the process ends. A fork leaves threads behind, so a child starts anew.
    static auto* workers = new std::vector<Worker*>;
#if !defined(_WIN32)  // where no process is forked
    static pid_t home = getpid();
    if (home != getpid()) {
        workers->clear();
        home = getpid();
    }
#endif
    for (Worker* worker : *workers)
        if (!worker->busy()) return *worker;
    return *workers->emplace_back(new Worker);
}

}  // namespace setwise::door
