"use strict";
const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
};
const svg = (tag, attributes, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};
const body = id => document.querySelector(`#${id} .body`);
const hide = id => { document.getElementById(id).hidden = true; };
const show = value => value === null || value === undefined ? "—"
  : typeof value === "number" ? (Number.isInteger(value) ? String(value) : Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(4)) : String(value);
const signed = value => (value >= 0 ? "+" : "") + value.toFixed(3);

async function unpack() {
  const bytes = Uint8Array.from(atob(document.getElementById("data").textContent), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/* A table that sorts by its headers and opens rows by click, Enter or Space. Columns: {label, get, text, html}. */
function grid(columns, rows, {open = null, sort = null, up = false} = {}) {
  const tbody = el("tbody"), state = {sort, up, chosen: null};
  const heads = columns.map((column, place) => {
    const button = el("button", {type: "button", onclick: () => {
      state.up = state.sort === place ? !state.up : !!column.text;
      state.sort = place;
      draw();
    }}, column.label);
    return el("th", {scope: "col", class: column.text ? "text" : null}, button);
  });
  let shown = rows;
  function draw() {
    const order = [...shown];
    if (state.sort !== null) {
      const get = columns[state.sort].get, way = state.up ? 1 : -1;
      order.sort((a, b) => {
        const [x, y] = [get(a), get(b)];
        if (x === null || x === undefined) return y === null || y === undefined ? 0 : 1;
        if (y === null || y === undefined) return -1;
        return way * (typeof x === "string" ? x.localeCompare(String(y), undefined, {numeric: true}) : x - y);
      });
    }
    heads.forEach((head, place) => head.setAttribute("aria-sort", place !== state.sort ? "none" : state.up ? "ascending" : "descending"));
    tbody.replaceChildren(...order.map(row => {
      const cells = columns.map(column => {
        const content = column.html ? column.html(row) : show(column.get(row));
        return el("td", {class: [column.text ? "text" : "", column.best && column.best(row) ? "best" : ""].join(" ").trim() || null}, content);
      });
      const line = el("tr", {tabindex: open ? 0 : null}, ...cells);
      if (open) {
        const act = () => {
          tbody.querySelectorAll("tr.chosen").forEach(other => other.classList.remove("chosen"));
          line.classList.add("chosen");
          open(row);
        };
        line.addEventListener("click", act);
        line.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); } });
      }
      return line;
    }));
  }
  draw();
  const table = el("div", {class: "wide", tabindex: 0}, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), tbody));
  return {table, only: kept => { shown = kept; draw(); }};
}

const filtering = (label, action) => el("input", {type: "search", placeholder: label, "aria-label": label, oninput: event => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  action(text => words.every(word => text.toLowerCase().includes(word)));
}});
const choice = (label, options, action, chosen = 0) => el("label", {}, label + " ", el("select", {onchange: event => action(event.target.selectedIndex)},
  ...options.map((option, place) => el("option", {selected: place === chosen}, option))));

