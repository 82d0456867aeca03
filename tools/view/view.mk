# SPDX-License-Identifier: MIT
# view.mk - puts the page together: one file, whose scripts and style are named by their hashes.

VIEW_PAGE := tools/view/page
# each after those that it imports
VIEW_VALUES := bound.js scg_layout.js ucc_layout.js ucc_collect.js dag_order.js scg_values.js shades.js
VIEW_DAG := $(patsubst %,dag_%.js,sums tree layout motion scale draw names colour overlay camera replay bar link) graph_axes.js dag.js
VIEW_SCG := why_facts.js scg_bar.js scg_said.js scg.js ucc.js why_reason.js why.js
VIEW_JS := $(addprefix $(VIEW_PAGE)/,format.js codec.js blocks.js levels.js cpu.js kinds.js below.js operations.js data.js colours.js dom.js copy.js most.js steps.js link.js app.js gestures.js canvas.js \
	header.js findings.js notes.js bars.js bounds.js help.js legend.js pixels.js details.js menu.js raster.js minimap.js fine.js parallelism.js arcs.js path_lines.js $(VIEW_VALUES) timelines_bar.js timelines_row.js timelines.js lengths.js flame.js tasks.js table.js source.js windows.js $(VIEW_DAG) $(VIEW_SCG) \
	aside.js sides.js compare_draw.js cures.js story.js views.js main.js)
# the second script, which only a page of several runs has
VIEW_SIDES_JS := $(addprefix $(VIEW_PAGE)/,compare_table.js compare.js)
# .. and that of a job
VIEW_JOB_JS := $(addprefix $(VIEW_PAGE)/,job_rows.js job_waits.js job_draw.js job_table.js job.js job_page.js)

$(O)/view/page.js: $(VIEW_PAGE)/join.awk $(VIEW_JS) tools/view/view.mk
	@mkdir -p $(@D)
	$(Q)awk -f $(VIEW_PAGE)/join.awk $(VIEW_JS) >$@

$(O)/view/sides.js: $(VIEW_PAGE)/join.awk $(VIEW_SIDES_JS) tools/view/view.mk
	@mkdir -p $(@D)
	$(Q)awk -v joined=1 -f $(VIEW_PAGE)/join.awk $(VIEW_SIDES_JS) >$@

# as the browser sees it: with the end of the line before
hash_of = sha256-$$(env printf "$$({ echo; cat $(1); } | sha256sum | cut -c1-64 | sed 's/../\\x&/g')" | base64)

$(O)/view/job.js: $(VIEW_PAGE)/join.awk $(VIEW_JOB_JS) tools/view/view.mk
	@mkdir -p $(@D)
	$(Q)awk -v joined=1 -f $(VIEW_PAGE)/join.awk $(VIEW_JOB_JS) >$@

$(O)/view/page.html: $(VIEW_PAGE)/page.html $(VIEW_PAGE)/page.css $(O)/view/page.js $(O)/view/sides.js $(O)/view/job.js
	$(Q)sed -e "s|SCRIPT-HASH|$(call hash_of,$(O)/view/page.js)|" -e "s|SIDES-HASH|$(call hash_of,$(O)/view/sides.js)|" \
		-e "s|JOB-HASH|$(call hash_of,$(O)/view/job.js)|" \
		-e "s|STYLE-HASH|$(call hash_of,$(VIEW_PAGE)/page.css)|" \
		-e '/^STYLE$$/{r $(VIEW_PAGE)/page.css' -e 'd}' -e '/^SCRIPT$$/{r $(O)/view/page.js' -e 'd}' \
		-e '/^SIDES$$/{r $(O)/view/sides.js' -e 'd}' -e '/^JOB$$/{r $(O)/view/job.js' -e 'd}' $< >$@

$(O)/obj/tools/view/page.o: $(O)/view/page.html
$(O)/obj/tools/view/page.o: OUR_CFLAGS += -Wa,-I$(O)/view
