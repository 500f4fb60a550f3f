/* Spectra of signals over a window of time. */

/* Least, largest, mean and root mean square of a line over a range of x; the last two weighted by x, on straight lines. */
function statistics({ xs, ys }, [from, to]) {
  const n = Math.min(xs.length, ys.length);
  let low = Infinity, high = -Infinity, sum = 0, squares = 0, span = 0;
  for (let k = n && xs[0] < from ? lastNotAbove(xs, from) : 0; k < n && xs[k] <= to; k += 1) {
    if (xs[k] < from || !Number.isFinite(ys[k])) continue;
    low = Math.min(low, ys[k]);
    high = Math.max(high, ys[k]);
    if (k + 1 >= n || xs[k + 1] > to || !Number.isFinite(ys[k + 1])) continue;
    const step = xs[k + 1] - xs[k], a = ys[k], b = ys[k + 1];
    span += step;
    sum += 0.5 * step * (a + b);
    squares += (step * (a * a + a * b + b * b)) / 3;
  }
  if (!(low <= high)) return [NaN, NaN, NaN, NaN];
  return span > 0 ? [low, high, sum / span, Math.sqrt(squares / span)] : [low, high, low, Math.abs(low)];
}

/* What a spectrum shows ends, at first, behind the last value above this part of the largest; null: all of it. */
const BUSY = { fft: 1e-4, psd: 1e-8 };

function busyRange(lines, kind) {
  let high = 0, end = 0;
  for (const { xs, ys } of lines) {
    const n = Math.min(xs.length, ys.length);
    let most = 0, last = 0;
    for (let k = 1; k < n; k += 1) most = Math.max(most, ys[k]);
    for (let k = 1; k < n; k += 1) if (ys[k] > BUSY[kind] * most) last = k;
    if (n) [high, end] = [Math.max(high, xs[Math.min(n - 1, Math.max(20, Math.ceil(1.1 * last)))]), Math.max(end, xs[n - 1])];
  }
  return high > 0 && high < 0.8 * end ? [0, high] : null;
}

/* In-place Fourier transform of a power of two of complex numbers (Cooley and Tukey, 1965). */
function transform(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i += 1) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) [re[i], re[j], im[i], im[j]] = [re[j], re[i], im[j], im[i]];
  }
  for (let size = 2; size <= n; size *= 2) {
    const angle = (-2 * Math.PI) / size;
    for (let k = 0; k < size / 2; k += 1) {
      const c = Math.cos(angle * k), s = Math.sin(angle * k);
      for (let at = k; at < n; at += size) {
        const other = at + size / 2;
        const x = re[other] * c - im[other] * s, y = re[other] * s + im[other] * c;
        re[other] = re[at] - x;
        im[other] = im[at] - y;
        re[at] += x;
        im[at] += y;
      }
    }
  }
}

/* Evenly spaced samples of a signal over a window: as many as it has there, 2^17 at most. Where its own samples are even, these
 * are they. */
function resampled(signal, [from, to]) {
  const { times: base, values, last } = signal;
  let first = lastNotAbove(base, from);
  if (base[first] < from) first += 1;
  const end = Math.min(last, lastNotAbove(base, to));
  const n = Math.min(2 ** 17, end - first + 1);
  if (!(n >= 16)) return null;
  const step = (base[end] - base[first]) / (n - 1);
  const out = new Float64Array(n);
  let at = first;
  for (let k = 0; k < n; k += 1) {
    const t = base[first] + k * step;
    while (at < end - 1 && base[at + 1] <= t) at += 1;
    const s = base[at + 1] > base[at] ? clamp((t - base[at]) / (base[at + 1] - base[at]), 0, 1) : 0;
    out[k] = values[at] + s * (values[at + 1] - values[at]);
  }
  return { samples: out, step };
}

/* Powers of segments with Hann's window, without their mean, filled with zeros to a power of two: the sum of |X|² over the segments,
 * their number, Σw and Σw², and the number of points of the transform. */
function segments(samples, length, hop, fill = 1) {
  const points = 2 ** Math.ceil(Math.log2(fill * length));
  const power = new Float64Array(points / 2 + 1);
  const window = Float64Array.from({ length }, (_, k) => 0.5 - 0.5 * Math.cos((2 * Math.PI * k) / length));
  let count = 0;
  for (let at = 0; at + length <= samples.length; at += hop) {
    const re = new Float64Array(points), im = new Float64Array(points);
    const piece = samples.subarray(at, at + length);
    const mean = piece.reduce((sum, x) => sum + x, 0) / length;
    for (let k = 0; k < length; k += 1) re[k] = (piece[k] - mean) * window[k];
    transform(re, im);
    for (let k = 0; k < power.length; k += 1) power[k] += re[k] * re[k] + im[k] * im[k];
    count += 1;
  }
  return { power, count, points, sum: window.reduce((a, w) => a + w, 0), squares: window.reduce((a, w) => a + w * w, 0) };
}

/* A spectrum over its frequencies; zero and the highest frequency have no partner below zero, so they count half. */
function spectrumOf({ power, points }, step, length, value) {
  const ys = Float64Array.from(power, (p, k) => value(p) * (k === 0 || k === points / 2 ? 0.5 : 1));
  return { xs: ys.map((_, k) => k / (points * step)), ys, count: length, width: 1 / (length * step) };
}

/* Amplitude of each harmonic: 2 |X| / Σw. Four times as many points as samples: a peak between two points is at most 1 % low. */
function amplitudes(signal, window) {
  const even = resampled(signal, window);
  if (!even) return null;
  const n = even.samples.length;
  const found = segments(even.samples, n, n, 4);
  return spectrumOf(found, even.step, n, (p) => (2 * Math.sqrt(p)) / found.sum);
}

/* One-sided power spectral density by Welch's method (1967): segments of a quarter that overlap by half; 2 |X|² / (fs Σw²). */
function density(signal, window) {
  const even = resampled(signal, window);
  if (!even) return null;
  const length = Math.max(16, even.samples.length >> 2);
  const found = segments(even.samples, length, length >> 1);
  return spectrumOf(found, even.step, length, (p) => (2 * p * even.step) / (found.squares * found.count));
}
