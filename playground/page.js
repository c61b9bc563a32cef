// page: the state, the controls, and what is asked of the worker. Everything that is drawn follows from `state`.
"use strict";

const CELLS = 72; // of the grid of probabilities, in each direction
const AUDIT_DELAY = 250; // milliseconds after the last change
const CURVE = { from: -7, step: 0.05, count: 241 };
const $ = (id) => document.getElementById(id);

const DEFAULTS = { set: "servedio", count: 400, seed: 1, degree: 0, kind: "random", rate: 0.1, t1: 0.3, t2: 1, lambda: NaN };
const state = { ...DEFAULTS, points: [], history: [], tool: "flip", cursor: null, listed: new Set(), fits: null, table: null, file: null };

// ---- The worker -----------------------------------------------------------------------------------------------------

async function unpackLibrary() {
  const packed = Uint8Array.from(atob($("library").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

const library = {
  waiting: new Map(), next: 1, worker: null,
  async start() {
    const script = new Blob([$("worker-script").textContent], { type: "text/javascript" });
    this.worker = new Worker(URL.createObjectURL(script));
    this.worker.onmessage = ({ data: { id, result, error, milliseconds } }) => {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === undefined) resolve(milliseconds === undefined ? result : { result, milliseconds });
      else reject(new Error(error));
    };
    const module = await unpackLibrary();
    $("version").textContent = await this.ask({ job: "start", module });
  },
  ask(request) {
    const id = this.next++;
    this.worker.postMessage({ ...request, id });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  },
};

// Runs the latest of the jobs that were asked for while one was running; earlier ones are left out.
function latest(run) {
  let running = null, again = false;
  const loop = async () => {
    do {
      again = false;
      await run();
    } while (again);
    running = null;
  };
  return () => {
    if (running) again = true;
    else running = loop();
    return running;
  };
}

// ---- Words ----------------------------------------------------------------------------------------------------------

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const flippedCount = () => state.points.filter((point) => point.label !== point.truth).length;
const plural = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
const showProblem = (text) => { $("problem").textContent = text; $("problem").hidden = !text; };
const announce = (text) => { $("announce").textContent = text; };

function settings() {
  const lambda = state.lambda;
  return [[1, 1, lambda], [state.t1, state.t2, lambda]];
}

const degree = () => state.degree || SETS[state.set].degree;
const truthAccuracy = (fit) => {
  const right = state.points.filter((point, row) => state.fits.classes[fit.predicted[row]] === point.truth).length;
  return right / state.points.length;
};

// ---- Fitting --------------------------------------------------------------------------------------------------------

const labelsOf = () => Int32Array.from(state.points, (point) => point.label);

const refit = latest(async () => {
  const { points } = state;
  drawLossCurves();
  if (state.table) return refitTable();
  if (new Set(points.map((point) => point.label)).size < 2) {
    state.fits = null;
    showProblem(points.length ? "There is one class only: add points of another." : "");
    draw();
    return;
  }
  try {
    const { x, columns } = features(points, degree());
    const grid = features(gridPoints(CELLS), degree()).x;
    const { result, milliseconds } = await library.ask({ job: "fit", x, columns, labels: labelsOf(), settings: settings(), grid });
    state.fits = result;
    showProblem("");
    $("time").textContent = `Both trainings took ${milliseconds.toFixed(0)} ms.`;
  } catch (error) {
    state.fits = null;
    showProblem(error.message);
  }
  draw();
});

let auditTimer;
function auditSoon() {
  clearTimeout(auditTimer);
  auditTimer = setTimeout(audit, AUDIT_DELAY);
}

const audit = latest(async () => {
  if (state.table || !state.fits) return;
  const { x, columns } = features(state.points, degree()), labels = labelsOf();
  try {
    const { result } = await library.ask({ job: "audit", x, columns, labels, settings: settings()[1] });
    if (labels.length !== state.points.length) return; // a later audit is on its turn
    showAudit(result, labels, (label) => CLASS_LETTERS[label], state.points);
  } catch (error) {
    $("audit-words").textContent = error.message;
    $("suspects").replaceChildren();
    state.listed = new Set();
  }
  draw();
});

// What was expected, what is listed and, where the truth is known, how many of these are wrong.
function auditWords(found, count, truth) {
  const expected = `${found.wrong.toFixed(0)} labels (${found.low.toFixed(0)} to ${found.high.toFixed(0)}) are expected to be wrong`;
  const verdict = found.undecided
    ? "The labels do not show whether any of them are wrong; this is the order of suspicion all the same. "
    : `${expected}, and ${plural(found.listed, "row")} listed. `;
  if (!truth) return verdict;
  const shown = found.undecided ? count : found.listed, rows = [...found.row.slice(0, shown)];
  const hits = rows.filter((row) => truth[row].label !== truth[row].truth).length, all = flippedCount();
  return `${verdict}${all} are wrong; ${hits} of them are among the first ${shown}.`;
}

function showAudit(found, labels, name, truth) {
  const flips = truth ? flippedCount() : 0, shown = found.undecided ? flips : found.listed;
  state.audit = { found, labels, name };
  state.listed = truth ? new Set(found.row.slice(0, shown)) : new Set();
  $("audit-words").textContent = auditWords(found, shown, truth);
  $("truth-head").textContent = truth ? "Truth" : "";
  const lines = [...found.row.slice(0, 100)].map((row, rank) => {
    const line = document.createElement("tr"), wrong = truth && truth[row].label !== truth[row].truth;
    const cells = [rank + 1, row + 1, name(labels[row]), name(found.suggested[rank]), (100 * found.score[rank]).toFixed(1),
      truth ? (wrong ? "wrong" : "right") : ""];
    line.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    if (wrong) line.lastChild.className = "hit";
    return line;
  });
  $("suspects").replaceChildren(...lines);
}

// ---- Tables of the user ---------------------------------------------------------------------------------------------

async function openFile(file) {
  if (!file) return;
  let stream = file.stream();
  if (file.name.endsWith(".gz")) stream = stream.pipeThrough(new DecompressionStream("gzip"));
  try {
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    state.table = state.file = { name: file.name.replace(/\.gz$/, ""), bytes };
  } catch (error) {
    showProblem(`${file.name}: ${error.message}`);
    return;
  }
  await refit();
}

// The file that was opened last, also if it was refused, by another label column.
function chooseLabel() {
  if (!state.file) return;
  state.table = state.file;
  refit();
}

// What the command would be told by an option has a field here. Checks of the whole table call what has no path "-".
function tableProblem(name, text) {
  const named = text.replace(/^-: /, `${name}: `);
  return /--label/.test(named) ? `${named}. Here: the field "Label column".` : named;
}

async function refitTable() {
  const { name, bytes } = state.table, label = $("label-column").value.trim() || null;
  showPanels();
  $("table-title").textContent = name;
  $("table-words").textContent = "Training and auditing …";
  try {
    const { result, milliseconds } = await library.ask({ job: "table", name, bytes, label, settings: settings() });
    const { about, fits, audit: found } = result, [logistic, tempered] = fits;
    if (!state.table) return;
    state.table.fits = fits;
    showProblem("");
    $("table-words").textContent = `${plural(about.rows, "row")}, ${plural(about.features, "feature")}, ${about.classes.length} classes. ` +
      `Labels that the model agrees with: ${percent(logistic.accuracy)} by logistic regression, ${percent(tempered.accuracy)} with two temperatures.`;
    showAudit(found, about.labels, (label) => about.classes[label], null);
    $("time").textContent = `Two trainings and the audit took ${(milliseconds / 1000).toFixed(1)} s.`;
    drawCharts(fits, () => false);
  } catch (error) {
    state.table = null;
    showPanels();
    showProblem(tableProblem(name, error.message));
    draw();
  }
}

function showPanels() {
  const table = state.table !== null;
  for (const key of document.querySelectorAll(".of-points")) key.hidden = table; // the truth of a table is not known
  $("table-panel").hidden = !table;
  for (const id of ["planes", "plane-help", "tools"]) $(id).hidden = table;
}

// ---- Drawing --------------------------------------------------------------------------------------------------------

async function drawLossCurves() {
  const pairs = [[1, 1], [state.t1, state.t2]], { result } = await library.ask({ job: "curve", pairs, ...CURVE });
  const bound = state.t1 < 1 ? 1 / (1 - state.t1) : Infinity;
  const words = state.t1 < 1
    ? `With t₁ = ${state.t1} no row costs more than ${bound.toFixed(2)}, however wrong its label; the logistic loss (dashed) has no bound.`
    : "With t₁ = 1 the loss has no bound: a wrong label far from the boundary costs as much as it likes.";
  $("loss-words").textContent = words;
  drawLosses($("losses"), [{ values: result[0], name: "logistic" }, { values: result[1], name: "tempered" }],
    { ...CURVE, bound, title: `Loss by margin. ${words}` });
}

function drawCharts(fits, flipped) {
  const names = ["logistic", "tempered"], titles = ["logistic regression", "two temperatures"];
  fits.forEach((fit, i) => {
    const negative = fit.margins.filter((margin) => margin < 0).length;
    drawMargins($(`margins${i}`), fit.margins, flipped,
      { name: names[i], title: `Margins, ${titles[i]}: ${negative} of ${fit.margins.length} rows contradict their label.` });
  });
}

function draw() {
  if (state.table) return;
  const names = ["logistic", "tempered"], words = ["Logistic regression", "Two temperatures"];
  const flips = flippedCount();
  names.forEach((name, i) => {
    const fit = state.fits && state.fits.fits[i];
    const grid = fit && fit.grid ? { values: fit.grid, cells: CELLS, classes: state.fits.classes } : null;
    const about = fit ? `${percent(truthAccuracy(fit))} of the true labels` : "";
    $(`${name}-words`).textContent = about;
    $(`${name}-plane`).setAttribute("aria-label",
      `${words[i]}: ${plural(state.points.length, "point")}, ${flips} with a wrong label. ${about}`);
    drawPlane($(`${name}-plane`), { points: state.points, grid, listed: i ? state.listed : new Set(), cursor: state.cursor });
  });
  if (state.fits) drawCharts(state.fits.fits, (row) => state.points[row] && state.points[row].label !== state.points[row].truth);
  $("undo").disabled = state.history.length === 0;
  $("restore").disabled = flips === 0;
}

// ---- Changing points ------------------------------------------------------------------------------------------------

function remember() {
  state.history.push(state.points.map((point) => ({ ...point })));
  if (state.history.length > 100) state.history.shift();
}

function nearest(at) {
  let best = -1, least = Infinity;
  state.points.forEach((point, row) => {
    const distance = (point.x - at.x) ** 2 + (point.y - at.y) ** 2;
    if (distance < least) [best, least] = [row, distance];
  });
  return { row: best, distance: Math.sqrt(least) };
}

// The tool at a place of the plane; `reach`: how far from it a point may be.
function act(at, reach) {
  const { row, distance } = nearest(at);
  if (state.tool.startsWith("add")) {
    const label = Number(state.tool.slice(3));
    remember();
    state.points.push({ x: within(at.x), y: within(at.y), truth: label, label });
    announce(`A point of class ${CLASS_LETTERS[label]} was added.`);
  } else if (row >= 0 && distance < reach) {
    remember();
    if (state.tool === "erase") state.points.splice(row, 1);
    else {
      const classes = Math.max(2, ...state.points.map((point) => point.truth + 1));
      state.points[row].label = (state.points[row].label + 1) % classes;
    }
    announce(state.tool === "erase" ? `Row ${row + 1} was removed.` : `Row ${row + 1} is now labelled ${CLASS_LETTERS[state.points[row].label]}.`);
  } else return;
  state.listed = new Set();
  changed();
}

function listenToPlane(canvas) {
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: AREA * ((2 * (event.clientX - box.left)) / box.width - 1), y: AREA * (1 - (2 * (event.clientY - box.top)) / box.height) };
  };
  let drawn = null;
  canvas.addEventListener("pointerdown", (event) => {
    drawn = place(event);
    state.cursor = null;
    act(drawn, event.pointerType === "mouse" ? 0.12 : 0.22);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drawn || !event.buttons || state.tool === "flip") return;
    const at = place(event);
    if (Math.hypot(at.x - drawn.x, at.y - drawn.y) < 0.07) return;
    drawn = at;
    act(at, 0.12);
  });
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }, step = event.shiftKey ? 0.2 : 0.05;
    if (moves[event.key]) {
      const from = state.cursor || { x: 0, y: 0 };
      state.cursor = { x: within(from.x + step * moves[event.key][0]), y: within(from.y + step * moves[event.key][1]) };
      const { row, distance } = nearest(state.cursor);
      if (row >= 0 && distance < 0.15) announce(`Row ${row + 1}, class ${CLASS_LETTERS[state.points[row].label]}`);
      draw();
    } else if ((event.key === "Enter" || event.key === " ") && state.cursor) act(state.cursor, 0.15);
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("blur", () => { state.cursor = null; draw(); });
}

