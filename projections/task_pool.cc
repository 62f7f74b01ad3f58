#include "projections/task_pool.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

namespace cairn {

namespace {

namespace asio = boost::asio;

// The work of one for_each(). A helper that comes too late finds nothing to claim and leaves `job` alone,
// which is gone by then.
struct SharedWork {
  SharedWork(std::size_t total, const std::function<void(std::size_t)>& work) : count(total), job(&work) {}

  void help() {
    while (true) {
      const std::size_t index = next.fetch_add(1);
      if (index >= count) return;
      try {
        (*job)(index);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!thrown) thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      if (++done == count) changed.notify_all();
    }
  }

  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return done == count; });
    if (thrown) std::rethrow_exception(thrown);
  }

  const std::size_t count;
  const std::function<void(std::size_t)>* const job;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t done = 0;
  std::exception_ptr thrown;
};

}  // namespace

struct TaskPool::Impl {
  explicit Impl(unsigned count) : threads(std::max(1u, count)), pool(threads) {}
  const unsigned threads;
  asio::thread_pool pool;
};

TaskPool::TaskPool(unsigned threads) : impl_(std::make_unique<Impl>(threads)) {}
TaskPool::~TaskPool() { stop(); }

unsigned TaskPool::threads() const { return impl_->threads; }

void TaskPool::post(std::function<void()> task) { asio::post(impl_->pool, std::move(task)); }

void TaskPool::post_after(std::chrono::milliseconds delay, std::function<void()> task) {
  auto timer = std::make_shared<asio::steady_timer>(impl_->pool, delay);
  timer->async_wait([timer, task = std::move(task)](const boost::system::error_code& error) {
    if (!error) task();
  });
}

void TaskPool::stop() {
  impl_->pool.stop();
  impl_->pool.join();
}

void TaskPool::for_each(std::size_t count, const std::function<void(std::size_t)>& job) {
  if (count == 0) return;
  if (count == 1) return job(0);
  const auto work = std::make_shared<SharedWork>(count, job);
  const std::size_t helpers = std::min<std::size_t>(count - 1, impl_->threads);
  for (std::size_t i = 0; i < helpers; ++i) post([work] { work->help(); });
  work->help();
  work->wait();
}

}  // namespace cairn
