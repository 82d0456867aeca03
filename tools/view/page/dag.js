// SPDX-License-Identifier: MIT
// dag.js - the hierarchical DAG: closed at first, opened by level or by node, with depth or time
// from top to bottom.
import { PATH } from "./data.js";
import { COLLAPSED, ENDED, EXTRA, JOINS, NONE } from "./kinds.js";
import { el, fill } from "./dom.js";
import { draw_bar } from "./dag_bar.js";
import { keep_dag } from "./dag_link.js";
import { make_canvas } from "./canvas.js";
import { camera_fit, camera_key, camera_listen } from "./dag_camera.js";
import { mix } from "./dag_colour.js";
import { draw_overlay, draw_scene, scene_at } from "./dag_draw.js";
import { layout_build } from "./dag_layout.js";
import { MOTION_MS, motion_end, motion_start, motion_step } from "./dag_motion.js";
import { node_label, node_tip, on_path } from "./dag_names.js";
import { overlay_edges, overlay_of } from "./dag_overlay.js";
import { Replay } from "./dag_replay.js";
import { scale_rules } from "./dag_scale.js";
import { draw_time } from "./graph_axes.js";
import {
    tree_build,
    tree_can_open,
    tree_close,
    tree_counted,
    tree_marks,
    tree_nodes,
    tree_open,
    tree_open_marked,
    tree_reveal,
    tree_sum,
    tree_times,
} from "./dag_tree.js";
import { Work } from "./steps.js";

const AT_FIRST = 12; // nodes in sight; levels are opened until there are so many
const NODES_MOST = 6000; // that opening a level may bring into sight
const READABLE = 0.5; // px per unit: a box has room for a name
const AIR = 16; // px around all of it
const ROWS = 200;

class Dag {
    /** @param {App} app */
    constructor(app, host) {
        this.app = app;
        this.tree = tree_build(app.data, { joins: JOINS, extra: EXTRA, path: PATH });
        // what the camera is on: all, all that was asked for, a node; null: as it was moved
        /** @type {"usual" | "all" | object | null} */
        this.aim = null;
        this.edges = null; // what overlay_edges() gives
        this.camera = { x: 0, y: 0, kx: 1, ky: 1 };
        this.scale = "depth";
        this.is_since = true;
        this.colour_by = "kind";
        this.shows = { join: true, depend: false, sync: false, path: true };
        this.scene = null;
        this.picked = null;
        this.replay = new Replay(app, () => {
            this.replays?.setAttribute("aria-pressed", String(this.replay.at !== null));
            app.dirty();
        });
        this.bar = el("div", { class: "strip" });
        const area = el("div", { class: "area" });
        fill(host, this.bar, this.replay.strip, area);
        this.canvas = make_canvas(
            app,
            area,
            "the task graph; a table of the nodes in sight follows",
        );
        this.canvas.node.dataset.view = "dag";
        camera_listen(app, this.canvas, this.camera, {
            hit: (x, y) => this.hit(x, y),
            hover: found => app.over(found ? found.part : {}),
            click: found => this.pick(found && found.node),
            twice: found => found && this.open_or_zoom(found.node),
            moved: () => {
                this.aim = null;
                app.dirty();
            },
        });
        this.work = new Work(host);
        this.waiting = []; // for what is being opened
        this.usual_marks = null;
        this.seen = null; // px across and down, when it was shown last
        this.dress();
        this.arrange(null);
        this.take_open("");
        keep_dag(this);
    }

    marks() {
        return tree_marks(this.tree.root).join(".");
    }

    // How many nodes in sight follow one another that are open, closed, open ..  What was selected
    // here hid behind nothing: who reads that opens no more for it.
    open_text() {
        const text = this.marks(),
            { task, strand } = this.app.selection,
            is_any = task !== null || strand !== null;
        return text === this.usual_marks && !(is_any && this.is_own()) ? "" : text;
    }

