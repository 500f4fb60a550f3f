/* Derived curves: small expressions of signals, with units. A value is { ys, unit, base, plain }: numbers over a base of times, or one
 * number, `plain`, without a base. A unit is a map from symbols to exponents. */

/* Multiples of other units, so that what has one quantity can be added. */
const MULTIPLES = { mm: [1e-3, "m"], cm: [1e-2, "m"], km: [1e3, "m"], deg: [Math.PI / 180, "rad"], ms: [1e-3, "s"], g: [1e-3, "kg"], t: [1e3, "kg"], kN: [1e3, "N"],
  kPa: [1e3, "Pa"], MPa: [1e6, "Pa"], GPa: [1e9, "Pa"], kW: [1e3, "W"], kJ: [1e3, "J"] };

/* The unit of a text: `kg.m2`, `m/s2`, `N/(mm/s)`, `N m`. What has another form is a symbol of its own. */
function unitOfText(text) {
  const out = new Map();
  const parts = text.replace(/²/g, "2").replace(/³/g, "3").match(/[()/.*·\s]|[^()/.*·\s]+/g) ?? [];
  const signs = [1];
  let sign = 1;
  for (const part of parts) {
    const found = /^([^\d^+-]+)(?:\^?(-?\d+))?$/.exec(part);
    if (part === "/") sign = -1;
    else if (part === "(") {
      signs.push(signs.at(-1) * sign);
      sign = 1;
    }
    else if (part === ")") signs.pop();
    else if (/^[.*·\s]$/.test(part)) continue;
    else if (found) {
      joinUnit(out, found[1], signs.at(-1) * sign * Number(found[2] ?? 1));
      sign = 1;
    } else if (part === "1") sign = 1;
    // Not a product of powers.
    else return new Map([[`(${text})`, 1]]);
  }
  return signs.length === 1 ? out : new Map([[`(${text})`, 1]]);
}

function joinUnit(map, symbol, exponent) {
  const sum = (map.get(symbol) ?? 0) + exponent;
  if (sum) map.set(symbol, sum);
  else map.delete(symbol);
}

function multipliedUnits(a, b, sign) {
  const out = new Map(a);
  for (const [symbol, exponent] of b) joinUnit(out, symbol, sign * exponent);
  return out;
}

function textOfUnit(map) {
  const power = (exponent) => (exponent === 1 ? "" : Number.isInteger(exponent) ? String(exponent) : `^${exponent}`);
  const side = (sign) => [...map].filter(([, exponent]) => sign * exponent > 0).map(([symbol, exponent]) => symbol + power(sign * exponent));
  const [above, below] = [side(1), side(-1)];
  if (!below.length) return above.join(".");
  return `${above.join(".") || "1"}/${below.length > 1 ? `(${below.join(".")})` : below[0]}`;
}

/* What values in a unit are multiplied by to be in another; null if they are different quantities. */
function unitRatio(from, to) {
  const basic = (map) => {
    let factor = 1;
    const out = new Map();
    for (const [symbol, exponent] of map) {
      const [multiple, base] = MULTIPLES[symbol] ?? [1, symbol];
      factor *= multiple ** exponent;
      joinUnit(out, base, exponent);
    }
    return [factor, out];
  };
  const [[a, one], [b, other]] = [basic(from), basic(to)];
  return multipliedUnits(one, other, -1).size ? null : a / b;
}

/* Words of an expression: numbers, signs, names of functions, and the longest names of signals; names with odd signs stand in quotes too. */
function wordsOf(text, signals) {
  const out = [];
  const names = signals.map((signal) => signal.name).sort((a, b) => b.length - a.length);
  const inName = /[\w.[\]']/;
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^\s+/.exec(rest), number = /^(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/i.exec(rest), quoted = /^"([^"]*)"/.exec(rest), call = /^([a-z]+)\s*\(/.exec(rest);
    const name = names.find((one) => rest.startsWith(one) && !(inName.test(rest[one.length] ?? " ") && inName.test(one.at(-1))));
    if (space) at += space[0].length;
    else if (quoted) {
      out.push({ name: quoted[1] });
      at += quoted[0].length;
    } else if (call && call[1] in FUNCTIONS) {
      out.push({ call: call[1] });
      at += call[0].length;
    } else if (name) {
      out.push({ name });
      at += name.length;
    } else if (number) {
      out.push({ number: Number(number[0]) });
      at += number[0].length;
    } else if ("+-−*·/(),".includes(rest[0])) {
      out.push({ sign: { "−": "-", "·": "*" }[rest[0]] ?? rest[0] });
      at += 1;
    } else {
      const word = /^[\w.[\]]+/.exec(rest)?.[0] ?? rest[0];
      throw new Error(call ? `There is no function ${call[1]}: there are ${Object.keys(FUNCTIONS).join(", ")}.` : `No signal has the name ${word}.`);
    }
  }
  return out;
}

