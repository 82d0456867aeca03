# lace.sed - marks lace.sh and lace.c of Lace for tptrace; README.md says how.
/^#include <lace_config.h>/a\
#include "tptrace_task.h"
/^typedef struct _WorkerP WorkerP;/i\
static struct tptrace_runtime lace_tptrace __attribute__((unused)) = { "Lace", "", 0 };\
\
/* Each for the rest of its block: t is created, is waited for, runs. */\
#define LACE_TPTRACE(mark, leave) \\\
    __attribute__((cleanup(tptrace_task_##leave))) struct tptrace_here tptrace_##mark; tptrace_task_##mark\
#define LACE_TPTRACE_CREATE(t, code) LACE_TPTRACE(create, resume)(&lace_tptrace, &(t)->tptrace, &tptrace_create, (tptrace_code_t)(code), NULL)\
#define LACE_TPTRACE_WAIT(t)         LACE_TPTRACE(wait_for, resume)(&lace_tptrace, &tptrace_wait_for, (t)->tptrace, NULL)\
#define LACE_TPTRACE_RUN(t)          LACE_TPTRACE(begin, end)(&(t)->tptrace, &tptrace_begin)\

s/^    _Atomic(struct _Worker\*) thief;/& tptrace_task_t tptrace;/
s/^#define LACE_TASKSIZE ('\$k')\*P_SZ/#define LACE_TASKSIZE ('$k' + 7)*P_SZ/
s/^\( *\)atomic_store_explicit(&\([a-z0-9]*\)->thief, THIEF_TASK, memory_order_relaxed);/&\n\1\2->tptrace = 0;/
/^void NAME##_SPAWN(/,/^}/{
/THIEF_TASK/a\
    LACE_TPTRACE_CREATE(t, NAME##_CALL);
}
s/^    lace_run_\(newframe\|task\|task_exclusive\)(&_t);/    { LACE_TPTRACE_CREATE(t, NAME##_CALL); }\n    LACE_TPTRACE_WAIT(t);\n&/
/^\$RTYPE NAME##_SYNC(WorkerP \*w, Task \*__dq_head)$/,/^}/{
/assert (__dq_head/i\
    LACE_TPTRACE_WAIT(__dq_head);
}
/^    \${SS_RETURN}NAME##_CALL(w, __dq_head \$TASK_GET_FROM_t);/i\
    LACE_TPTRACE_RUN(t);
/^            \${SS_RETURN}NAME##_CALL(w, __dq_head \$TASK_GET_FROM_t);/i\
            LACE_TPTRACE_RUN(t);
/^void lace_drop_slow(/,/^}/s/^    if \(.*\) lace_leapfrog(w, __dq_head);/    if \1 { LACE_TPTRACE_WAIT(__dq_head); lace_leapfrog(w, __dq_head); }\n    else tptrace_task_discard(\&__dq_head->tptrace);/
/^void lace_drop(/,/^}/s/^            return;/            tptrace_task_discard(\&__dq_head->tptrace);\n&/
/^void NAME##_WRAP(WorkerP \*w, Task \*__dq_head, TD_##NAME \*t __attribute/,/^}/{
/^    \$SAVE_RVAL/c\
    if (t->tptrace) {\
        LACE_TPTRACE_RUN(t);\
        $SAVE_RVAL NAME##_CALL(w, __dq_head $TASK_GET_FROM_t);\
    } else $SAVE_RVAL NAME##_CALL(w, __dq_head $TASK_GET_FROM_t); /* a copy for each worker, or a task of Lace's own */
}
/^    \/\* Spawn all workers \*\//i\
    tptrace_task_no_worker();\
    tptrace_task_workers(&lace_tptrace, n_workers);
