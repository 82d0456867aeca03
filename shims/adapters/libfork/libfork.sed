# libfork.sed - marks the headers of libfork for tptrace; README.md says how.
/^#include "libfork\/core\/macro.hpp"  *\/\/ for LF_COMPILER_EXCEPTIONS/i\
#include "libfork/tptrace_task.h"
/^class frame {/i\
inline tptrace_runtime tptrace = { "libfork", "", 0 };\

s/^  stack::stacklet \*m_stacklet;/&\
\
  \/** For tptrace: the task, its code, and where that left for a child or a join. *\/\
  tptrace_task_t m_task = 0;\
  tptrace_here m_runs{}, m_left{};/
/^   \* @brief Set the pointer to the parent frame\.$/{
s/.*/   * For tptrace: a child is created, in the group of its parent; a handle's first word is its code./
a\
   */\
  void tptrace_create(frame *child) { child->tptrace_create(\&m_left, this); }\
  void tptrace_create(tptrace_here *left, void const *group) {\
    auto *code = static_cast<tptrace_code_t *>(self().address());\
    tptrace_task_create(\&tptrace, \&m_task, left, *code, nullptr);\
    tptrace_task_group(m_task, group);\
  }\
  void tptrace_begin() { tptrace_task_begin(\&m_task, \&m_runs); }\
  void tptrace_end() { tptrace_task_end(\&m_runs); }\
  void tptrace_wait(tptrace_wait what) { tptrace_task_wait(\&tptrace, \&m_left, what, this, nullptr); }\
  void tptrace_resume() { if (m_left.task) tptrace_task_resume(\&m_left); }\
\
  /**\
   * @brief Set the pointer to the parent frame.
}
/^struct fork_awaitable/,/^};/{
/^    tls::context()->push/i\
    self->tptrace_create(stack_child.get());
s/^  LF_FORCEINLINE void await_resume() const noexcept {/&\n    self->tptrace_resume();/
}
/^struct join_awaitable/,/^};/{
s/^  auto await_ready() const noexcept -> bool {/&\n    self->tptrace_wait(TPTRACE_WAIT_GROUP);/
s/^  void await_resume() const {/&\n    self->tptrace_resume();/
}
/^struct context_switch_awaitable/,/^};/{
s/^    external.await_suspend(&self);/    std::bit_cast<frame *>(unwrap(\&self))->tptrace_wait(TPTRACE_WAIT_YIELD);\n&/
s/^\(  auto await_resume() .*\) { return \(.*\); }/\1 {\
    std::bit_cast<frame *>(unwrap(\&self))->tptrace_resume();\
    return \2;\
  }/
}
/^struct promise : /,/^};/{
/^   \* @brief Returned task stores a copy/{
s/.*/   * For tptrace: a task begins when it is first resumed; a call is none./
a\
   */\
  auto initial_suspend() noexcept {\
    struct starts : std::suspend_always {\
      frame *self;\
      void await_resume() const noexcept { if constexpr (Tag != tag::call) self->tptrace_begin(); }\
    };\
    return starts{ {}, this };\
  }\
\
  /**\
   * @brief Returned task stores a copy of the `this` pointer.
}
s/^      if constexpr (Tag == tag::root) {$/      if constexpr (Tag != tag::call) child.promise().tptrace_end();\n&/
}
/^schedule(Sch &&sch, F &&fun/,/^}/s/^  await->set_root_sem.*/&\
  tptrace_here tptrace_left;\
  tptrace_task_no_worker();\
  await->tptrace_create(\&tptrace_left, \&share_state->sem);/
s/^  std::forward<Sch>(sch).schedule(share_state->node.data());/&\n  tptrace_task_resume(\&tptrace_left);/
s/^\( *\)m_heap->sem.acquire();/\1tptrace_here tptrace_left;\
\1tptrace_task_wait(\&impl::tptrace, \&tptrace_left, TPTRACE_WAIT_GROUP, \&m_heap->sem, nullptr);\
&\
\1tptrace_task_resume(\&tptrace_left);/
s/^      : m_num_threads(n) {/&\n    tptrace_task_workers(\&impl::tptrace, (uint32_t)n);/