// ---- The state as a link --------------------------------------------------------------------------------------------

const LINKED = ["set", "count", "seed", "degree", "kind", "rate", "t1", "t2", "lambda"];

function writeLink() {
  const entries = LINKED.filter((key) => !Object.is(state[key], DEFAULTS[key])).map((key) => [key, String(state[key])]);
  history.replaceState(null, "", entries.length ? `#${new URLSearchParams(entries)}` : location.pathname + location.search);
}

// Values out of range are left at their defaults: a link is text from anywhere.
function readLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of LINKED) {
    const text = given.get(key), number = Number(text), input = $(key);
    if (text === null) continue;
    if (key === "set" ? SETS[text] : key === "kind" ? [...input.options].some((option) => option.value === text) : false) state[key] = text;
    else if (key === "lambda" && number > 0 && number <= 10) state.lambda = number;
    else if (key === "seed" && Number.isInteger(number) && number > 0 && number < 1e9) state.seed = number;
    else if (key === "degree" && [1, 2, 3].includes(number)) state.degree = number;
    else if (input && input.type === "range" && key !== "lambda" && number >= Number(input.min) && number <= Number(input.max)) state[key] = number;
  }
}

// ---- Controls -------------------------------------------------------------------------------------------------------

function changed() {
  refit().then(auditSoon);
}

