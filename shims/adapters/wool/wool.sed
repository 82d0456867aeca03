# wool.sed - marks wool-common.h, wool-gen.sh and wool.c of Wool for tptrace; README.md says how.
/^struct _Task;/i\
#include "tptrace_task.h"\
static struct tptrace_runtime wool_tptrace __attribute__((unused)) = { "Wool", "", 0 };\
\
/* Each for the rest of its block: t is created, is waited for, runs. */\
#define WOOL_TPTRACE( mark, leave ) \\\
  __attribute__((cleanup(tptrace_task_##leave))) struct tptrace_here tptrace_##mark; tptrace_task_##mark\
#define WOOL_TPTRACE_CREATE( t, code ) \\\
  WOOL_TPTRACE( create, resume )( &wool_tptrace, &(t)->tptrace, &tptrace_create, (tptrace_code_t) (code), NULL )\
#define WOOL_TPTRACE_WAIT( t ) WOOL_TPTRACE( wait_for, resume )( &wool_tptrace, &tptrace_wait_for, (t)->tptrace, NULL )\
#define WOOL_TPTRACE_RUN( t )  WOOL_TPTRACE( begin, end )( &(t)->tptrace, &tptrace_begin )\

/^#define TASK_COMMON_FIELDS/,/^#e/s/^\(  volatile\| \) balarm_t balarm;/& tptrace_task_t tptrace;/
/^extern NAME##_DICT_T NAME##_DICT;/a\
$RTYPE NAME##_CALL(Worker *_WOOL_(self) $FUN_a_FORMALS);
/^  _WOOL_(fast_spawn)( __self, cached_top,/i\
  WOOL_TPTRACE_CREATE( cached_top, NAME##_CALL );
s/^    Task \*t = --cached_top;/& WOOL_TPTRACE_WAIT( t ); WOOL_TPTRACE_RUN( t );/
s/^    NAME##_TD \*t = (NAME##_TD \*) --top;/& WOOL_TPTRACE_WAIT( t ); WOOL_TPTRACE_RUN( t );/
s/^  t->info.size = \$TASK_SIZE;/  WOOL_TPTRACE_RUN( t );\n&/
/^  \/\/ if p points at a public task, we join with it/i\
  WOOL_TPTRACE_WAIT( p );
s/^  make_common_data( n_workers );/  tptrace_task_workers( \&wool_tptrace, n_workers );\n&/