function runs(data) {
  const extras = Object.keys((data.runs[0] || {extra: {}}).extra);
  const primary = data.metrics.findIndex(metric => metric[0] === data.primary);
  const order = data.metrics.map((_, place) => place).sort((a, b) => (a !== primary) - (b !== primary) || a - b);
  const distinct = data.runs.filter(run => !run.same);
  const names = {};
  data.runs.forEach(run => { if (run.same) (names[run.same] = names[run.same] || []).push(run.name); });
  const columns = [{label: "run", text: true, get: run => run.name, html: run => el("span", {}, [run.name, ...(names[run.name] || [])].join(" = "),
    run.group ? el("span", {class: "dagger", title: "not distinguishable from the best"}, " †") : "")}];
  for (const place of order) {
    const [name, higher] = data.metrics[place];
    const values = distinct.map(run => run.means[place]).filter(value => value !== null);
    const top = higher ? Math.max(...values) : Math.min(...values);
    columns.push({label: name, get: run => run.means[place], best: run => run.means[place] === top});
    if (place === primary) columns.push({label: "95 % interval", get: run => run.low, html: run => run.low === undefined ? "—" : `${show(run.low)} – ${show(run.high)}`},
      {label: "p against best", get: run => run.p});
  }
  for (const name of extras) columns.push({label: name, get: run => run.extra[name]});
  if (distinct.some(run => run.status[1])) columns.push({label: "errored", get: run => run.status[1]});
  const at = columns.findIndex(column => column.label === data.primary);
  const made = grid(columns, distinct, {sort: at < 0 ? 0 : at, up: at >= 0 && !data.metrics[primary][1], open: run => questions.choose && questions.choose(run.name)});
  const count = el("span", {class: "faint"}, `${distinct.length} runs`);
  const search = filtering("filter runs, such as k=5 dense", fits => {
    const kept = distinct.filter(run => fits([run.name, ...(names[run.name] || [])].join(" ")));
    count.textContent = `${kept.length} of ${distinct.length} runs`;
    made.only(kept);
  });
  body("runs").append(el("div", {class: "tools"}, search, count),
    made.table, el("p", {class: "faint"}, "† not distinguishable from the best by the primary metric (max-T over all pairs). A row opens its questions."));
}

function factors(data) {
  if (!data.effects || !data.effects.length) return hide("factors");
  const effects = [...data.effects].sort((a, b) => Math.abs(b.mean) - Math.abs(a.mean));
  const most = Math.max(...effects.flatMap(effect => [Math.abs(effect.low), Math.abs(effect.high)]), 1e-9);
  const shownEffects = effects.slice(0, 40), height = 22 * shownEffects.length + 30, x = value => 520 + 300 * value / most;
  const rows = shownEffects.flatMap((effect, place) => {
    const y = 20 + 22 * place, quiet = effect.adjusted_p > .05 || effect.constructed ? " quiet" : "";
    return [svg("text", {x: 205, y: y + 4, "text-anchor": "end"}, `${effect.axis}: ${effect.high_level} over ${effect.low_level}`.slice(0, 60)),
      svg("line", {x1: x(effect.low), x2: x(effect.high), y1: y, y2: y, class: "bar" + quiet}), svg("circle", {cx: x(effect.mean), cy: y, r: 4, class: quiet ? "dot" : "front"})];
  });
  body("factors").append(svg("svg", {viewBox: `-180 0 1010 ${height}`, role: "img", "aria-label": "effects with intervals"},
    svg("line", {x1: x(0), x2: x(0), y1: 5, y2: height - 12, class: "axis"}), ...rows));
  const made = grid([
    {label: "setting", text: true, get: effect => effect.axis},
    {label: "from → to", text: true, get: effect => `${effect.low_level} → ${effect.high_level}`},
    {label: data.primary + " difference", get: effect => effect.mean, html: effect => `${signed(effect.mean)} [${signed(effect.low)}, ${signed(effect.high)}]`},
    {label: "p (all effects)", get: effect => effect.adjusted_p}, {label: "contexts", get: effect => effect.contexts},
    {label: "", text: true, get: effect => effect.constructed ? "by construction, no merit" : effect.adjusted_p <= .05 ? "seen" : "not seen"}], effects);
  body("factors").append(made.table);
  if (data.interactions.length) body("factors").append(el("h3", {}, "Strongest interactions"), grid([
    {label: "settings", text: true, get: each => each.axes.join(" x ")},
    {label: "levels", text: true, get: each => each.levels.map(pair => pair.join(" → ")).join("; ")},
    {label: "difference of differences", get: each => each.mean, html: each => `${signed(each.mean)} [${signed(each.low)}, ${signed(each.high)}]`},
    {label: "p", get: each => each.adjusted_p}], data.interactions).table);
  if (data.unmatched.length) body("factors").append(el("p", {class: "faint"}, "Never in the same context: " + data.unmatched.slice(0, 20).join("; ")));
}