async function resample() {
  state.history = [];
  state.listed = new Set();
  state.table = null;
  showPanels();
  state.points = samplePoints(state.set, state.count, state.seed);
  if (state.points.length && state.rate > 0) {
    const { x, columns } = features(state.points, degree()), labels = labelsOf();
    try {
      const { result } = await library.ask({ job: "noise", x, columns, labels, kind: state.kind, rate: state.rate, seed: state.seed });
      result.forEach((label, row) => { state.points[row].label = label; });
    } catch (error) {
      showProblem(error.message);
    }
  }
  changed();
}
const resampleLatest = latest(resample);

function showSettings() {
  for (const id of ["count", "rate", "t1", "t2", "kind"]) $(id).value = state[id];
  $("degree").value = degree();
  $("count-out").textContent = state.count;
  $("rate-out").textContent = percent(state.rate);
  $("t1-out").textContent = state.t1.toFixed(2);
  $("t2-out").textContent = state.t2.toFixed(2);
  const auto = Number.isNaN(state.lambda);
  $("auto").checked = auto;
  $("lambda").disabled = auto;
  if (!auto) $("lambda").value = Math.log10(state.lambda);
  $("lambda-out").textContent = auto ? "from the data" : state.lambda.toPrecision(2);
  const classes = SETS[state.set].classes, shapes = ["", "square", "triangle"];
  $("class-legend").replaceChildren(...CLASS_LETTERS.slice(0, classes).map((letter, c) => {
    const key = Object.assign(document.createElement("i"), { className: `key ${shapes[c]}` });
    const item = document.createElement("span");
    key.style.background = `var(--class-${c})`;
    item.append(key, `class ${letter}`);
    return item;
  }));
  document.querySelector(`#sets input[value="${state.set}"]`).checked = true;
  writeLink();
}

