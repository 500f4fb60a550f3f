/* Spectra of signals over a window of time. */

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

/* Evenly spaced samples of a signal over a window: as many as it has there, a power of two, 32 to 2^17. */
function resampled(signal, [from, to]) {
  const { times: base, values, last } = signal;
  const start = Math.max(from, base[0]), end = Math.min(to, base[last]);
  if (!(end > start)) return null;
  const inside = lastNotAbove(base, end) - lastNotAbove(base, start) + 1;
  const n = 2 ** clamp(Math.ceil(Math.log2(inside)), 5, 17);
  const step = (end - start) / n;
  const out = new Float64Array(n);
  let at = lastNotAbove(base, start);
  for (let k = 0; k < n; k += 1) {
    const t = start + k * step;
    while (at < last - 1 && base[at + 1] <= t) at += 1;
    const s = base[at + 1] > base[at] ? (t - base[at]) / (base[at + 1] - base[at]) : 0;
    out[k] = values[at] + s * (values[Math.min(at + 1, last)] - values[at]);
  }
  return { samples: out, step };
}

/* Squared amplitudes of segments with Hann's window, without their mean: [sum of |X|² over segments, count, sum w, sum w²]. */
function segments(samples, length, hop) {
  const power = new Float64Array(length / 2 + 1);
  const window = Float64Array.from({ length }, (_, k) => 0.5 - 0.5 * Math.cos((2 * Math.PI * k) / length));
  let count = 0;
  for (let at = 0; at + length <= samples.length; at += hop) {
    const re = samples.slice(at, at + length), im = new Float64Array(length);
    const mean = re.reduce((sum, x) => sum + x, 0) / length;
    for (let k = 0; k < length; k += 1) re[k] = (re[k] - mean) * window[k];
    transform(re, im);
    for (let k = 0; k < power.length; k += 1) power[k] += re[k] * re[k] + im[k] * im[k];
    count += 1;
  }
  return { power, count, sum: window.reduce((a, w) => a + w, 0), squares: window.reduce((a, w) => a + w * w, 0) };
}

/* Amplitude of each harmonic: 2 |X| / Σw; half of it at zero and at the highest frequency. */
function amplitudes(signal, window) {
  const even = resampled(signal, window);
  if (!even) return null;
  const n = even.samples.length;
  const { power, sum } = segments(even.samples, n, n);
  const ys = Float64Array.from(power, (p, k) => (Math.sqrt(p) * (k === 0 || k === n / 2 ? 1 : 2)) / sum);
  return { xs: ys.map((_, k) => k / (n * even.step)), ys, count: n, width: 1 / (n * even.step) };
}

/* One-sided power spectral density by Welch's method (1967): segments of a quarter that overlap by half; 2 |X|² / (fs Σw²). */
function density(signal, window) {
  const even = resampled(signal, window);
  if (!even) return null;
  const length = Math.max(32, even.samples.length / 4);
  const { power, count, squares } = segments(even.samples, length, length / 2);
  const ys = Float64Array.from(power, (p, k) => (p * even.step * (k === 0 || k === length / 2 ? 1 : 2)) / (squares * count));
  return { xs: ys.map((_, k) => k / (length * even.step)), ys, count: length, width: 1 / (length * even.step) };
}
