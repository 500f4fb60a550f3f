/* The data of the page; README.md describes the format. */

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

const KINDS = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, i8: Int8Array };

class Run {
  constructor(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    this.text = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    this.buffer = buffer;
    this.start = Math.ceil((4 + length) / 8) * 8;
    if (this.text.format !== 1) throw new Error(`The data has format ${this.text.format}; this page reads format 1.`);
  }

  /* The numbers of an array. */
  numbers(array) {
    if (!array) return null;
    if (Array.isArray(array)) return Float64Array.from(array);
    const Kind = KINDS[array.type];
    if (!Kind) throw new Error(`An array has the type ${array.type}.`);
    return new Kind(this.buffer, this.start + array.at, array.n);
  }

  /* The same of directions; bytes are parts of 127. */
  directions(array) {
    const raw = this.numbers(array);
    return raw instanceof Int8Array ? Float32Array.from(raw, (value) => value / 127) : raw;
  }

  mesh(index) {
    this.meshes ??= new Map();
    if (!this.meshes.has(index)) {
      const { points, normals, triangles } = this.text.meshes[index];
      this.meshes.set(index, { points: this.numbers(points), normals: this.directions(normals), triangles: this.numbers(triangles) });
    }
    return this.meshes.get(index);
  }
}

/* A signal: samples over one base of times, with the unit it is shown in. */
class Signal {
  constructor(run, text, bases, from) {
    const { unit, factor = 1, offset = 0 } = text.display ?? { unit: text.unit };
    Object.assign(this, { name: text.name, group: text.group ?? "outputs", description: text.description ?? "", thinned: Boolean(text.thinned) });
    Object.assign(this, { unit: unit ?? text.unit ?? "", factor, offset, from, run, text, base: bases[text.base], whole: bases[text.base] });
  }

  get times() {
    this.base.numbers ??= this.run.numbers(this.base.array);
    return this.base.numbers;
  }

  /* In the unit that is shown. */
  get values() {
    if (!this.shown) {
      const raw = this.run.numbers(this.text.values);
      this.shown = this.factor === 1 && this.offset === 0 ? raw : Float64Array.from(raw, (x) => x * this.factor + this.offset);
    }
    return this.shown;
  }

  get last() {
    return Math.min(this.times.length, this.values.length) - 1;
  }

  /* The value at time t, on the straight line between samples; NaN outside the run. */
  at(t) {
    const { times: base, values, last } = this;
    if (last < 0 || t < base[0] || t > base[last]) return NaN;
    const k = Math.min(lastNotAbove(base, t), last);
    if (k >= last || base[k + 1] <= base[k]) return values[k];
    const s = (t - base[k]) / (base[k + 1] - base[k]);
    return s === 0 ? values[k] : values[k] + s * (values[k + 1] - values[k]);
  }
}

/* All signals of the run, each with its partner in the other run, if there is one. */
function signalsOf(run) {
  const read = (part, from) => {
    const bases = part.bases.map((array) => ({ array }));
    return part.signals.map((signal) => new Signal(run, signal, bases, from));
  };
  const signals = read({ bases: run.text.bases ?? [], signals: run.text.signals ?? [] }, null);
  if (run.text.against) {
    const others = new Map(read(run.text.against, run.text.against.name).map((signal) => [signal.name, signal]));
    for (const signal of signals) signal.other = others.get(signal.name) ?? null;
  }
  return signals;
}

/* A quantity of the scene in the unit that is shown. */
function shownIn(run, quantity, value, digits = 4) {
  const { unit, factor } = run.text[quantity] ?? { unit: { length: "m", force: "N", torque: "N.m", mass: "kg" }[quantity], factor: 1 };
  return `${readable(value / factor, digits)} ${unit}`;
}