function addChoices(id, name, choices, selected, choose) {
  for (const [value, title] of choices) {
    const label = document.createElement("label"), input = document.createElement("input");
    Object.assign(input, { type: "radio", name, value, checked: value === selected });
    input.addEventListener("change", () => choose(value));
    label.append(input, title);
    $(id).append(label);
  }
}

function chooseSet(set) {
  Object.assign(state, { set, degree: 0 });
  showSettings();
  if (set === "empty") document.querySelector("#tools input[value='add0']").click();
  resampleLatest();
}

function listen() {
  addChoices("sets", "set", Object.entries(SETS).map(([value, { title }]) => [value, title]), state.set, chooseSet);
  const tools = [["flip", "flips a label"], ["add0", "adds A"], ["add1", "adds B"], ["add2", "adds C"], ["erase", "erases"]];
  addChoices("tools", "tool", tools, state.tool, (tool) => {
    state.tool = tool;
    for (const canvas of document.querySelectorAll(".plane")) canvas.style.touchAction = tool === "flip" ? "manipulation" : "none";
  });
  const onInput = (id, change, then) => $(id).addEventListener("input", () => { change($(id)); showSettings(); then(); });
  for (const id of ["count", "rate"]) onInput(id, ({ value }) => { state[id] = Number(value); }, resampleLatest);
  onInput("kind", ({ value }) => { state.kind = value; }, resampleLatest);
  for (const id of ["t1", "t2"]) onInput(id, ({ value }) => { state[id] = Number(value); }, changed);
  onInput("degree", ({ value }) => { state.degree = Number(value); }, changed);
  onInput("lambda", ({ value }) => { state.lambda = Number((10 ** Number(value)).toPrecision(2)); }, changed);
  onInput("auto", ({ checked }) => { state.lambda = checked ? NaN : Number((10 ** Number($("lambda").value)).toPrecision(2)); }, changed);
  document.querySelectorAll(".plane").forEach(listenToPlane);
  listenToButtons();
  window.addEventListener("hashchange", () => { Object.assign(state, DEFAULTS); readLink(); showSettings(); resampleLatest(); });
  new ResizeObserver(draw).observe($("logistic-plane"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

function save(name, text) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text])), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function auditTable() {
  const { found, labels, name } = state.audit, cell = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const lines = [...found.row].map((row, rank) => [rank + 1, row + 1, cell(name(labels[row])), cell(name(found.suggested[rank])), found.score[rank]].join(","));
  return `rank,row,given,suggested,score\n${lines.join("\n")}\n`;
}