function scatter(data) {
  const costs = data.metrics.map((metric, place) => [metric[0], place]).filter(([name]) => /latency|tokens|cost/.test(name));
  const primary = data.metrics.findIndex(metric => metric[0] === data.primary);
  if (primary < 0 || !costs.length) return hide("plots");
  const place = el("div");
  const draw = chosen => {
    const [name, cost] = costs[chosen], up = data.metrics[primary][1] ? 1 : -1;
    const points = data.runs.filter(run => !run.same && run.means[primary] !== null && run.means[cost] !== null)
      .map(run => ({run, x: run.means[cost], y: run.means[primary]}));
    points.forEach(point => { point.front = !points.some(other => other.x <= point.x && up * other.y >= up * point.y && (other.x < point.x || up * other.y > up * point.y)); });
    const span = values => { const low = Math.min(...values), high = Math.max(...values); return [low, high === low ? low + 1 : high]; };
    const [x0, x1] = span(points.map(point => point.x)), [y0, y1] = span(points.map(point => point.y));
    const at = point => [70 + 700 * (point.x - x0) / (x1 - x0), 330 - 300 * (point.y - y0) / (y1 - y0)];
    place.replaceChildren(svg("svg", {viewBox: "0 0 800 380", role: "img", "aria-label": `${data.primary} against ${name}`},
      svg("line", {x1: 60, x2: 780, y1: 340, y2: 340, class: "axis"}), svg("line", {x1: 60, x2: 60, y1: 20, y2: 340, class: "axis"}),
      svg("text", {x: 780, y: 372, "text-anchor": "end"}, name), svg("text", {x: 5, y: 14}, data.primary),
      svg("text", {x: 62, y: 356}, show(x0)), svg("text", {x: 780, y: 356, "text-anchor": "end"}, show(x1)),
      svg("text", {x: 55, y: 334, "text-anchor": "end"}, y0.toFixed(3)), svg("text", {x: 55, y: 34, "text-anchor": "end"}, y1.toFixed(3)),
      ...points.map(point => svg("circle", {cx: at(point)[0], cy: at(point)[1], r: point.front ? 6 : 4, class: point.front ? "front" : "dot"},
        svg("title", {}, `${point.run.name}\n${data.primary} ${show(point.y)}, ${name} ${show(point.x)}${point.run.group ? "\nnot distinguishable from the best" : ""}`)))),
    el("p", {class: "faint"}, "On the front: " + points.filter(point => point.front).sort((a, b) => a.x - b.x).map(point => point.run.name + (point.run.group ? " †" : "")).slice(0, 8).join("; ")));
  };
  body("plots").append(choice("cost", costs.map(([name]) => name), draw), place);
  draw(0);
}

function heat(data) {
  const axes = Object.keys(data.axes), primary = data.metrics.findIndex(metric => metric[0] === data.primary);
  if (axes.length < 2 || primary < 0) return hide("heat");
  const place = el("div", {class: "wide"}), chosen = [0, 1];
  const draw = () => {
    const [a, b] = chosen.map(index => axes[index]), level = (run, axis) => run.settings[axis] === undefined ? "(default)" : run.settings[axis];
    const cell = (x, y) => {
      const values = data.runs.filter(run => !run.same && level(run, a) === x && level(run, b) === y).map(run => run.means[primary]).filter(value => value !== null);
      return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
    };
    const rows = data.axes[a].map(x => data.axes[b].map(y => cell(x, y))), all = rows.flat().filter(value => value !== null);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    place.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, `${a} \\ ${b}`), ...data.axes[b].map(y => el("th", {}, y)))),
      el("tbody", {}, ...rows.map((row, index) => el("tr", {}, el("td", {}, data.axes[a][index]), ...row.map(value =>
        el("td", {style: value === null ? null : `background: color-mix(in srgb, var(--accent) ${Math.round(70 * (high > low ? (value - low) / (high - low) : 0))}%, transparent)`}, value === null ? "—" : value.toFixed(3))))))));
  };
  const pick = which => index => { chosen[which] = index; draw(); };
  body("heat").append(el("div", {class: "tools"}, choice("rows", axes, pick(0)), choice("columns", axes, pick(1), 1)), place,
    el("p", {class: "faint"}, `mean ${data.primary} over the runs of each cell`));
  draw();
}

