// worker: trains and audits beside the page, so that sliders never wait. Follows engine.js in the worker's script.
"use strict";

let engine;

// Numbers of classes that do occur: the library numbers those that it sees, from 0.
const classNumbers = (about) => about.classes.map(Number);

// One fit: its report, the predicted class and the margin of each row, and the probabilities on the grid, by the page's numbers of classes.
function fitOne(data, about, settings, grid) {
  const fit = engine.train(data, settings);
  try {
    const { width, values } = engine.predict(fit.model, data, "decisions");
    const margins = Float64Array.from(about.labels, (label, row) => {
      if (width === 1) return (label ? 1 : -1) * values[row];
      let most = -Infinity;
      for (let c = 0; c < width; c++) if (c !== label) most = Math.max(most, values[row * width + c]);
      return values[row * width + label] - most;
    });
    const predicted = about.labels.map((_, row) => {
      if (width === 1) return values[row] > 0 ? 1 : 0;
      const scores = values.subarray(row * width, (row + 1) * width);
      return scores.indexOf(Math.max(...scores));
    });
    const shown = grid ? engine.predict(fit.model, grid, "raw") : null;
    return { ...fit, model: undefined, predicted, margins, grid: shown && shown.values, text: engine.modelText(fit.model) };
  } finally {
    engine.dropModel(fit.model);
  }
}

const jobs = {
  // Both methods on the same points: x and grid hold rows of `columns` numbers.
  fit({ x, columns, labels, settings, grid }) {
    const data = engine.points(x, columns, labels);
    const cells = engine.points(grid, columns, null);
    try {
      const about = engine.about(data);
      const fits = settings.map((one) => fitOne(data, about, one, cells));
      return { fits, classes: classNumbers(about) };
    } finally {
      engine.dropData(data);
      engine.dropData(cells);
    }
  },

  audit({ x, columns, labels, settings }) {
    const data = engine.points(x, columns, labels);
    try {
      const found = engine.audit(data, settings), classes = classNumbers(engine.about(data));
      return { ...found, suggested: found.suggested.map((c) => classes[c]) };
    } finally {
      engine.dropData(data);
    }
  },

  noise({ x, columns, labels, kind, rate, seed }) {
    const data = engine.points(x, columns, labels);
    try {
      const classes = classNumbers(engine.about(data));
      return engine.noise(data, kind, rate, seed).map((c) => classes[c]);
    } finally {
      engine.dropData(data);
    }
  },

  curve({ pairs, from, step, count }) {
    return pairs.map(([t1, t2]) => engine.curve(t1, t2, from, step, count));
  },

  table({ name, bytes, label, settings }) {
    const data = engine.table(name, bytes, label);
    try {
      const about = engine.about(data);
      if (!about.labels) throw new Error(`${name}: there is no column of labels`);
      return { about, fits: settings.map((one) => fitOne(data, about, one, null)), audit: engine.audit(data, settings[1]) };
    } finally {
      engine.dropData(data);
    }
  },
};

self.onmessage = async ({ data: request }) => {
  const { id, job } = request;
  try {
    if (job === "start") {
      engine = await Engine.create(request.module);
      self.postMessage({ id, result: `${engine.version()}, kernel ${engine.kernel()}` });
      return;
    }
    const began = performance.now(), result = jobs[job](request);
    self.postMessage({ id, result, milliseconds: performance.now() - began });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
};