/* Derivative on any steps: by the parabola through three samples. Where a time comes twice, something jumped: each side has its own. */
function derivativeOf(xs, ys) {
  const n = Math.min(xs.length, ys.length), out = new Float64Array(n);
  const slope = (i, j) => (ys[j] - ys[i]) / (xs[j] - xs[i]);
  for (let start = 0, end; start < n; start = end) {
    for (end = start + 1; end < n && xs[end] > xs[end - 1]; end += 1);
    for (let k = start; k < end; k += 1) {
      if (end - start === 1) out[k] = NaN;
      else if (end - start === 2) out[k] = slope(start, start + 1);
      else {
        const m = clamp(k, start + 1, end - 2), a = slope(m - 1, m), b = slope(m, m + 1);
        const h = xs[m] - xs[m - 1], g = xs[m + 1] - xs[m];
        out[k] = k < m ? a - ((b - a) * h) / (h + g) : k > m ? b + ((b - a) * g) / (h + g) : (a * g + b * h) / (h + g);
      }
    }
  }
  return out;
}

/* Integral from the first sample, on straight lines. */
function integralOf(xs, ys) {
  const n = Math.min(xs.length, ys.length), out = new Float64Array(n);
  for (let k = 1; k < n; k += 1) out[k] = out[k - 1] + 0.5 * (xs[k] - xs[k - 1]) * (ys[k] + ys[k - 1]);
  return out;
}

const PER_SECOND = new Map([["s", -1]]), NO_UNIT = new Map();

/* Functions of one or two values. */
const FUNCTIONS = {
  abs: [1, (expression, a) => expression.map(a, Math.abs)],
  sqrt: [1, (expression, a) => ({ ...expression.map(a, Math.sqrt), unit: new Map([...a.unit].map(([symbol, exponent]) => [symbol, exponent / 2])) })],
  min: [2, (expression, a, b) => expression.both(a, b, Math.min, "compared")],
  max: [2, (expression, a, b) => expression.both(a, b, Math.max, "compared")],
  derivative: [1, (expression, a) => expression.overTime(a, "derivative", derivativeOf, multipliedUnits(a.unit, PER_SECOND, 1))],
  integral: [1, (expression, a) => expression.overTime(a, "integral", integralOf, multipliedUnits(a.unit, PER_SECOND, -1))],
};

/* One expression, read and evaluated from left to right; `choose(signal)` gives the signal to take. */
class Expression {
  constructor(text, signals, choose) {
    Object.assign(this, { words: wordsOf(text, signals), at: 0, signals, choose, used: new Set() });
    if (!this.words.length) throw new Error("An expression of signals is missing.");
    this.value = this.sum();
    if (this.at < this.words.length) throw new Error("Something stands after the end of the expression.");
    if (this.value.plain !== undefined) throw new Error("The expression names no signal.");
  }

  take(sign) {
    if (this.words[this.at]?.sign !== sign) return false;
    this.at += 1;
    return true;
  }

  sum() {
    let value = this.product();
    for (;;) {
      if (this.take("+")) value = this.both(value, this.product(), (x, y) => x + y, "added");
      else if (this.take("-")) value = this.both(value, this.product(), (x, y) => x - y, "subtracted");
      else return value;
    }
  }

  product() {
    let value = this.factor();
    for (;;) {
      if (this.take("*")) value = this.joined(value, this.factor(), (x, y) => x * y, 1);
      else if (this.take("/")) value = this.joined(value, this.factor(), (x, y) => x / y, -1);
      else return value;
    }
  }

  factor() {
    if (this.take("-")) return this.map(this.factor(), (x) => -x);
    const word = this.words[this.at];
    this.at += 1;
    if (word?.number !== undefined) return { plain: word.number, unit: NO_UNIT };
    if (word?.name !== undefined) return this.signal(word.name);
    if (word?.call) {
      const [count, act] = FUNCTIONS[word.call];
      const values = [this.sum()];
      while (values.length < count && this.take(",")) values.push(this.sum());
      if (values.length < count || !this.take(")")) throw new Error(`${word.call} takes ${count === 1 ? "one value" : "two values"} in parentheses.`);
      return act(this, ...values);
    }
    if (word?.sign !== "(") throw new Error(word ? `A value is missing before ${word.sign}.` : "A value is missing at the end.");
    const value = this.sum();
    if (!this.take(")")) throw new Error("A parenthesis is not closed.");
    return value;
  }

  signal(name) {
    const known = this.signals.find((one) => one.name === name);
    if (!known) throw new Error(`No signal has the name ${name}.`);
    const signal = this.choose(known);
    this.used.add(known);
    return { ys: signal.values, base: signal.base, xs: signal.times, unit: unitOfText(signal.unit), thinned: signal.thinned };
  }

