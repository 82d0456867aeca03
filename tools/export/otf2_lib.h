/* SPDX-License-Identifier: MIT */
/* otf2_lib.h - the calls of libotf2, which is loaded for them (tools/base/late.h). */
#pragma once

#include <otf2/otf2.h>

#include "tools/base/late.h"

/* clang-format off */
#define OTF2_CALLS(CALL)									   \
	CALL(OTF2_Archive_Close) CALL(OTF2_Archive_CloseDefFiles)				   \
	CALL(OTF2_Archive_CloseDefWriter) CALL(OTF2_Archive_CloseEvtFiles)			   \
	CALL(OTF2_Archive_CloseEvtWriter) CALL(OTF2_Archive_CloseGlobalDefWriter)		   \
	CALL(OTF2_Archive_GetDefWriter) CALL(OTF2_Archive_GetEvtWriter)				   \
	CALL(OTF2_Archive_GetGlobalDefWriter) CALL(OTF2_Archive_Open)				   \
	CALL(OTF2_Archive_OpenDefFiles) CALL(OTF2_Archive_OpenEvtFiles)				   \
	CALL(OTF2_Archive_SetCreator) CALL(OTF2_Archive_SetDescription)				   \
	CALL(OTF2_Archive_SetFlushCallbacks) CALL(OTF2_Archive_SetProperty)			   \
	CALL(OTF2_Archive_SetSerialCollectiveCallbacks) CALL(OTF2_AttributeList_AddInt64)	   \
	CALL(OTF2_AttributeList_Delete) CALL(OTF2_AttributeList_New)				   \
	CALL(OTF2_Error_GetDescription) CALL(OTF2_Error_RegisterCallback)			   \
	CALL(OTF2_EvtWriter_Enter) CALL(OTF2_EvtWriter_GetNumberOfEvents)			   \
	CALL(OTF2_EvtWriter_Leave) CALL(OTF2_EvtWriter_Metric)					   \
	CALL(OTF2_EvtWriter_MpiCollectiveBegin) CALL(OTF2_EvtWriter_MpiCollectiveEnd)		   \
	CALL(OTF2_EvtWriter_MpiRecv) CALL(OTF2_EvtWriter_MpiSend)				   \
	CALL(OTF2_EvtWriter_ThreadTaskComplete) CALL(OTF2_EvtWriter_ThreadTaskCreate)		   \
	CALL(OTF2_EvtWriter_ThreadTaskSwitch) CALL(OTF2_GlobalDefWriter_WriteAttribute)		   \
	CALL(OTF2_GlobalDefWriter_WriteClockProperties)						   \
	CALL(OTF2_GlobalDefWriter_WriteComm) CALL(OTF2_GlobalDefWriter_WriteGroup)		   \
	CALL(OTF2_GlobalDefWriter_WriteLocation)						   \
	CALL(OTF2_GlobalDefWriter_WriteLocationGroup)						   \
	CALL(OTF2_GlobalDefWriter_WriteMetricClass)						   \
	CALL(OTF2_GlobalDefWriter_WriteMetricInstance)						   \
	CALL(OTF2_GlobalDefWriter_WriteMetricMember)						   \
	CALL(OTF2_GlobalDefWriter_WriteParadigm) CALL(OTF2_GlobalDefWriter_WriteRegion)		   \
	CALL(OTF2_GlobalDefWriter_WriteString)							   \
	CALL(OTF2_GlobalDefWriter_WriteSystemTreeNode)
/* clang-format on */

struct otf2_lib LATE_CALLS(OTF2_CALLS);
extern struct otf2_lib otf2_lib;

const char *otf2_lib_load(void); /* as format.h's load() */
