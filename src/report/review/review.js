// The review of rows on a page that temper writes: shows one row after the other, keeps decisions in the browser, and
// exports them as a file that temper reads (audit --apply, tune --trusted). The rows are in the element review-data.
// All texts of the data become text nodes, never markup.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("review-data").textContent);
  const asking = data.mode === "ask";
  const ROW_HEIGHT = 44, SEARCHED = 4000, FEW_VALUES = 12, CLASSES_SHOWN = 24, UNDO_KEPT = 2000;
  const NAMES = { right: "right", wrong: "wrong", unsure: "unsure", other: "other class" };
  const storageKey = "temper-review-" + data.id;
  const $ = (id) => document.getElementById("review-" + id);

  // ---- Small tools ------------------------------------------------------------------------------------------------

  // An element with properties, attributes (names with a hyphen, and role) and children; strings become text nodes.
  function make(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {}))
      if (name.includes("-") || name === "role" || name === "scope") element.setAttribute(name, value);
      else element[name] = value;
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  const percent = (share) => share >= 0.99995 ? "> 99.99 %" : (100 * share).toFixed(share > 0.999 || share < 0.01 ? 2 : 1).replace(/\.?0+$/, "") + " %";
  const signed = (number) => (number < 0 ? "\u2212" : "+") + Math.abs(number).toPrecision(2);
  const count = (number, word) => number.toLocaleString("en") + " " + word + (number === 1 ? "" : "s");
  const place = (row) => (row.l ? "line " + row.l : "row " + row.r);
  const columnName = (column) => (data.columns[column] === undefined ? "feature " + (column + 1) : data.columns[column]);

  const textOf = (value) => (value === undefined || value === null ? "" : String(value));

  // The value of a column of a row; rows of wide data have some of their columns only, as pairs.
  function valueOf(item, column) {
    if (!item.v) return undefined;
    if (!data.wide) return item.v[column];
    const found = item.v.find((pair) => pair[0] === column);
    return found && found[1];
  }

  // [column, text] of all values that the page has of a row.
  function valuesOf(item) {
    if (!item.v) return [];
    return data.wide ? item.v : item.v.map((text, column) => [column, text]).filter((pair) => pair[1] !== null);
  }

  // ---- Decisions, kept in the browser -------------------------------------------------------------------------------

  let decisions = new Map(); // index of the item -> { decision, label }
  let current = data.items.length ? 0 : -1;
  let undoSteps = []; // each: a list of [index, decision before]
  let unsaved = false;

  const labelOf = (item, made) =>
    made.decision === "right" ? data.classes[item.g] : made.decision === "wrong" ? data.classes[item.s] : made.label || "";

  // A decision in the browser's storage: [name], [name, label] of another class, or null.
  const packed = (made) => (!made ? null : made.decision === "other" ? [made.decision, made.label] : [made.decision]);
  const isPacked = (made) => Array.isArray(made) && Object.hasOwn(NAMES, made[0]);
  const unpacked = (made) => ({ decision: made[0], label: String(made[1] || "") });

  // The last steps of undo that together have at most UNDO_KEPT decisions.
  function packedSteps() {
    let from = undoSteps.length, kept = 0;
    while (from > 0 && (kept += undoSteps[from - 1].length) <= UNDO_KEPT) from--;
    return undoSteps.slice(from).map((step) => step.map(([index, made]) => [index, packed(made)]));
  }

  function save() {
    const kept = { version: 1, at: current, decisions: {}, undo: packedSteps() };
    for (const [index, made] of decisions) kept.decisions[index] = packed(made);
    try {
      localStorage.setItem(storageKey, JSON.stringify(kept));
      unsaved = false;
    } catch (error) {
      unsaved = decisions.size > 0;
      $("storage").hidden = false;
    }
  }

  // Steps up to the last one that does not fit the list are left out: those after it can still be undone.
  function restoreSteps(kept) {
    const fits = (change) => Array.isArray(change) && data.items[change[0]] && (change[1] === null || isPacked(change[1]));
    undoSteps = [];
    for (const step of Array.isArray(kept) ? kept : [])
      if (Array.isArray(step) && step.length > 0 && step.every(fits))
        undoSteps.push(step.map(([index, made]) => [Number(index), made && unpacked(made)]));
      else undoSteps = [];
  }

  // Entries that do not fit the list are left out, so that a damaged record cannot break the page.
  function restore() {
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(storageKey));
    } catch (error) {
      $("storage").hidden = false;
    }
    if (!kept || kept.version !== 1 || typeof kept.decisions !== "object") return;
    decisions = new Map();
    for (const [key, made] of Object.entries(kept.decisions))
      if (data.items[key] && isPacked(made)) decisions.set(Number(key), unpacked(made));
    restoreSteps(kept.undo);
    if (Number.isInteger(kept.at) && data.items[kept.at]) current = kept.at;
  }

  // Sets decisions, [index, decision or null] each, as one step of undo.
  function apply(changes) {
    undoSteps.push(changes.map(([index]) => [index, decisions.get(index) || null]));
    setAll(changes);
  }

  function setAll(changes) {
    for (const [index, made] of changes)
      if (made) decisions.set(index, made);
      else decisions.delete(index);
    save();
  }

  // ---- Filter and order -----------------------------------------------------------------------------------------------

  let view = []; // indices of items, as listed
  const searched = []; // of each item: its words in lower case, made when they are needed first

  function wordsOf(index) {
    if (searched[index] === undefined) {
      const item = data.items[index];
      const values = valuesOf(item).map((pair) => pair[1]).join("\n").slice(0, SEARCHED);
      searched[index] = [place(item), "row " + item.r, data.classes[item.g], data.classes[item.s], values]
        .join("\n").toLowerCase();
    }
    return searched[index];
  }

  const ORDERS = {
    [asking ? "most informative first" : "most suspicious first"]: null,
    "as in the file": (a, b) => data.items[a].r - data.items[b].r,
    "by classes": (a, b) => data.items[a].g - data.items[b].g || data.items[a].s - data.items[b].s || a - b,
    [asking ? "least informative first" : "least suspicious first"]: (a, b) => b - a,
  };

  function matches(index, wanted) {
    const item = data.items[index], made = decisions.get(index);
    if (wanted.pair !== "" && wanted.pair !== item.g + "," + item.s) return false;
    if (wanted.state === "undecided" && made) return false;
    if (wanted.state !== "" && wanted.state !== "undecided" && (!made || made.decision !== wanted.state)) return false;
    return wanted.words === "" || wordsOf(index).includes(wanted.words);
  }

  function refilter() {
    const wanted = { pair: $("pair").value, state: $("state").value, words: $("search").value.trim().toLowerCase() };
    view = [];
    for (let index = 0; index < data.items.length; index++) if (matches(index, wanted)) view.push(index);
    const order = ORDERS[$("order").value];
    if (order) view.sort(order);
    $("list").scrollTop = 0;
  }

  function fillSelect(select, options) {
    for (const [value, text] of options) select.append(make("option", { value }, text));
  }

  function fillFilters() {
    const pairs = new Map();
    for (const item of data.items) pairs.set(item.g + "," + item.s, (pairs.get(item.g + "," + item.s) || 0) + 1);
    const named = [...pairs].sort((a, b) => b[1] - a[1]).map(([pair, rows]) => {
      const [given, suggested] = pair.split(",").map((index) => data.classes[index]);
      return [pair, `${given} \u2192 ${suggested} (${rows})`];
    });
    fillSelect($("pair"), [["", "all"], ...named]);
    fillSelect($("state"), [["", "all"], ["undecided", "undecided"], ...Object.entries(NAMES)]);
    fillSelect($("order"), Object.keys(ORDERS).map((name) => [name, name]));
  }

  // ---- The list: only the rows in sight are elements -------------------------------------------------------------------

  function listRow(position) {
    const index = view[position], item = data.items[index], made = decisions.get(index);
    const mark = made ? NAMES[made.decision] + (made.decision === "other" ? ": " + made.label : "") : "";
    const row = make("div", { className: "row", id: "review-row-" + index, role: "option",
                              "aria-selected": String(index === current), "aria-setsize": view.length,
                              "aria-posinset": position + 1 },
      make("span", {}, data.classes[item.g] + " \u2192 " + data.classes[item.s]),
      make("span", {}, scoreText(item)),
      make("span", {}, place(item) + (item.c ? ", conflict" : "")),
      make("span", { className: "mark" }, mark));
    row.style.top = position * ROW_HEIGHT + "px";
    row.addEventListener("click", () => show(index));
    return row;
  }

  function drawList() {
    const list = $("list"), from = Math.max(0, Math.floor(list.scrollTop / ROW_HEIGHT) - 4);
    const to = Math.min(view.length, from + Math.ceil(list.clientHeight / ROW_HEIGHT) + 8);
    const space = make("div", { role: "presentation" });
    space.style.height = view.length * ROW_HEIGHT + "px";
    const rows = [];
    for (let position = from; position < to; position++) rows.push(listRow(position));
    if (view.length === 0) rows.push(make("p", { className: "note", role: "option", "aria-disabled": "true" }, "No row matches."));
    list.replaceChildren(space, ...rows);
    if (document.getElementById("review-row-" + current)) list.setAttribute("aria-activedescendant", "review-row-" + current);
    else list.removeAttribute("aria-activedescendant");
  }

  // Scrolls the list so that the current row is in sight.
  function revealCurrent() {
    const list = $("list"), top = view.indexOf(current) * ROW_HEIGHT;
    if (top < 0) return;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW_HEIGHT - list.clientHeight;
  }

  // ---- The card --------------------------------------------------------------------------------------------------------

  function scoreText(item) {
    if (data.mode === "label") return percent(item.p);
    return data.mode === "row" ? item.p.toPrecision(3) : "";
  }

  // Of the activations of the suggested and the given class, as far as they are known.
  const difference = (item) => (item.w || []).reduce((total, part) => total + part[1], item.b || 0);

  function labels(item, made) {
    const score = data.mode === "label" ? percent(item.p) + " likely wrong"
      : data.mode === "row" ? "distance score " + item.p.toPrecision(3) : "";
    const parts = [make("small", {}, "given"), make("b", { className: "given" }, data.classes[item.g]),
      make("small", {}, !asking ? "suggested" : difference(item) > 0 ? "the model predicts" : "second choice of the model"),
      make("b", { className: "other" }, data.classes[item.s]), make("span", {}, score)];
    if (item.c) parts.push(make("small", {}, "conflict: another row has the same features and another label"));
    if (made) parts.push(make("span", {}, make("strong", {}, "Decided: " + NAMES[made.decision] +
      (made.decision === "other" || made.decision === "wrong" ? ", " + labelOf(item, made) : ""))));
    return make("p", { className: "review-labels" }, ...parts);
  }

  // A row that is a picture, and beside it which of its pixels speak for which label.
  function pictures(item) {
    if (item.i === undefined) return [];
    const parts = [picture(item.i, place(item) + " as a picture")];
    if (item.e !== undefined)
      parts.push(make("figure", {}, picture(item.e, "Pixels that speak for and against"), make("figcaption", { className: "note" },
        make("span", { className: "given" }, "\u25a0"), " speaks for " + data.classes[item.g] + ", ",
        make("span", { className: "other" }, "\u25a0"), " for " + data.classes[item.s])));
    return [make("div", { className: "review-pictures" }, ...parts), item.e === undefined ? "" : make("p", { className: "note" }, data.fit)];
  }

  function picture(index, name) {
    return make("img", { className: "review-picture", src: data.pictures[index], alt: name });
  }

  function evidence(item) {
    if (!item.w || !item.w.length) return [];
    const largest = Math.max(...item.w.map((part) => Math.abs(part[1])), 1e-12);
    const head = make("tr", {}, ...["feature", "this row", "usual", "speaks for"].map((text) => make("th", { scope: "col" }, text)));
    const rows = item.w.map(([column, part]) => {
      const bar = make("span", { className: part > 0 ? "for" : "against" });
      bar.style.width = (100 * Math.abs(part)) / largest + "%";
      const usual = data.usual && data.usual[column];
      return make("tr", {}, make("th", { scope: "row" }, columnName(column)),
        make("td", { className: "cell" }, textOf(valueOf(item, column))), make("td", {}, textOf(usual)),
        make("td", { className: "bar" }, make("div", { className: "review-bars", "aria-hidden": "true" }, bar),
          make("small", {}, (part > 0 ? data.classes[item.s] : data.classes[item.g]) + " " + signed(part))));
    });
    const sum = difference(item);
    return [make("h4", {}, "What speaks for " + data.classes[item.g] + ", and what for " + data.classes[item.s]),
      make("div", { className: "review-scroll", tabIndex: 0, role: "region", "aria-label": "Features that speak for and against" },
        make("table", { className: "review-evidence" }, make("thead", {}, head), make("tbody", {}, ...rows))),
      make("p", { className: "note" }, "All else: " + signed(item.b || 0) + ". In sum " + signed(sum) + ", which is for " +
        data.classes[sum > 0 ? item.s : item.g] + ". " + data.fit)];
  }

  function tally(item) {
    const counts = new Map();
    for (const label of item.k) counts.set(label, (counts.get(label) || 0) + 1);
    const parts = [...counts].sort((a, b) => b[1] - a[1]).map(([label, rows]) => rows + " \u00d7 " + data.classes[label]);
    return `Labels of the ${item.k.length} nearest rows: ${parts.join(", ")}.`;
  }

  // The nearest rows: pictures, texts, or a table of the features that matter most for this row.
  function neighbours(item) {
    if (!item.k || !item.k.length) return [];
    const parts = [make("h4", {}, "Nearest rows"), make("p", {}, tally(item))];
    const near = item.n || [];
    if (near.some((row) => row.i !== undefined))
      parts.push(make("ul", { className: "review-near" }, ...near.filter((row) => row.i !== undefined).map((row) =>
        make("li", {}, make("img", { src: data.pictures[row.i], alt: "" }), data.classes[row.g], make("br"), place(row)))));
    else if (near.some((row) => row.t !== undefined))
      parts.push(make("ul", { className: "review-near texts" }, ...near.map((row) =>
        make("li", {}, make("b", {}, data.classes[row.g]), " " + place(row) + ": " + row.t))));
    else if (near.length && near[0].v) parts.push(neighbourTable(item, near));
    return parts;
  }

  function neighbourTable(item, near) {
    const columns = item.w.slice(0, near[0].v.length).map((part) => part[0]);
    const head = ["where", "label", ...columns.map(columnName)].map((text) => make("th", { scope: "col" }, text));
    const line = (name, label, values) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, label),
      ...values.map((text) => make("td", { className: "cell" }, textOf(text))));
    return make("div", { className: "review-scroll", tabIndex: 0, role: "region", "aria-label": "Nearest rows" },
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {},
        line("this row", data.classes[item.g], columns.map((column) => valueOf(item, column))),
        ...near.map((row) => line(place(row), data.classes[row.g], row.v)))));
  }

  function allValues(item) {
    const values = valuesOf(item);
    if (!values.length) return [];
    const rows = () => values.map(([column, text]) => make("tr", {},
      make("th", { scope: "row" }, columnName(column)), make("td", {}, textOf(text))));
    const details = make("details", {}, make("summary", {}, data.wide
      ? `Values of the ${count(values.length, "column")} that matter most, of ${data.width}` : `All ${count(values.length, "value")} of the row`));
    const fill = () => details.children.length > 1 ||
      details.append(make("div", { className: "review-scroll", tabIndex: 0, role: "region", "aria-label": "Values of the row" },
        make("table", {}, make("tbody", {}, ...rows()))));
    details.addEventListener("toggle", fill); // a table of hundreds of rows is made when it is looked at
    if (values.length <= FEW_VALUES) {
      fill();
      details.open = true;
    }
    return [make("h4", {}, "The row"), details];
  }

  function drawCard() {
    const card = $("card");
    if (current < 0 || !view.length) {
      card.replaceChildren(make("h3", { id: "review-where" }, data.items.length ? "No row matches the filter" : "No row is listed"));
      return;
    }
    const item = data.items[current], made = decisions.get(current);
    const text = data.text >= 0 ? valueOf(item, data.text) : undefined;
    card.replaceChildren(
      make("h3", { id: "review-where" }, `${place(item)[0].toUpperCase()}${place(item).slice(1)} of ${data.file}, ` +
        `rank ${current + 1} of ${data.items.length}`),
      labels(item, made), ...pictures(item),
      text ? make("p", { className: "review-text", tabIndex: 0 }, text) : "",
      ...evidence(item), ...neighbours(item), ...allValues(item));
  }

  function drawState() {
    const item = data.items[current], made = decisions.get(current);
    const usable = current >= 0 && view.length > 0;
    for (const name of ["right", "wrong", "unsure", "other"]) {
      $(name).disabled = !usable;
      $(name).setAttribute("aria-pressed", String(Boolean(made && made.decision === name)));
    }
    $("wrong").firstChild.data = usable ? `Wrong, it is ${shorten(data.classes[item.s])} ` : "Wrong ";
    $("right").firstChild.data = usable ? `Right, ${shorten(data.classes[item.g])} ` : "Right ";
    $("undo").disabled = undoSteps.length === 0;
    $("export").disabled = decisions.size === 0;
    $("progress").max = Math.max(1, data.items.length);
    $("progress").value = decisions.size;
    $("count").textContent = `${decisions.size} of ${count(data.items.length, "row")} decided` +
      (view.length < data.items.length ? `, ${view.length} shown` : "");
  }

  const shorten = (name) => (name.length > 16 ? name.slice(0, 15) + "\u2026" : name);

  function draw() {
    drawCard();
    drawState();
    drawList();
  }

  // ---- Moving and deciding ---------------------------------------------------------------------------------------------

  function announce(words) {
    $("live").textContent = words;
  }

  function describe() {
    const item = data.items[current], made = decisions.get(current);
    return `${place(item)}: given ${data.classes[item.g]}, suggested ${data.classes[item.s]}` +
      (data.mode === "label" ? `, ${percent(item.p)} likely wrong` : "") +
      `. ${made ? "Decided: " + NAMES[made.decision] : "Undecided"}.`;
  }

  function show(index, before) {
    current = index;
    save();
    revealCurrent();
    draw();
    announce((before || "") + describe());
  }

  function move(step) {
    if (!view.length) return;
    const position = view.indexOf(current);
    const next = position < 0 ? 0 : Math.min(view.length - 1, Math.max(0, position + step));
    show(view[next]);
  }

  // The next undecided row of the view after the current one, else the first, else the current one.
  function nextUndecided() {
    const position = view.indexOf(current), open = (index) => !decisions.has(index);
    const after = view.slice(position + 1).find(open);
    const found = after === undefined ? view.find((index) => index !== current && open(index)) : after;
    return found === undefined ? current : found;
  }

  function decide(decision, label) {
    if (current < 0 || !view.length) return;
    const item = data.items[current], made = { decision, label: label || "" };
    const next = nextUndecided(), words = `${NAMES[decision]}${decision === "unsure" ? "" : ", " + labelOf(item, made)}. `;
    apply([[current, made]]);
    if ($("state").value !== "") refilter();
    if (next === current) {
      if (!view.includes(current) && view.length) current = view[0];
      draw();
      announce(words + (decisions.size === data.items.length ? "All rows are decided." : "No undecided row is left here."));
    } else show(next, words);
  }

  function undo() {
    const step = undoSteps.pop();
    if (!step) return;
    setAll(step);
    refilterKeeping();
    if (view.includes(step[0][0])) current = step[0][0];
    show(current, "Undone. ");
  }

  // After a change of the filter: the current row stays if it is listed.
  function refilterKeeping() {
    refilter();
    if (!view.includes(current) && view.length) current = view[0];
    revealCurrent();
  }

  // ---- Another class ----------------------------------------------------------------------------------------------------

  const beginning = (text) => data.classes.filter((name) => name.toLowerCase().startsWith(text.toLowerCase()));

  // The class that a text means: its name, or the only name that begins with it; else null.
  function findClass(text) {
    if (data.classes.includes(text)) return text;
    const found = text === "" ? [] : beginning(text);
    return found.length === 1 ? found[0] : null;
  }

  // Says what the text means, and offers the classes that begin with it.
  function noteClass() {
    const text = $("class").value.trim(), found = findClass(text), offered = beginning(text);
    $("choose-ok").disabled = text === "" || (found === null && !data.fresh);
    $("class-note").textContent = text === "" ? "Write the class, or its beginning." : found !== null ? "Class " + found
      : data.fresh ? "A new class: " + text : "There is no such class.";
    $("classes").replaceChildren(...offered.slice(0, CLASSES_SHOWN).map((name) => {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", () => chooseClass(name));
      return button;
    }), offered.length > CLASSES_SHOWN ? ` and ${offered.length - CLASSES_SHOWN} more` : "");
  }

  function openChoice() {
    if (current < 0 || !view.length) return;
    $("class").value = "";
    noteClass();
    $("choose").showModal();
    $("class").focus();
  }

  function chooseClass(name) {
    const item = data.items[current];
    $("choose").close();
    if (name === data.classes[item.g]) decide("right");
    else if (name === data.classes[item.s]) decide("wrong");
    else decide("other", name);
  }

  function takeChoice(event) {
    event.preventDefault();
    const text = $("class").value.trim(), found = findClass(text);
    if (found !== null || (text !== "" && data.fresh)) chooseClass(found === null ? text : found);
  }

  // ---- Files ------------------------------------------------------------------------------------------------------------

  // What a spreadsheet would run gets an apostrophe before it, as in all results of temper, and is read without it.
  const formula = /^[=+\-@\t\r][^]*[(|!]/;
  const safe = (text) => (formula.test(text) ? "'" + text : text);
  const unsafe = (text) => (text[0] === "'" && formula.test(text.slice(1)) ? text.slice(1) : text);
  const quoted = (text) => (/^$|[",;\t\r\n]|^ | $/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);
  const cell = (text) => quoted(safe(text));

  // The file that temper reads: of an audit all decisions; of tune --ask every row, with a label where one is decided.
  function exported() {
    const lines = [asking ? "row,given,label" : "row,line,given,decision,label"];
    data.items.forEach((item, index) => {
      const made = decisions.get(index), given = cell(data.classes[item.g]);
      const label = made ? labelOf(item, made) : "";
      if (asking) lines.push([item.r, given, label && cell(label)].join(","));
      else if (made) lines.push([item.r, item.l || "", given, made.decision, label && cell(label)].join(","));
    });
    return lines.join("\n") + "\n";
  }

  function exportFile() {
    if (!decisions.size) return;
    const link = make("a", { href: URL.createObjectURL(new Blob([exported()], { type: "text/csv" })), download: data.output });
    document.body.append(link);
    link.click();
    link.remove();
    URL.revokeObjectURL(link.href);
    unsaved = false;
    announce(`${count(decisions.size, "decision")} exported as ${data.output}.`);
  }

  // Cells of a CSV text, line by line; a spreadsheet may have written semicolons.
  function parseCsv(text) {
    const table = text.replace(/^\ufeff/, ""), rows = [[]];
    const separator = table.split("\n", 1)[0].includes(",") ? "," : ";";
    const pattern = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, "y");
    while (pattern.lastIndex < table.length) {
      const found = pattern.exec(table);
      if (!found) throw new Error("not a table");
      rows[rows.length - 1].push(unsafe(found[1] === undefined ? found[2] : found[1].replace(/""/g, '"')));
      if (found[3] !== separator) rows.push([]);
    }
    return rows.filter((row) => row.some((words) => words !== ""));
  }

  // The decision of a line of an exported file, or null if it is not about a row of this page.
  function readDecision(item, get) {
    const label = get("label"), given = data.classes[item.g];
    if (get("given") !== given) return null;
    let decision = get("decision");
    if (asking) decision = label === "" ? "" : label === given ? "right" : label === data.classes[item.s] ? "wrong" : "other";
    if (decision === "wrong" && label !== data.classes[item.s]) decision = "other";
    if (!Object.hasOwn(NAMES, decision) || (decision === "other" && (label === "" || label === given))) return null;
    return { decision, label };
  }

  function importText(text) {
    const rows = parseCsv(text), head = rows.shift() || [], byRow = new Map(data.items.map((item, index) => [String(item.r), index]));
    const changes = [];
    let strange = 0;
    for (const row of rows) {
      const get = (name) => row[head.indexOf(name)] || "";
      const index = byRow.get(get("row")), made = index === undefined ? null : readDecision(data.items[index], get);
      if (made) changes.push([index, made]);
      else if (!asking || get("label") !== "") strange++;
    }
    if (changes.length) apply(changes);
    refilterKeeping();
    draw();
    const words = `${count(changes.length, "decision")} imported` + (strange ? `; ${count(strange, "line")} of the file did not fit this page` : "") + ".";
    $("count").textContent += ". " + words;
    announce(words);
  }

  function importFile() {
    const file = $("file").files[0];
    if (!file) return;
    file.text().then(importText).catch(() => announce("The file is not a table of decisions."));
    $("file").value = "";
  }

  // ---- Keys -------------------------------------------------------------------------------------------------------------

  const KEYS = {
    r: () => decide("right"), 1: () => decide("right"), w: () => decide("wrong"), 2: () => decide("wrong"),
    u: () => decide("unsure"), 3: () => decide("unsure"), o: openChoice, 4: openChoice, z: undo,
    j: () => move(1), ArrowRight: () => move(1), k: () => move(-1), ArrowLeft: () => move(-1),
    e: exportFile, "/": () => $("search").focus(), "?": () => $("keys").showModal(),
  };

  // Where keys write. The browser moves the focus out of a closed dialog a little later, when a fast typist has pressed
  // the next key: such a field is none.
  const isField = (element) => /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) && !element.closest("dialog:not([open])");

  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && event.target === $("search")) return $("card").focus();
    if (isField(event.target)) return undefined;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!Object.hasOwn(KEYS, key) || (key.length === 1 && !$("single").checked)) return undefined;
    event.preventDefault();
    return KEYS[key]();
  }

  function onListKey(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -view.length, End: view.length };
    if (!Object.hasOwn(steps, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    move(steps[event.key]);
  }

  // ---- Beginning --------------------------------------------------------------------------------------------------------

  function connect() {
    for (const name of ["right", "wrong", "unsure"]) $(name).addEventListener("click", () => decide(name));
    $("other").addEventListener("click", openChoice);
    $("undo").addEventListener("click", undo);
    $("previous").addEventListener("click", () => move(-1));
    $("next").addEventListener("click", () => move(1));
    $("export").addEventListener("click", exportFile);
    $("import").addEventListener("click", () => $("file").click());
    $("file").addEventListener("change", importFile);
    $("help").addEventListener("click", () => $("keys").showModal());
    $("keys-close").addEventListener("click", () => $("keys").close());
    $("class").addEventListener("input", noteClass);
    $("choose-form").addEventListener("submit", takeChoice);
    $("choose-cancel").addEventListener("click", () => $("choose").close());
    for (const name of ["search", "pair", "state", "order"])
      $(name).addEventListener("input", () => {
        refilterKeeping();
        draw();
        announce(`${count(view.length, "row")} shown.`);
      });
    $("list").addEventListener("scroll", () => requestAnimationFrame(drawList));
    $("list").addEventListener("keydown", onListKey);
    document.addEventListener("keydown", onKey);
    window.addEventListener("resize", drawList);
    window.addEventListener("storage", (event) => { // another window of the same page
      if (event.key !== storageKey) return;
      const at = current;
      restore();
      current = at;
      draw();
    });
    window.addEventListener("beforeunload", (event) => unsaved && event.preventDefault());
  }

  $("intro").textContent = data.intro;
  $("export").textContent = "Export " + data.output;
  if (window.matchMedia("(max-width: 40rem)").matches) document.querySelector(".review-filters").open = false;
  fillFilters();
  restore();
  refilter();
  revealCurrent();
  connect();
  draw();
})();
