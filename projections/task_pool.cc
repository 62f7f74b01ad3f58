#include "projections/task_pool.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"

namespace cairn {

namespace {

namespace asio = boost::asio;

// The work of one for_each(). A pool thread that starts after all indexes were claimed does not touch `job`,
// which no longer exists then.
struct SharedWork {
  SharedWork(std::size_t total, const std::function<void(std::size_t)>& work) : count(total), job(&work) {}

  void run_jobs() {
    while (true) {
      const std::size_t index = next.fetch_add(1);
      if (index >= count) return;
      try {
        (*job)(index);
      } catch (...) {
        const MutexLock lock(mutex);
        if (!thrown) thrown = std::current_exception();
      }
      const MutexLock lock(mutex);
      if (++done == count) changed.notify_all();
    }
  }

  void wait() {
    MutexLock lock(mutex);
    changed.wait(lock, [this]() CAIRN_REQUIRES(mutex) { return done == count; });
    if (thrown) std::rethrow_exception(thrown);
  }

  const std::size_t count;
  const std::function<void(std::size_t)>* const job;
  std::atomic<std::size_t> next{0};
  Mutex mutex;
  CondVar changed;
  std::size_t done CAIRN_GUARDED_BY(mutex) = 0;
  std::exception_ptr thrown CAIRN_GUARDED_BY(mutex);
};

}  // namespace

// An io_context with threads of our own and not asio::thread_pool, whose threads cannot be named.
struct TaskPool::Impl {
  explicit Impl(unsigned count) : work(asio::make_work_guard(tasks)) {
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([this] {
        name_this_thread("cairn-project");
        tasks.run();
      });
    }
  }

  asio::io_context tasks;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  std::vector<std::thread> threads;
};

TaskPool::TaskPool(unsigned threads)
    : threads_(std::max(1u, threads)), impl_(std::make_unique<Impl>(threads_)) {}
TaskPool::~TaskPool() { stop(); }

void TaskPool::post(std::function<void()> task) { asio::post(impl_->tasks, std::move(task)); }

void TaskPool::post_after(std::chrono::milliseconds delay, std::function<void()> task) {
  auto timer = std::make_shared<asio::steady_timer>(impl_->tasks, delay);
  timer->async_wait([timer, task = std::move(task)](const boost::system::error_code& error) {
    if (!error) task();
  });
}

void TaskPool::stop() {
  impl_->tasks.stop();
  for (std::thread& thread : impl_->threads) {
    if (thread.joinable()) thread.join();
  }
}

void TaskPool::for_each(std::size_t count, const std::function<void(std::size_t)>& job) {
  if (count == 0) return;
  if (count == 1) return job(0);
  const auto work = std::make_shared<SharedWork>(count, job);
  const std::size_t others = std::min<std::size_t>(count - 1, threads_);
  for (std::size_t i = 0; i < others; ++i) post([work] { work->run_jobs(); });
  work->run_jobs();
  work->wait();
}

}  // namespace cairn
