/* SPDX-License-Identifier: MIT */
/* completion.h - scripts by which shells complete commands, their options and values. */
#pragma once

#include <stdio.h>
#include "tools/cmd/command.h"

/* `all` up to NULL. */
void completion_bash(FILE *out, const struct command *const *all);
void completion_zsh(FILE *out, const struct command *const *all);
