// points: the data sets that can be chosen, and polynomial features. A sample is a function of its name, size and seed.
"use strict";

const AREA = 1.6; // the plane that is shown: both coordinates from -AREA to AREA

// SplitMix32, so that a link to a state shows the same points everywhere.
function randomNumbers(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

const SETS = {
  moons: {
    title: "Two moons", degree: 3, classes: 2,
    make({ uniform, normal }, label) {
      const angle = Math.PI * uniform();
      const x = label ? 1 - Math.cos(angle) : Math.cos(angle), y = label ? 0.5 - Math.sin(angle) : Math.sin(angle);
      return [0.9 * (x - 0.5) + 0.12 * normal(), 1.1 * (y - 0.25) + 0.12 * normal()];
    },
  },
  // The clusters of `temper demo`: large margins, and two small ones by which wrong labels rotate the boundary.
  servedio: {
    title: "Long–Servedio", degree: 1, classes: 2,
    make({ uniform, normal }, label) {
      const kind = uniform(), sign = label ? 1 : -1;
      const [x, y, width, height] =
        kind < 0.4 ? [1, 0, 0.06, 0.06] : kind < 0.7 ? [0.12, 1, 0.03, 0.06] : [0.12, -0.3, 0.03, 0.06];
      return [sign * (x + width * normal()), sign * (y + height * normal())];
    },
  },
  overlap: {
    title: "Overlapping", degree: 1, classes: 2,
    make({ normal }, label) {
      return [(label ? 0.55 : -0.55) + 0.42 * normal(), (label ? 0.2 : -0.2) + 0.5 * normal()];
    },
  },
  three: {
    title: "Three classes", degree: 1, classes: 3,
    make({ normal }, label) {
      const angle = Math.PI / 2 + (2 * Math.PI * label) / 3;
      return [0.85 * Math.cos(angle) + 0.26 * normal(), 0.85 * Math.sin(angle) - 0.1 + 0.26 * normal()];
    },
  },
  empty: { title: "Draw your own", degree: 1, classes: 3, make: null },
};

const within = (value) => Math.max(-AREA + 0.02, Math.min(AREA - 0.02, value));

// {x, y, truth, label} of each point.
function samplePoints(name, count, seed) {
  const set = SETS[name], random = randomNumbers(seed);
  if (!set.make) return [];
  return Array.from({ length: count }, (_, i) => {
    const truth = i % set.classes, [x, y] = set.make(random, truth);
    return { x: within(x), y: within(y), truth, label: truth };
  });
}

// All products of the coordinates up to a degree: the boundary is linear in these.
function features(points, degree) {
  const columns = ((degree + 1) * (degree + 2)) / 2 - 1, x = new Float64Array(points.length * columns);
  points.forEach((point, row) => {
    let at = row * columns;
    for (let total = 1; total <= degree; total++)
      for (let power = total; power >= 0; power--) x[at++] = point.x ** power * point.y ** (total - power);
  });
  return { x, columns };
}

const featureNames = (degree) => {
  const names = [];
  for (let total = 1; total <= degree; total++)
    for (let power = total; power >= 0; power--) names.push("x".repeat(power) + "y".repeat(total - power));
  return names;
};

// The middle of each cell of the shown plane, row by row from the top.
function gridPoints(cells) {
  const at = (i) => AREA * ((2 * i + 1) / cells - 1), points = [];
  for (let row = 0; row < cells; row++) for (let column = 0; column < cells; column++) points.push({ x: at(column), y: -at(row) });
  return points;
}

if (typeof module !== "undefined") module.exports = { SETS, samplePoints, features, gridPoints };
