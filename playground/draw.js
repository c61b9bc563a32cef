// draw: points and probabilities on a canvas; loss curves and margins as SVG. Colours come from the style sheet.
"use strict";

const CLASS_LETTERS = ["A", "B", "C"];

function styleColours() {
  const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue(name).trim();
  return {
    classes: [get("--class-0"), get("--class-1"), get("--class-2")], paper: get("--paper"), ink: get("--ink"),
    grey: get("--grey"), grid: get("--line"), mark: get("--mark"),
  };
}

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// ---- The plane ------------------------------------------------------------------------------------------------------

// The colour of the likeliest class, the stronger the surer.
function paintProbabilities(context, size, { values, cells, classes }, colours) {
  const image = new ImageData(cells, cells), paper = rgb(colours.paper), width = classes.length;
  const palette = classes.map((c) => rgb(colours.classes[c]));
  for (let cell = 0; cell < cells * cells; cell++) {
    let best = 0;
    for (let c = 1; c < width; c++) if (values[cell * width + c] > values[cell * width + best]) best = c;
    const sure = Math.max(0, (values[cell * width + best] - 1 / width) / (1 - 1 / width));
    const strength = 0.07 + 0.33 * sure;
    for (let i = 0; i < 3; i++) image.data[4 * cell + i] = paper[i] + strength * (palette[best][i] - paper[i]);
    image.data[4 * cell + 3] = 255;
  }
  const small = new OffscreenCanvas(cells, cells);
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "high";
  context.drawImage(small, 0, 0, size, size);
}

// Segments of the contour at 0 of a function on the middles of the cells (marching squares).
function contour(value, cells, segment) {
  const cross = (a, b) => a / (a - b);
  for (let row = 0; row + 1 < cells; row++)
    for (let column = 0; column + 1 < cells; column++) {
      const corner = [value(row, column), value(row, column + 1), value(row + 1, column + 1), value(row + 1, column)];
      const ends = [];
      if (corner[0] > 0 !== corner[1] > 0) ends.push([column + cross(corner[0], corner[1]), row]);
      if (corner[1] > 0 !== corner[2] > 0) ends.push([column + 1, row + cross(corner[1], corner[2])]);
      if (corner[3] > 0 !== corner[2] > 0) ends.push([column + cross(corner[3], corner[2]), row + 1]);
      if (corner[0] > 0 !== corner[3] > 0) ends.push([column, row + cross(corner[0], corner[3])]);
      for (let i = 0; i + 1 < ends.length; i += 2) segment(ends[i], ends[i + 1]);
    }
}

function drawBoundary(context, size, { values, cells, classes }, colours) {
  const width = classes.length, at = (i) => ((i + 0.5) * size) / cells;
  context.beginPath();
  for (let c = 0; c < (width === 2 ? 1 : width); c++)
    contour((row, column) => {
      const cell = (row * cells + column) * width;
      let most = -Infinity;
      for (let other = 0; other < width; other++) if (other !== c) most = Math.max(most, values[cell + other]);
      return values[cell + c] - most;
    }, cells, ([x0, y0], [x1, y1]) => { context.moveTo(at(x0), at(y0)); context.lineTo(at(x1), at(y1)); });
  context.strokeStyle = colours.ink;
  context.lineWidth = size / 200;
  context.lineCap = "round";
  context.stroke();
}

// A circle, a square, a triangle: classes differ by shape too.
function shapePath(context, shape, x, y, r) {
  context.beginPath();
  if (shape === 0) context.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === 1) context.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
  else {
    context.moveTo(x, y - 1.2 * r);
    context.lineTo(x + 1.1 * r, y + 0.8 * r);
    context.lineTo(x - 1.1 * r, y + 0.8 * r);
    context.closePath();
  }
}

function drawPoint(context, point, size, colours, radius, listed) {
  const x = (size * (point.x / AREA + 1)) / 2, y = (size * (1 - point.y / AREA)) / 2;
  shapePath(context, point.label, x, y, radius);
  context.fillStyle = colours.classes[point.label];
  context.fill();
  context.lineWidth = radius / 3.5;
  context.strokeStyle = colours.paper;
  context.stroke();
  if (point.label !== point.truth) {
    context.beginPath();
    context.arc(x, y, 0.42 * radius, 0, 2 * Math.PI);
    context.fillStyle = colours.paper;
    context.fill();
  }
  if (listed) {
    context.beginPath();
    context.arc(x, y, 1.9 * radius, 0, 2 * Math.PI);
    context.strokeStyle = colours.mark;
    context.lineWidth = radius / 2.2;
    context.stroke();
  }
}

