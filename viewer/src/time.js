/* The clock: one time for the view and the plots. It asks for pictures only while it plays. */

const SPEEDS = [];
for (let k = -10; k <= 8; k += 1) SPEEDS.push(2 ** k);

class Clock {
  constructor(motion, signals, changed) {
    this.changed = changed;
    const turns = motion.shapes.length > 0;
    let [start, end] = turns ? [0, 1] : [motion.start, motion.end];
    const frames = turns ? Float64Array.from({ length: 37 }, (_, k) => k / 36) : motion.times;
    if (!turns && motion.times.length < 2) {
      for (const signal of signals.slice(0, 1)) if (signal.last > 0) [start, end] = [signal.times[0], signal.times[signal.last]];
    }
    // A step goes to the next row of the results, where all of them are here; else to the next frame of the motion.
    const full = turns ? null : signals.find((signal) => !signal.thinned && signal.times.length > frames.length);
    Object.assign(this, { start, end: end > start ? end : start, now: start, playing: false, loop: true, frames: full ? full.times : frames });
    // A short run plays slowly enough to be watched, a long one fast enough.
    const length = this.end - this.start;
    this.speed = length > 0 ? 2 ** clamp(length < 4 ? Math.floor(Math.log2(length / 4)) : length > 120 ? Math.ceil(Math.log2(length / 120)) : 0, -10, 8) : 1;
    if (length >= 2 && length <= 120) this.speed = 1;
    if (turns) this.speed = 0.6;
  }

  set(t) {
    this.now = clamp(t, this.start, this.end);
    this.changed();
  }

  play(on = !this.playing) {
    if (on === this.playing || (on && this.end <= this.start)) return;
    this.playing = on;
    if (on && this.now >= this.end) this.now = this.start;
    this.last = null;
    if (on) requestAnimationFrame((at) => this.tick(at));
    this.changed();
  }

  tick(at) {
    if (!this.playing) return;
    if (this.last !== null) {
      // A tab that was hidden does not jump.
      let t = this.now + Math.min(0.25, (at - this.last) / 1000) * this.speed;
      if (t >= this.end) {
        if (this.loop) t = this.start + ((t - this.end) % (this.end - this.start || 1));
        else {
          t = this.end;
          this.playing = false;
        }
      }
      this.now = t;
    }
    this.last = at;
    this.changed(true);
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }

  /* The row that is nearest to a time. */
  nearest(t) {
    const { frames } = this, k = clamp(lastNotAbove(frames, t), 0, frames.length - 1), next = Math.min(k + 1, frames.length - 1);
    return Math.abs(frames[next] - t) < Math.abs(frames[k] - t) ? frames[next] : frames[k];
  }

  /* To the next or last row, or by several. */
  step(count) {
    this.play(false);
    const k = lastNotAbove(this.frames, this.now + 1e-12 * Math.abs(this.now));
    const between = this.now > this.frames[k] + 1e-9 * (this.end - this.start) && count < 0 ? 1 : 0;
    this.set(this.frames[clamp(k + count + between, 0, this.frames.length - 1)]);
  }

  faster(by) {
    const k = SPEEDS.findIndex((speed) => speed >= this.speed * 0.999);
    this.speed = SPEEDS[clamp((k < 0 ? SPEEDS.length - 1 : k) + by, 0, SPEEDS.length - 1)];
    this.changed();
  }
}