function pointTable() {
  const { x, columns } = features(state.points, degree()), names = featureNames(degree());
  const lines = state.points.map((point, row) => [...x.slice(row * columns, (row + 1) * columns), point.label].join(","));
  return `${names.join(",")},label\n${lines.join("\n")}\n`;
}

function listenToButtons() {
  const on = (id, act) => $(id).addEventListener("click", act);
  on("sample", () => { state.seed = (state.seed % 999999) + 1; showSettings(); resampleLatest(); });
  on("undo", () => { state.points = state.history.pop(); state.listed = new Set(); changed(); });
  on("restore", () => { remember(); state.points.forEach((point) => { point.label = point.truth; }); state.listed = new Set(); changed(); });
  on("link", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      announce("The link was copied.");
    } catch {
      announce("The link is in the address bar.");
    }
  });
  on("save-data", () => save("points.csv", pointTable()));
  on("save-model", () => {
    const fits = state.table ? state.table.fits : state.fits && state.fits.fits;
    if (fits) save("playground.temper", fits[1].text);
  });
  on("save-audit", () => { if (state.audit) save("suspects.csv", auditTable()); });
  on("close-table", () => { state.table = state.file = null; $("file").value = $("label-column").value = ""; showPanels(); resampleLatest(); });
  $("file").addEventListener("change", () => openFile($("file").files[0]));
  $("label-column").addEventListener("change", chooseLabel);
  for (const kind of ["dragover", "dragleave", "drop"])
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      $("drop").classList.toggle("over", kind === "dragover");
      if (kind === "drop") openFile(event.dataTransfer.files[0]);
    });
}

readLink();
listen();
showSettings();
library.start().then(resampleLatest).catch((error) => showProblem(`The library could not be started: ${error.message}`));