function spread(data) {
  const scores = data.scores || [];
  if (!scores.length) return hide("spread");
  const lines = scores.slice(0, 30).map((byMetric, place) => {
    const values = (byMetric[0] || []).filter(value => value !== null), bins = Array(10).fill(0);
    const high = Math.max(1000, ...values);
    values.forEach(value => { bins[Math.max(0, Math.min(9, Math.floor(10 * value / high)))] += 1; });
    const most = Math.max(...bins, 1);
    return el("tr", {}, el("td", {}, data.runs[data.shown[place]].name), el("td", {}, svg("svg", {viewBox: "0 0 200 30", width: 200, role: "img", "aria-label": "histogram"},
      ...bins.map((count, bin) => svg("rect", {x: 20 * bin, width: 18, y: 30 - 28 * count / most, height: 28 * count / most, class: "box"}, svg("title", {}, String(count)))))));
  });
  body("spread").append(el("p", {class: "faint"}, `${data.scored[0]} of single questions, from low to high` + (scores.length > 30 ? `; the first 30 of ${scores.length} runs` : "")),
    el("div", {class: "wide"}, el("table", {}, el("tbody", {}, ...lines))));
}

function funnel(data) {
  const rows = (data.funnels || []).map((counts, place) => ({counts, name: data.runs[data.shown[place]].name})).filter(row => row.counts);
  if (!rows.length) { body("funnel").append(el("p", {class: "faint"}, "This needs the samples.jsonl of a sweep's runs.")); return; }
  const key = el("p", {}, ...data.steps.flatMap((name, place) => [el("span", {class: `key s${place}`}), name]));
  const columns = [{label: "run", text: true, get: row => row.name}, {label: "", text: true, get: row => row.counts[0], html: row => {
    const total = row.counts.reduce((sum, count) => sum + count, 0) || 1;
    return el("div", {class: "stack", role: "img", "aria-label": data.steps.map((name, place) => `${name} ${row.counts[place]}`).join(", ")},
      ...row.counts.map((count, place) => el("span", {class: `s${place}`, style: `width:${100 * count / total}%`, title: `${data.steps[place]}: ${count}`})));
  }}, ...data.steps.map((name, place) => ({label: name, get: row => row.counts[place]}))];
  body("funnel").append(key, grid(columns, rows, {sort: 2}).table);
}

