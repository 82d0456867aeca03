# nanos6.sed - marks the hooks of Nanos6 for tptrace; README.md says how.
/^#define INSTRUMENT_NULL_\(TASK_ID\|WORKERTHREAD\)_HPP/a\
#include "tptrace_nanos6.hpp"
s/^	struct task_id_t {/&\n\t\ttptrace_nanos6::task *tptrace = nullptr;/
s/^		return task_id_t();/		return { tptrace_nanos6::make(taskInfo->implementations[0]) };/
/inline void createdTask(/,/^	}/s/^	) {/&\
		tptrace_nanos6::task *tptrace = taskId.tptrace;\
		tptrace_task_create(\&tptrace_nanos6::runtime, \&tptrace->id, \&tptrace_nanos6::here, tptrace->code,\
			tptrace->label ? tptrace_task_name(nullptr, tptrace->label) : nullptr);/
/inline void registerTaskAccess(/,/^	}/s/^	) {/&\
		static const tptrace_access accesses[] = { TPTRACE_ACCESS_WRITE, TPTRACE_ACCESS_READ, TPTRACE_ACCESS_WRITE,\
			TPTRACE_ACCESS_WRITE, TPTRACE_ACCESS_UNORDERED, TPTRACE_ACCESS_UNORDERED, TPTRACE_ACCESS_UNORDERED };\
		if (!weak)\
			tptrace_task_access(taskId.tptrace->id, start, accesses[accessType]);/
/inline void exitSubmitTask(/,/^	}/s/^	) {/&\n\t\ttptrace_nanos6::resume(tptrace_nanos6::here);/
/inline void startTask(/,/^	}/s/^	{/&\n\t\ttptrace_task_begin(\&taskId.tptrace->id, \&taskId.tptrace->runs);/
/inline void endTask(/,/^	}/s/^	{/&\n\t\ttptrace_task_end(\&taskId.tptrace->runs);/
/inline void destroyTask(/,/^	}/s/^	{/&\n\t\tdelete taskId.tptrace;/
/inline void enterTaskWait(/,/^	}/s/^	) {/&\
		if (if0TaskId.tptrace) { \/* inside of its submission *\/\
			tptrace_nanos6::resume(tptrace_nanos6::here);\
			tptrace_task_wait_for(\&tptrace_nanos6::runtime, \&taskId.tptrace->waits, if0TaskId.tptrace->id, nullptr);\
		} else\
			tptrace_task_wait(\&tptrace_nanos6::runtime, \&taskId.tptrace->waits, TPTRACE_WAIT_CHILDREN, nullptr, nullptr);/
/inline void enterBlockCurrentTask(/,/^	}/s/^	) {/&\
		tptrace_task_wait(\&tptrace_nanos6::runtime, \&taskId.tptrace->waits, TPTRACE_WAIT_OBJECT, taskId.tptrace, nullptr);/
/inline void enterWaitFor(/,/^	}/s/^	) {/&\
		tptrace_task_wait(\&tptrace_nanos6::runtime, \&taskId.tptrace->waits, TPTRACE_WAIT_YIELD, nullptr, nullptr);/
/inline void exit\(TaskWait\|BlockCurrentTask\|WaitFor\)(/,/^	}/s/^	) {/&\n\t\ttptrace_nanos6::resume(taskId.tptrace->waits);/
/inline void enterUnblockTask(/,/^	}/s/^	) {/&\n\t\ttptrace_task_release(\&tptrace_nanos6::here, taskId.tptrace);/
/inline void exitUnblockTask(/,/^	}/s/^	) {/&\n\t\ttptrace_nanos6::resume(tptrace_nanos6::here);/
/inline void blockedOnUserMutex(/,/^	}/s/^	) {/&\
		tptrace_task_wait(\&tptrace_nanos6::runtime, \&tptrace_nanos6::here, TPTRACE_WAIT_LOCK, userMutex, nullptr);/
/inline void releasedUserMutex(/,/^	}/s/^	) {/&\n\t\ttptrace_task_release(\&tptrace_nanos6::here, userMutex);/
/inline void exitUserMutex\(Lock\|Unlock\)(/,/^	}/s/^	) {/&\n\t\ttptrace_nanos6::resume(tptrace_nanos6::here);/
s/^	inline void workerThreadBegin() {}/	inline void workerThreadBegin() { tptrace_task_no_worker(); }/
/^void nanos6_init(void)/,/^}/s/^	Instrument::pthreadPause();/	tptrace_task_wait(\&tptrace_nanos6::runtime, \&tptrace_nanos6::here, TPTRACE_WAIT_CHILDREN, nullptr, nullptr);\n&/
/^void nanos6_shutdown(void)/,/^}/s/^	Instrument::pthreadResume();/&\n\ttptrace_nanos6::resume(tptrace_nanos6::here);/
s/^	CPUManager::initialize();/&\n\ttptrace_task_workers(\&tptrace_nanos6::runtime, CPUManager::getTotalCPUs());\n\ttptrace_task_no_worker();/