// view: {points, grid: {values, cells, classes} or null, listed: set of rows, cursor: {x, y} or null}
function drawPlane(canvas, view) {
  const ratio = window.devicePixelRatio || 1, size = Math.max(1, Math.round(canvas.clientWidth * ratio));
  if (canvas.width !== size) canvas.width = canvas.height = size;
  const context = canvas.getContext("2d"), colours = styleColours();
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, size, size);
  if (view.grid) {
    paintProbabilities(context, size, view.grid, colours);
    drawBoundary(context, size, view.grid, colours);
  }
  const radius = size / (view.points.length > 800 ? 170 : view.points.length > 250 ? 125 : 95);
  view.points.forEach((point, row) => listedLast(view.listed, row) || drawPoint(context, point, size, colours, radius, false));
  for (const row of view.listed) if (view.points[row]) drawPoint(context, view.points[row], size, colours, radius, true);
  if (view.cursor) drawCursor(context, view.cursor, size, colours);
}

const listedLast = (listed, row) => listed.has(row);

function drawCursor(context, cursor, size, colours) {
  const x = (size * (cursor.x / AREA + 1)) / 2, y = (size * (1 - cursor.y / AREA)) / 2, arm = size / 22;
  context.beginPath();
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    context.moveTo(x + (dx * arm) / 3, y + (dy * arm) / 3);
    context.lineTo(x + dx * arm, y + dy * arm);
  }
  context.strokeStyle = colours.ink;
  context.lineWidth = size / 160;
  context.stroke();
}

// ---- Charts ---------------------------------------------------------------------------------------------------------

const CHART = { width: 460, height: 230, left: 34, right: 8, top: 10, bottom: 30 };

function svg(name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const chartX = (from, to) => (value) =>
  CHART.left + ((value - from) / (to - from)) * (CHART.width - CHART.left - CHART.right);
const chartY = (top) => (value) => CHART.height - CHART.bottom - (value / top) * (CHART.height - CHART.top - CHART.bottom);

// Axes with ticks; returns the empty chart.
function startChart(root, title, { from, to, top, ticksX, ticksY, labelX }) {
  const x = chartX(from, to), y = chartY(top);
  root.replaceChildren(svg("title", {}, title));
  root.setAttribute("viewBox", `0 0 ${CHART.width} ${CHART.height}`);
  for (const tick of ticksY) {
    root.append(svg("line", { x1: x(from), x2: x(to), y1: y(tick), y2: y(tick), class: "grid" }));
    root.append(svg("text", { x: CHART.left - 5, y: y(tick) + 4, "text-anchor": "end" }, tick));
  }
  for (const tick of ticksX)
    root.append(svg("text", { x: x(tick), y: CHART.height - CHART.bottom + 14, "text-anchor": "middle" }, tick));
  root.append(svg("text", { x: x(to), y: CHART.height - 2, "text-anchor": "end" }, labelX));
  root.append(svg("line", { x1: x(0), x2: x(0), y1: y(0), y2: y(top), class: "axis" }));
  return { x, y };
}

// Curves: [{values, name}], over the same margins.
function drawLosses(root, curves, { from, step, bound, title }) {
  const top = 6, to = from + step * (curves[0].values.length - 1);
  const { x, y } = startChart(root, title, { from, to, top, ticksX: [-6, -4, -2, 0, 2, 4], ticksY: [0, 2, 4, 6], labelX: "margin" });
  if (bound < top) root.append(svg("line", { x1: x(from), x2: x(to), y1: y(bound), y2: y(bound), class: "bound" }));
  for (const { values, name } of curves) {
    const path = Array.from(values, (value, i) => [from + step * i, value]).filter(([, value]) => value <= top);
    const text = path.map(([m, value], i) => `${i ? "L" : "M"}${x(m).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    root.append(svg("path", { d: text, class: name }));
  }
}

// Counts of margins in bins, the flipped ones on top.
function drawMargins(root, margins, flipped, { title, name }) {
  const from = -6, to = 6, bins = 24, counts = Array.from({ length: bins }, () => [0, 0]);
  margins.forEach((margin, row) => {
    const bin = Math.floor(((margin - from) / (to - from)) * bins);
    counts[Math.max(0, Math.min(bins - 1, bin))][flipped(row) ? 1 : 0]++;
  });
  const most = Math.max(1, ...counts.map(([a, b]) => a + b)), nice = 10 ** Math.floor(Math.log10(most));
  const top = Math.max(4, Math.ceil(most / nice) * nice);
  const { x, y } = startChart(root, title, { from, to, top, ticksX: [-6, -3, 0, 3, 6], ticksY: [0, top / 2, top], labelX: "margin" });
  counts.forEach(([right, wrong], bin) => {
    const left = x(from + (bin * (to - from)) / bins) + 1, width = x(from + ((bin + 1) * (to - from)) / bins) - left - 1;
    const bar = (base, count, kind) => {
      if (count) root.append(svg("rect", { x: left, width, y: y(base + count), height: y(base) - y(base + count), class: kind }));
    };
    bar(0, right, `bar ${name}`);
    bar(right, wrong, "bar wrong");
  });
}