    is_own() {
        const { task, strand } = this.app.selection;
        return this.own === JSON.stringify([task, strand]);
    }

    // A link without them opens what its selection needs.
    take_open(text) {
        const { task, strand } = this.app.selection;
        tree_close(this.tree.root);
        this.picked = null;
        this.own = text ? JSON.stringify([task, strand]) : null;
        this.waiting = [() => this.follow_selection()];
        this.open(this.opened(text), () => {
            this.arrange(null);
            if (this.moving) this.settle();
        });
    }

    *opened(text) {
        const { root } = this.tree;
        if (!text || this.usual_marks === null) {
            yield* this.open_first();
            this.usual_marks = this.marks();
        }
        if (!text) return;
        tree_close(root);
        yield* tree_open_marked(this.tree, text.split(".").map(Number), NODES_MOST);
    }

    // Opens nodes in steps; then done(what work returns), and what waited for it.
    open(work, done) {
        this.work.start(work, made => {
            done(made);
            for (const each of this.waiting.splice(0)) this.later(each);
        });
    }

    later(fn) {
        if (this.work.is_busy) this.waiting.push(fn);
        else fn();
    }

    picked_number() {
        const number =
            this.picked && this.picked !== this.usual_node
                ? tree_nodes(this.tree.root).indexOf(this.picked)
                : -1;
        return number < 0 ? null : [number];
    }

    // ---- what is open ----

    *open_first() {
        const is_known = node => node.what !== "orphans" && !node.is_rest;
        const fits = n => n <= AT_FIRST * 3 && this.has_room();
        for (let n = 0; n < AT_FIRST && (yield* this.open_level(fits, is_known));) {
            if (tree_nodes(this.tree.root).length === n) break;
            n = tree_nodes(this.tree.root).length;
        }
    }

    // Whether what is open can be read where all of it is in sight; of a view that is not shown, as
    // it was.
    has_room() {
        const { clientWidth, clientHeight } = this.canvas.node.parentElement;
        if (clientHeight > 0) this.seen = [clientWidth, clientHeight];
        if (!this.seen) return true;
        const [width, height] = this.seen,
            { left, right, depth } = layout_build(
                this.tree.root,
                scale_rules(this.tree, "depth", this.is_since),
            ),
            room = px => (px - 2 * AIR) / READABLE;
        return left + right <= room(width) && depth <= room(height);
    }

    // All closed nodes in sight, unless too many come into sight: fits(how many).  False: nothing
    // opened.
    *open_level(fits, is_wanted = node => node !== null) {
        const closed = tree_nodes(this.tree.root).filter(
            node => !node.open && tree_can_open(this.tree, node) && is_wanted(node),
        );
        for (const node of closed) yield* tree_open(this.tree, node);
        if (closed.length && fits(tree_nodes(this.tree.root).length)) return true;
        closed.forEach(tree_close);
        return false;
    }

    // The innermost open ones.
    close_level() {
        const nodes = tree_nodes(this.tree.root),
            outer = new Set();
        for (const node of nodes)
            if (node.open)
                for (let up = node.parent; up && !outer.has(up); up = up.parent) outer.add(up);
        for (const node of nodes) if (node.open && !outer.has(node)) tree_close(node);
    }

    step_level(is_opening) {
        if (this.work.is_busy) return;
        if (!is_opening) {
            this.close_level();
            this.arrange(null);
            return;
        }
        this.open(
            this.open_level(n => n <= NODES_MOST),
            is_open => {
                const most = this.app.format.count(NODES_MOST),
                    text = `at most ${most} nodes are opened at once`;
                if (!is_open) this.app.say(`${text}; open single ones by a double click`);
                this.arrange(null);
            },
        );
    }

    // There is nothing to open of what is not on the page: a server has it, once it is in sight.
    open_or_zoom(node) {
        const { start, end } = tree_times(this.tree, node);
        if (node.what === "left") this.app.zoom(start, end);
        else this.toggle(node);
    }