const spanOf = id => { const found = /^(.+)#char=(\d+),(\d+)$/s.exec(id); return found && {doc: found[1], start: +found[2], end: +found[3]}; };
const slice = (text, start, end) => text === undefined ? null : Array.from(text).slice(start, end).join("");

function passage(data, id, gold, rank) {
  const span = spanOf(id), text = span ? data.docs[span.doc] : data.docs[id];
  const golden = gold.map(spanOf).filter(each => each && span && each.doc === span.doc && each.start < span.end && span.start < each.end);
  const hit = golden.length || gold.includes(id) || (span && gold.includes(span.doc));
  const node = el("div", {class: "chunk" + (hit ? " hit" : "")}, el("b", {}, `${rank}. ${id}${hit ? " · gold" : ""}`));
  if (text === undefined) return node;
  const start = span ? span.start : 0, end = span ? span.end : 2000, cuts = [start, end];
  golden.forEach(each => cuts.push(Math.max(start, each.start), Math.min(end, each.end)));
  cuts.sort((a, b) => a - b);
  for (let place = 0; place + 1 < cuts.length; place++) if (cuts[place] < cuts[place + 1]) {
    const piece = slice(text, cuts[place], cuts[place + 1]);
    node.append(golden.some(each => each.start <= cuts[place] && cuts[place + 1] <= each.end) ? el("mark", {}, piece) : piece);
  }
  return node;
}

const questions = data => {
  if (!data.questions.length) return hide("questions");
  const names = data.shown.map(place => data.runs[place].name), chosen = [Math.max(0, names.indexOf(data.best)), null];
  const detail = el("div", {id: "detail", tabindex: -1, "aria-live": "polite"}), missed = new Set(data.missed || []);
  const rows = data.questions.map((question, place) => ({...question, place}));
  const score = (run, place) => run === null ? null : (value => value === null || value === undefined ? null : value / 1000)(data.scores[run][0] && data.scores[run][0][place]);
  const average = place => { const all = data.scores.map((_, run) => score(run, place)).filter(value => value !== null); return all.length ? all.reduce((a, b) => a + b, 0) / all.length : null; };
  const said = row => missed.has(row.q) ? "missed by every run" : (data.only || {})[row.q] ? "only " + data.only[row.q] : "";
  const step = place => { const found = (data.stepOf[chosen[0]] || [])[place]; return found === null || found === undefined ? "" : data.steps[found]; };
  const columns = [{label: "question", text: true, get: row => row.q}, {label: "kind", text: true, get: row => row.tags.kind || ""},
    {label: "score", get: row => score(chosen[0], row.place)}, {label: "difference", get: row => chosen[1] === null ? null : score(chosen[0], row.place) - score(chosen[1], row.place)},
    {label: "mean of all runs", get: row => average(row.place)}, {label: "where it ended", text: true, get: row => step(row.place)}, {label: "", text: true, get: said}];
  const side = (run, row) => el("div", {}, el("h4", {}, `${names[run]}: ${show(score(run, row.place))}`),
    data.answers && data.answers[run][row.place] ? el("p", {}, "Answer: " + data.answers[run][row.place]) : null,
    ...((data.top[run][row.place] || []).map((chunk, rank) => passage(data, data.chunks[chunk], row.gold, rank + 1))));
  const open = row => {
    open.row = row;
    detail.replaceChildren(el("h3", {}, row.q), el("p", {class: "faint"}, Object.entries(row.tags).map(pair => pair.join(": ")).join(" · ")),
      el("div", {}, ...row.gold.map(id => passage(data, id, [id], "gold"))),
      el("div", {class: "two"}, ...[...new Set(chosen.filter(run => run !== null))].map(run => side(run, row))));
    detail.focus({preventScroll: true});
  };
  const made = grid(columns, rows, {open, sort: 2, up: true});
  let kept = rows;
  const draw = () => { made.only(kept); if (open.row) open(open.row); };
  const first = choice("run", names, index => { chosen[0] = index; draw(); }, chosen[0]);
  const second = choice("against", ["nothing", ...names], index => { chosen[1] = index ? index - 1 : null; draw(); });
  questions.choose = name => {
    const index = names.indexOf(name);
    if (index < 0) return;
    chosen[0] = index;
    first.querySelector("select").selectedIndex = index;
    draw();
    document.getElementById("questions").scrollIntoView();
  };
  const search = filtering("filter questions", fits => { kept = rows.filter(row => fits([row.q, ...Object.values(row.tags), said(row), step(row.place)].join(" "))); draw(); });
  const more = data.runs.length > names.length ? el("p", {class: "faint"}, `The questions of ${names.length} of ${data.runs.length} runs are in this page.`) : null;
  body("questions").append(el("div", {class: "tools"}, search, first, second), ...(more ? [more] : []), made.table, detail);
  if (data.slices && data.slices.length) body("questions").append(el("h3", {}, `${data.primary} of ${data.best} by tag`), grid([
    {label: "tag", text: true, get: each => `${each.tag}: ${each.value}`}, {label: "questions", get: each => each.questions}, {label: "mean", get: each => each.mean},
    {label: "95 % interval", get: each => each.low, html: each => `${show(each.low)} – ${show(each.high)}`}], data.slices).table);
};

function failures(data) {
  if (!data.failures.length) return hide("failures");
  body("failures").append(...data.failures.map(each => el("details", {}, el("summary", {}, `${each.name}: ${each.reason}`), el("pre", {}, each.traceback || "no traceback"))));
}

unpack().then(data => {
  [questions, runs, factors, scatter, heat, spread, funnel, failures].forEach(section => section(data));
  document.documentElement.dataset.ready = "true";
}).catch(error => { document.querySelector("main").prepend(el("p", {}, `This page could not be drawn: ${error}`)); });
