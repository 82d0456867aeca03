/* SPDX-License-Identifier: MIT */
/* An OMPT tool that does not want to be called, for declined_tool.c. */
// part-of: declined_tool.c
void *ompt_start_tool(unsigned version, const char *runtime);

void *ompt_start_tool(unsigned version, const char *runtime)
{
	(void)version;
	(void)runtime;
	return 0;
}