    toggle(node) {
        const of = node.owner ?? node;
        if (this.work.is_busy) return;
        if (of.open) {
            tree_close(of);
            this.arrange(of);
        } else this.open(tree_open(this.tree, of), is_open => is_open && this.arrange(of));
    }

    // ---- layout and motion ----

    // `anchor`: a node that stays where it is on the screen; without one all of it is shown again
    // if it was before.
    arrange(anchor) {
        const before = anchor && this.entry(anchor),
            rules = scale_rules(this.tree, this.scale, this.is_since);
        const layout = layout_build(this.tree.root, rules);
        const shown = before ? { ...before.shown } : null;
        this.layout = layout;
        this.scene = motion_start(this.scene, layout);
        for (const each of this.scene) if (each.place) each.place.entry = each;
        this.overlay = null;
        this.began = performance.now();
        const after = anchor && this.entry(anchor);
        this.drift =
            shown && after
                ? {
                      x: after.to.x - shown.x,
                      y: after.to.y - shown.y,
                      x0: this.camera.x,
                      y0: this.camera.y,
                  }
                : null;
        if (!this.drift) this.aim = "usual";
        else this.leave_node();
        this.moving = !matchMedia("(prefers-reduced-motion: reduce)").matches;
        if (!this.moving) this.settle();
        this.tell();
        this.app.dirty();
    }

    entry(node) {
        return this.scene ? this.scene.find(each => each.node === node) : null;
    }

    settle() {
        this.moving = false;
        this.scene = motion_end(this.scene);
        this.drift_to(1);
        this.drift = null;
    }

    drift_to(share) {
        if (!this.drift) return;
        const done = 1 - (1 - share) ** 2;
        this.camera.x = this.drift.x0 + this.drift.x * done;
        this.camera.y = this.drift.y0 + this.drift.y * done;
    }

    step_motion() {
        const share = (performance.now() - this.began) / MOTION_MS;
        if (share >= 1) return this.settle();
        motion_step(this.scene, share);
        this.drift_to(share);
        this.app.dirty();
    }

    // Wherever the camera was before: who opens a link sees the same.
    take_aim() {
        if (this.aim) this.fit();
        if (typeof this.aim === "object") this.centre(this.aim);
    }

    // The camera stays where it is, whatever is selected from now on.
    leave_node() {
        if (typeof this.aim === "object") this.aim = null;
    }

    // All of it; but if names could not be read then, and nobody asked for all of it, from its top
    // left on.
    fit() {
        const { left, right, depth } = this.layout,
            { camera, canvas } = this;
        camera_fit(
            camera,
            { left: -left, right, top: 0, bottom: depth },
            canvas,
            1.4,
            this.scale !== "depth",
        );
        if (this.aim === "all" || camera.kx >= READABLE || this.scale !== "depth") return;
        camera.kx = camera.ky = READABLE;
        camera.x =
            (left + right) * READABLE > canvas.width
                ? -left - 16 / READABLE
                : (right - left) / 2 - canvas.width / 2 / READABLE;
        camera.y = -16 / READABLE;
    }

    centre(node) {
        const each = node && this.entry(node);
        if (!each) return;
        if (this.camera.kx < 1) {
            this.camera.kx = 1; // names can be read
            if (this.scale === "depth") this.camera.ky = 1;
        }
        this.camera.x = each.to.x - this.canvas.width / 2 / this.camera.kx;
        this.camera.y = each.to.y + each.to.depth / 2 - this.canvas.height / 2 / this.camera.ky;
    }

    // ---- selection ----

    hit(x, y) {
        const each = this.scene ? scene_at(this.scene, this.camera, x, y) : null;
        return each
            ? {
                  node: each.node,
                  part: this.part_of(each.node),
                  text: () => node_tip(this.app, this.tree, each.node),
              }
            : null;
    }