const speedText = (speed) => (speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`);

/* The bar at the bottom. */
class TimeBar {
  constructor(clock) {
    this.clock = clock;
    const root = document.getElementById("time");
    this.playButton = button("Play", { sign: "play", quiet: false, act: () => clock.play(), key: "Space" });
    this.playButton.classList.add("main");
    const back = button("Step back", { sign: "back", act: () => clock.step(-1), key: "←" });
    const forward = button("Step forward", { sign: "forward", act: () => clock.step(1), key: "→" });
    this.loopButton = button("Loop", { sign: "loop", act: () => {
      clock.loop = !clock.loop;
      clock.changed();
    }, key: "L" });
    this.speeds = chooser("Speed", SPEEDS.map((speed) => [String(speed), speedText(speed)]), String(clock.speed), (value) => {
      clock.speed = Number(value);
    });
    const time = make("div", "clock");
    this.text = make("input");
    Object.assign(this.text, { type: "text", inputMode: "decimal" });
    this.text.setAttribute("aria-label", "Time in seconds");
    this.text.addEventListener("change", () => {
      const t = Number(this.text.value.replace("−", "-").replace(",", "."));
      if (this.text.value.trim() && Number.isFinite(t)) {
        clock.play(false);
        clock.set(t);
      }
      this.show();
      // Also where the field keeps the focus, so that nothing stands there that is not the time.
      this.write();
    });
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.text.blur();
    });
    time.append(this.text, make("span", "unit", "s"), make("span", "end", `of ${readable(clock.end, 6)} s`));
    this.bar = make("input", "scrub");
    Object.assign(this.bar, { type: "range", min: clock.start, max: clock.end, step: "any" });
    this.bar.setAttribute("aria-label", "Time");
    this.bar.addEventListener("input", () => {
      clock.play(false);
      clock.set(Number(this.bar.value));
    });
    root.append(back, this.playButton, forward, this.loopButton, time, this.bar, this.speeds);
    // As many as tell rows apart.
    const step = (clock.end - clock.start) / Math.max(2000, clock.frames.length - 1);
    this.digits = clamp(Math.ceil(-Math.log10(step || 1) - 1e-9), 0, 9);
    this.show();
  }

  write() {
    const { now, playing } = this.clock, step = 10 ** -this.digits;
    // Between rows, more digits tell so.
    const between = !playing && this.digits < 8 && Math.abs(this.clock.nearest(now) - now) > 0.01 * step;
    this.text.value = now.toFixed(this.digits + (between ? 2 : 0)).replace("-", "−");
  }

  show() {
    const { clock } = this;
    const share = clock.end > clock.start ? (clock.now - clock.start) / (clock.end - clock.start) : 0;
    if (document.activeElement !== this.text) this.write();
    this.bar.value = clock.now;
    this.bar.style.setProperty("--past", `${(100 * share).toFixed(2)}%`);
    this.bar.setAttribute("aria-valuetext", `${readable(clock.now, 6)} s`);
    swapIcon(this.playButton, clock.playing ? "pause" : "play");
    this.playButton.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    this.loopButton.setAttribute("aria-pressed", String(clock.loop));
    this.speeds.value = String(clock.speed);
  }
}

const KEYS = [
  ["Space", "play or pause"], ["← →", "step to the next row of the results; with Shift by ten"], ["Home End", "start, end"], [", .", "slower, faster"], ["L", "loop"],
  ["F", "frame the chosen part; when nothing is chosen, all"], ["1 … 7", "isometric, front, back, left, right, top, bottom"], ["O", "perspective or orthographic"],
  ["W", "wireframe"], ["T", "transparent"], ["Alt + arrows, + −", "turn and zoom, when the view has the focus; + − and Backspace in a plot: zoom, show all"], ["A B", "cursor A or B at the present time, in plots; again: away"], ["M", "tree of the model"],
  ["↑ ↓", "shape before, next shape; where shapes are chosen"], ["Esc", "choose nothing"], ["?", "these keys"],
];

/* One key of the page; true if it was used. */
function useKey(app, event) {
  const { clock, stage } = app;
  const jump = event.shiftKey ? 10 : 1;
  const views = ["iso", "front", "back", "left", "right", "top", "bottom"];
  const mode = (name) => stage.tools.draw(stage.tools.mode.value === name ? "solid" : name);
  const acts = {
    " ": () => clock.play(), ArrowLeft: () => clock.step(-jump), ArrowRight: () => clock.step(jump),
    Home: () => clock.set(clock.start), End: () => clock.set(clock.end), ",": () => clock.faster(-1), ".": () => clock.faster(1),
    l: () => app.timeBar.loopButton.click(), f: () => stage.fitChosen(), o: () => stage.tools.toggleFlat(), w: () => mode("wire"), t: () => mode("clear"),
    a: () => app.plots.toggleCursor(0), b: () => app.plots.toggleCursor(1), m: () => app.toggleSide(), "?": () => app.help(true),
    ...(app.motion.shapes.length ? { ArrowUp: () => app.shapeList.step(-1), ArrowDown: () => app.shapeList.step(1) } : {}),
    Escape: () => (document.getElementById("help").hidden ? stage.choose(null) : app.help(false)),
  };
  const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (act) act();
  else if (event.key >= "1" && event.key <= "7") stage.tools.look(views[Number(event.key) - 1]);
  else return false;
  return true;
}

function listenToKeys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const typing = target.matches('input:not([type="range"]):not([type="checkbox"]), select, textarea');
    if (typing && event.key !== "Escape") return;
    if (event.key === " " && target.matches("button, summary, input, a, [role=treeitem]")) return;
    if (event.key.startsWith("Arrow") && target.matches('input[type="range"]:not(.scrub), [role=separator], [role=tab], .cursor')) return;
    if (useKey(app, event)) event.preventDefault();
  });
}
