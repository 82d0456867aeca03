# quark.sed - marks quark.c of QUARK for tptrace; README.md says how.
/^#include "quark.h"/a\
#include "tptrace_task.h"\
static struct tptrace_runtime quark_tptrace = { "QUARK", "", 0 };
/^typedef struct quark_task_s {/a\
    tptrace_task_t tptrace;
/^typedef struct address_set_node_s {/a\
    tptrace_task_t tptrace_writer; /* the last one that has ended */
/^    quark->num_threads = num_threads;/a\
    tptrace_task_workers( &quark_tptrace, num_threads );
/^unsigned long long QUARK_Insert_Task_Packed/,/^}/{
/^    task->status = NOTREADY;/i\
    struct tptrace_here tptrace_here;\
    const void *tptrace_site = task->task_label && task->task_label[0] > ' ' ? tptrace_task_name( NULL, task->task_label ) : NULL;\
    tptrace_task_create( &quark_tptrace, &task->tptrace, &tptrace_here, (tptrace_code_t)task->function, tptrace_site );
s/^    return taskid ;/    tptrace_task_resume( \&tptrace_here );\n&/
}
/^static void quark_insert_task_dependencies(Quark \* quark, Task \* task)$/,/^}/{
/ dep->ready = FALSE;/a\
                    tptrace_task_needs( task->tptrace, dep );
/ dep->ready = TRUE;/a\
                    if ( address_set_node->tptrace_writer ) tptrace_task_after( task->tptrace, address_set_node->tptrace_writer );
}
s/^            next_task->num_dependencies_remaining--;/&\n            tptrace_task_release_by( completed_task->tptrace, next_dep );/
/^static void quark_address_set_node_initial_check_and_launch(.*)$/,/^}/s/^                    task->num_dependencies_remaining--;/&\n                    tptrace_task_release_by( completed_dep->task->tptrace, dep );/
/^static void quark_remove_completed_task_and_check_for_ready(.*)$/,/^}/s/^                address_set_node->last_thread = worker_rank;/{ & address_set_node->tptrace_writer = task->tptrace; }/
/^static long long quark_work_main_loop(Worker \*worker)$/,/^}/{
/task->status = CANCELLED;/i\
                tptrace_task_discard( &task->tptrace );
s/^                task->function( quark );/                struct tptrace_here tptrace_here;\n                tptrace_task_begin( \&task->tptrace, \&tptrace_here );\n&\n                tptrace_task_end( \&tptrace_here );/
}
/^void QUARK_Barrier(Quark \* quark)/,/^}/{
/^    quark->all_tasks_queued = TRUE;/a\
    struct tptrace_here tptrace_here;\
    tptrace_task_wait( &quark_tptrace, &tptrace_here, TPTRACE_WAIT_CHILDREN, 0, TPTRACE_TASK_CALLER );
s/^    } while ( num_tasks > 0 );/&\n    tptrace_task_resume( \&tptrace_here );/
}