    part_of(node) {
        if (node.what === "strand") return { strand: node.strand };
        if (["task", "section", "creates", "stretch"].includes(node.what))
            return { task: node.task };
        const { start, end } = tree_times(this.tree, node);
        return { from: start, to: end };
    }

    pick(node) {
        this.picked = node;
        if (!node) return this.app.clear();
        this.leave_node();
        const part = this.part_of(node);
        this.own = JSON.stringify([part.task ?? null, part.strand ?? null]);
        this.app.choose(part);
        this.app.dirty();
    }

    // Another view selected a strand or task: opens what hides it, and brings it into sight.
    follow_selection() {
        const { task, strand } = this.app.selection;
        if ((task === null && strand === null) || this.is_own()) return;
        if (this.work.is_busy) {
            this.later(() => this.follow_selection());
            return;
        }
        this.own = null;
        const of = strand !== null ? this.app.data.strand.task[strand] : task;
        if (of === NONE || this.app.data.task.first[of] === NONE) return;
        const is_usual = this.marks() === this.usual_marks;
        this.open(tree_reveal(this.tree, of, strand ?? NONE), node => {
            if (!node) return;
            if (is_usual) this.usual_marks = this.marks();
            this.picked = this.usual_node = node;
            this.arrange(null);
            this.settle();
            this.aim = node;
        });
    }

    // ---- looks ----

    dress() {
        const { app, tree } = this,
            { colour, data } = app,
            fills = new Map();
        this.look = {
            ink: colour.ink,
            line: colour.line,
            paper: colour.paper,
            outline: colour.faint,
            width: this.canvas.width,
            soft: [0.03, 0.07].map(share =>
                mix([1 - share, share], i => [colour.paper, colour.ink][i]),
            ),
            font: "11px system-ui, sans-serif",
            has_time: this.scale !== "depth",
            fill: node => fills.get(node) ?? fills.set(node, this.fill_of(node)).get(node),
            text: background => colour.text(background),
            label: node => node_label(app, tree, node),
            has_text: node => node.what !== "strand" && node.what !== "creates",
            phase: node => this.replay.phase(tree_times(tree, node)),
            running: colour.accent,
            mark: node =>
                this.is_marked(node)
                    ? colour.accent
                    : this.shows.path && !node.open && on_path(app, tree, node)
                      ? colour.path
                      : "",
            faint: node => this.is_faint(node),
            ended: node => ENDED[data.strand.ended_by[node.strand]],
            is_collapsed: node =>
                node.what === "task" && (data.strand.flags[node.strand] & COLLAPSED) !== 0,
            edge: kind => (kind === "next" ? colour.faint : colour.edge(kind)),
            dash: colour.dash,
        };
        this.tell();
    }

    fill_of(node) {
        const { app } = this,
            { data, colour } = app,
            is_strand = node.what === "strand" || node.what === "creates";
        if (this.colour_by === "kind") {
            if (node.task === NONE) return colour.others;
            const fold = node.owner ?? node;
            if (fold.list && !is_strand && app.shades.by === "kind") {
                const { n_tasks, kinds } = tree_counted(this.tree, fold);
                if (n_tasks) return colour.kind(kinds[0]);
            }
            return app.colour_of(is_strand ? node.strand : data.task.first[node.task]);
        }
        if (is_strand) return colour.worker(data.strand.row[node.strand]);
        return mix(tree_sum(this.tree, node).by_row, row => colour.worker(row)) ?? colour.others;
    }

    is_marked(node) {
        const { task, strand } = this.app.selection,
            hover = this.app.hover;
        if (node === this.picked)
            return task !== null || strand !== null || this.app.selection.from !== null;
        if (node.what === "strand") return strand === node.strand || hover.strand === node.strand;
        return (
            node.what === "task" &&
            ((task === node.task && strand === null) ||
                (hover.task === node.task && hover.strand === null))
        );
    }

