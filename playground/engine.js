// engine: the C library as WebAssembly, for plain JavaScript. Runs in a worker, and in Node for tests.
"use strict";

// What the module asks its host for. It opens no files: every call on them fails with "not supported".
function hostCalls(memory) {
  const NOT_SUPPORTED = 58, BAD_DESCRIPTOR = 8;
  const view = () => new DataView(memory().buffer);
  const calls = {
    environ_sizes_get: (count, size) => { view().setUint32(count, 0, true); view().setUint32(size, 0, true); return 0; },
    environ_get: () => 0,
    clock_time_get: (clock, precision, out) => {
      view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_prestat_get: () => BAD_DESCRIPTOR,
    proc_exit: (code) => { throw new Error(`the module ended with ${code}`); },
  };
  return new Proxy({}, { get: (_, name) => calls[name] || (() => NOT_SUPPORTED) });
}

class Engine {
  static async create(module) {
    const engine = new Engine();
    const names = WebAssembly.Module.imports(module).map(({ name }) => name);
    const host = hostCalls(() => engine.c.memory);
    const instance = await WebAssembly.instantiate(module, {
      wasi_snapshot_preview1: Object.fromEntries(names.map((name) => [name, host[name]])),
    });
    engine.c = instance.exports;
    engine.c._initialize();
    engine.error = engine.c.playground_error_new();
    return engine;
  }

  // ---- Memory of the module ----------------------------------------------------------------------------------------

  bytes(at, length) { return new Uint8Array(this.c.memory.buffer, at, length); }

  // Calls use() with the addresses of blocks that hold copies of these arrays (numbers: that many bytes); frees them.
  withBlocks(arrays, use) {
    const blocks = [];
    try {
      for (const array of arrays) {
        const length = typeof array === "number" ? array : array.byteLength;
        const block = this.c.playground_alloc(length);
        if (!block) throw new Error("out of memory");
        blocks.push(block);
        if (typeof array !== "number")
          this.bytes(block, length).set(new Uint8Array(array.buffer, array.byteOffset, length));
      }
      return use(...blocks);
    } finally {
      blocks.forEach((block) => this.c.playground_free(block));
    }
  }

  text(at) {
    if (!at) return null;
    const all = new Uint8Array(this.c.memory.buffer);
    return new TextDecoder().decode(all.slice(at, all.indexOf(0, at)));
  }

  doubles(at, count) { return new Float64Array(this.c.memory.buffer.slice(at, at + 8 * count)); }
  integers(at, count) { return new Uint32Array(this.c.memory.buffer.slice(at, at + 4 * count)); }

  // Throws the library's message if a call has failed.
  check(result) {
    if (!result) throw new Error(this.text(this.c.playground_error_message(this.error)));
    return result;
  }

  // ---- Calls -------------------------------------------------------------------------------------------------------

  version() { return this.text(this.c.temper_version()); }
  kernel() { return this.text(this.c.temper_kernel_name()); }

  // x: rows * columns numbers; labels: whole numbers, or null. The result is freed by dropData.
  points(x, columns, labels) {
    return this.withBlocks([x, labels || 0], (values, given) =>
      this.check(this.c.playground_points(values, x.length / columns, columns, labels ? given : 0, this.error)));
  }

  // The bytes of a CSV file or any other that the library reads; label: a column, or null for the last.
  table(name, bytes, label) {
    const zero = (text) => new TextEncoder().encode(`${text}\0`);
    return this.withBlocks([zero(name), bytes, zero(label || "")], (called, content, column) =>
      this.check(this.c.playground_table(called, content, bytes.length, label ? column : 0, this.error)));
  }

  dropData(data) { this.c.temper_data_free(data); }
  dropModel(model) { this.c.temper_model_free(model); }

  about(data) {
    const rows = this.c.temper_data_rows(data), classes = this.c.temper_data_classes(data);
    return {
      rows, features: this.c.temper_data_features(data),
      classes: Array.from({ length: classes }, (_, i) => this.text(this.c.temper_data_class_name(data, i))),
      labels: classes ? this.integers(this.c.temper_data_labels(data), rows) : null,
      notes: this.text(this.c.temper_data_notes(data)) || "",
    };
  }

  // The classes of the rows after noise of this kind.
  noise(data, kind, rate, seed) {
    const rows = this.c.temper_data_rows(data);
    return this.withBlocks([new TextEncoder().encode(`${kind}\0`), 4 * rows], (word, out) => {
      this.check(this.c.playground_noise(data, word, rate, seed, out, this.error));
      return this.integers(out, rows);
    });
  }

  // settings: t1, t2, lambda (NaN: chosen by the library).
  train(data, settings) {
    const room = 4096;
    return this.withBlocks([Float64Array.from(settings), 32, room], (given, numbers, warnings) => {
      const model = this.check(this.c.playground_train(data, given, numbers, warnings, room, this.error));
      const [accuracy, loss, iterations, lambda] = this.doubles(numbers, 4);
      const sentences = this.text(warnings).split("\n").filter((line) => line);
      return { model, accuracy, loss, iterations, lambda, warnings: sentences };
    });
  }

  // kind: "labels", "probabilities" (calibrated), "raw" or "decisions"; null if the model has none of these.
  predict(model, data, kind) {
    const output = ["labels", "probabilities", "raw", "decisions"].indexOf(kind);
    const width = this.c.temper_prediction_width(model, output), rows = this.c.temper_data_rows(data);
    if (!width) return null;
    return this.withBlocks([8 * width * rows], (out) => {
      if (this.c.temper_predict(model, data, output, 1, out, this.error) !== 0) this.check(0);
      return { width, values: this.doubles(out, width * rows) };
    });
  }

  audit(data, settings) {
    const rows = this.c.temper_data_rows(data);
    return this.withBlocks([Float64Array.from([...settings, 0, 0, 0]), 4 * rows, 4 * rows, 8 * rows],
      (numbers, row, suggested, score) => {
        this.check(this.c.playground_audit(data, numbers, row, suggested, score, this.error));
        const [wrong, low, high, listed, undecided, accuracy] = this.doubles(numbers, 6);
        return {
          row: this.integers(row, rows), suggested: this.integers(suggested, rows), score: this.doubles(score, rows),
          wrong, low, high, listed, undecided: undecided !== 0, accuracy,
        };
      });
  }

  modelText(model) {
    return this.withBlocks([4], (length) => {
      const text = this.check(this.c.playground_model_text(model, length, this.error));
      const [size] = this.integers(length, 1);
      const copy = new TextDecoder().decode(this.bytes(text, size).slice());
      this.c.playground_free(text);
      return copy;
    });
  }

  // The loss of two classes at `count` margins.
  curve(t1, t2, from, step, count) {
    return this.withBlocks([8 * count], (out) => {
      this.c.playground_curve(t1, t2, from, step, count, out);
      return this.doubles(out, count);
    });
  }
}

if (typeof module !== "undefined") module.exports = { Engine };