  map(a, act) {
    return a.plain !== undefined ? { ...a, plain: act(a.plain) } : { ...a, ys: Float64Array.from(a.ys, (y) => act(y)) };
  }

  /* Two values sample by sample, at the times of the first that has times. */
  pairs(a, b, act, factor = 1) {
    if (a.plain !== undefined && b.plain !== undefined) return { plain: act(a.plain, b.plain * factor) };
    const lead = a.plain === undefined ? a : b;
    const at = (one) => {
      if (one.plain !== undefined) return () => one.plain;
      if (one.base === lead.base) return (k) => one.ys[k];
      return (k) => valueOn(one.xs, one.ys, lead.xs[k]);
    };
    const [x, y] = [at(a), at(b)];
    const ys = Float64Array.from({ length: Math.min(lead.xs.length, lead.ys.length) }, (_, k) => act(x(k), y(k) * factor));
    return { ys, base: lead.base, xs: lead.xs, thinned: a.thinned || b.thinned };
  }

  joined(a, b, act, sign) {
    return { ...this.pairs(a, b, act), unit: multipliedUnits(a.unit, b.unit, sign) };
  }

  /* Values of one quantity; a bare number is one of it. */
  both(a, b, act, verb) {
    const free = (one) => one.plain !== undefined && !one.unit.size;
    const unit = free(a) ? b.unit : a.unit;
    const factor = free(a) || free(b) ? 1 : unitRatio(b.unit, a.unit);
    if (factor === null) throw new Error(`${textOfUnit(a.unit) || "no unit"} and ${textOfUnit(b.unit) || "no unit"} cannot be ${verb}.`);
    return { ...this.pairs(a, b, act, factor), unit };
  }

  overTime(a, name, act, unit) {
    if (a.plain !== undefined) throw new Error(`The ${name} is of a signal, not of a number.`);
    // Between extremes of spans, nothing is known.
    if (a.thinned) throw new Error(`A signal of this run is thinned: its ${name} is not known.`);
    return { ...a, ys: act(a.xs, a.ys), unit };
  }
}

/* The value on the straight line between samples; NaN outside. */
function valueOn(xs, ys, t) {
  const last = Math.min(xs.length, ys.length) - 1;
  if (last < 0 || t < xs[0] || t > xs[last]) return NaN;
  const k = Math.min(lastNotAbove(xs, t), last);
  return k >= last || xs[k + 1] <= xs[k] ? ys[k] : ys[k] + ((t - xs[k]) / (xs[k + 1] - xs[k])) * (ys[k + 1] - ys[k]);
}

/* The signal of an expression, with its partner in the other run, if all signals in it have one. */
function derivedSignal(run, text, signals) {
  const name = text.trim().replace(/\s+/g, " ");
  const made = (choose, from) => {
    const { value, used } = new Expression(name, signals, choose);
    const unitText = textOfUnit(value.unit);
    const signal = new Signal(run, { name, unit: unitText, group: "derived", base: 0, thinned: value.thinned, description: "derived" }, [value.base], from);
    signal.shown = value.ys;
    return [signal, used];
  };
  const [signal, used] = made((one) => one, null);
  const others = [...used].map((one) => one.other);
  if (others.every(Boolean)) [signal.other] = made((one) => one.other, others[0].from);
  return signal;
}

/* The field for an expression in the bar of the plots. */
class CurveField {
  constructor(plots) {
    this.plots = plots;
    this.root = make("form", "curve");
    this.input = make("input");
    Object.assign(this.input, { type: "text", placeholder: "Curve: a − b, derivative(a) …", autocomplete: "off", spellcheck: false });
    this.input.setAttribute("aria-label", "Derived curve: an expression of signals");
    this.input.setAttribute("aria-describedby", "curvehelp");
    this.said = make("p", "said", `+ − * / ( ) and ${Object.keys(FUNCTIONS).join(", ")} of signals by name; Enter plots it in the active panel.`);
    this.said.id = "curvehelp";
    this.help = this.said.textContent;
    this.said.setAttribute("role", "status");
    this.root.append(this.input, this.said);
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      this.add(this.input.value);
    });
    this.input.addEventListener("input", () => this.say(""));
  }

  say(wrong) {
    this.said.textContent = wrong || this.help;
    this.root.classList.toggle("wrong", Boolean(wrong));
    this.input.setAttribute("aria-invalid", String(Boolean(wrong)));
  }

  add(text) {
    const { app } = this.plots;
    try {
      const made = derivedSignal(app.run, text, app.signals);
      let signal = app.signals.find((one) => one.name === made.name);
      if (!signal) app.signals.push(signal = made);
      app.tree.open.add("Derived");
      app.tree.makeSignals();
      this.plots.tick(signal, true);
      this.input.value = "";
      this.say("");
    } catch (error) {
      this.say(error.message);
    }
  }
}