    is_faint(node) {
        const { kind, site, worker } = this.app.selection,
            { data } = this.app;
        if (node.task === NONE || node.open) return false;
        const is_leaf =
            node.what === "strand" ||
            node.what === "task" ||
            node.what === "created" ||
            node.what === "tasks" ||
            node.what === "orphans";
        if (kind !== null && is_leaf) return data.task.kind[node.task] !== kind;
        if (site !== null && is_leaf) return data.kinds[data.task.kind[node.task]].site !== site;
        return worker !== null && tree_sum(this.tree, node).by_row[worker] === 0;
    }

    // What the bar chooses.
    set(name, value) {
        this[name] = value;
        this.dress();
        this.arrange(null);
    }

    turn(name) {
        this.shows[name] = !this.shows[name];
        this.overlay = null;
        this.dress();
        this.app.dirty();
    }

    fit_all() {
        this.aim = "all";
        this.app.dirty();
    }

    tell() {
        this.replays = draw_bar(this);
    }

    // ---- drawing ----

    draw() {
        const { canvas, app, camera } = this;
        if (this.moving) this.step_motion();
        this.replay.advance();
        if (canvas.width === 0) return;
        this.take_aim();
        this.look.width = canvas.width;
        this.look.room = 20 * camera.ky;
        canvas.ctx.clearRect(0, 0, canvas.width, canvas.height);
        if (this.scale !== "depth" && this.is_since) draw_time(this);
        const edges = this.shows.join
            ? this.layout.edges
            : this.layout.edges.filter(edge => edge.kind !== "join");
        this.n_drawn = draw_scene(canvas, this.scene, edges, camera, this.look);
        const kinds = ["depend", "sync"].filter(kind => this.shows[kind]);
        if (!kinds.length) return;
        this.edges ??= overlay_edges(app.data);
        this.overlay ??= overlay_of(this.scene, this.tree.order, this.edges, kinds);
        canvas.ctx.save();
        draw_overlay(canvas.ctx, this.overlay, canvas, camera, this.look);
        canvas.ctx.restore();
    }

    key(event) {
        if (event.ctrlKey || event.metaKey) return false;
        const name = event.key.toLowerCase();
        if (name === "x" || name === "c") this.step_level(name === "x");
        else if (name === "z") this.aim = "all";
        else if (name === "r") this.replay.turn(this.replay.at === null);
        else if ((name === "," || name === ".") && this.replay.at !== null)
            this.replay.step(name === "." ? 1 : -1);
        else if (name === "enter" && this.picked) this.open_or_zoom(this.picked);
        else if (
            document.activeElement === this.canvas.node &&
            camera_key(this.camera, this.canvas, event)
        )
            this.aim = null;
        else return false;
        this.app.dirty();
        return true;
    }

    changed(news) {
        if (news.has("theme") || news.has("colour")) this.dress();
        if (news.has("selection")) this.follow_selection();
    }

    sum(node) {
        return tree_sum(this.tree, node);
    }

    rows() {
        const { time, count } = this.app.format,
            nodes = tree_nodes(this.tree.root)
                .filter(node => !node.open)
                .slice(0, ROWS);
        return {
            caption: "nodes of the DAG in sight",
            head: ["node", "what", "from", "lasted", "tasks", "work"],
            rows: nodes.map(node => {
                const sum = tree_sum(this.tree, node),
                    times = tree_times(this.tree, node);
                return [
                    node_label(this.app, this.tree, node)[0],
                    node.what,
                    time(times.start),
                    time(times.end - times.start),
                    count(sum.tasks),
                    time(sum.work),
                ];
            }),
        };
    }
}

export const view = {
    id: "dag",
    title: "DAG",
    hint: "who created and waited for whom",
    /** @param {App} app */
    mount(app, host) {
        const dag = new Dag(app, host);
        return {
            dag,
            timeless: true,
            draw: () => dag.draw(),
            hit: (x, y) => dag.hit(x, y)?.part ?? null,
            key: event => dag.key(event),
            changed: news => dag.changed(news),
            rows: () => dag.rows(),
        };
    },
};
