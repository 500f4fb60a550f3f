/* Shapes that move: the list to choose from, the caption over the view, and the bar at the bottom. */

class ShapeList {
  constructor(app) {
    this.app = app;
    this.root = make("div", "shapes");
    const { shapes } = app.motion;
    this.films = shapes.some((shape) => shape.film);
    this.buttons = shapes.map((shape, k) => {
      const made = make("button", "shape");
      made.type = "button";
      made.append(make("span", "number", String(k + 1)), make("b", "", shape.name), make("small", "", shape.text ?? ""));
      made.addEventListener("click", () => app.chooseShape(this.films && app.motion.shape === k ? null : k));
      return made;
    });
    this.root.append(...this.buttons);
    if (!shapes.length) this.root.append(make("p", "none", app.run.text.notice ? "It does not start: what can move is not known." : "Constraints leave nothing free."));
    this.caption = make("div");
    this.caption.id = "caption";
    this.caption.append(make("strong"), make("span"));
    document.getElementById("scene").append(this.caption);
  }

  /* The next or last one. */
  step(by) {
    const { motion } = this.app, count = motion.shapes.length;
    this.app.chooseShape(((motion.shape ?? (by > 0 ? -1 : 0)) + by + count) % count);
  }

  show() {
    const { motion } = this.app;
    const shape = motion.shapes[motion.shape];
    this.buttons.forEach((made, k) => made.setAttribute("aria-pressed", String(k === motion.shape)));
    this.buttons[motion.shape]?.scrollIntoView({ block: "nearest" });
    this.caption.hidden = !shape;
    if (!shape) return;
    this.caption.querySelector("strong").textContent = shape.name;
    this.caption.querySelector("span").textContent = shape.text ?? "";
  }
}

/* The bar of shapes: phase, speed and amplitude instead of time. */
class ShapeBar {
  constructor(app) {
    const { clock } = app;
    this.app = app;
    const root = document.getElementById("time");
    root.setAttribute("aria-label", "Motion");
    this.playButton = button("Play", { sign: "play", quiet: false, act: () => clock.play(), key: "Space" });
    this.playButton.classList.add("main");
    this.loopButton = make("button");
    const step = (by, sign, text, key) => button(text, { sign, act: () => app.shapeList.step(by), key });
    this.bar = make("input", "scrub");
    Object.assign(this.bar, { type: "range", min: 0, max: 1, step: "any" });
    this.bar.setAttribute("aria-label", "Phase");
    this.bar.addEventListener("input", () => {
      clock.play(false);
      clock.set(Number(this.bar.value));
    });
    const slider = (text, low, high, value, act) => {
      const label = make("label", "inline"), input = make("input");
      Object.assign(input, { type: "range", min: low, max: high, step: 0.01, value });
      input.addEventListener("input", () => act(Number(input.value)));
      label.append(make("span", "", text), input);
      return [label, input];
    };
    const [size, sizeInput] = slider("Amplitude", 0, 1, app.motion.amplitude, (value) => app.chooseShape(app.motion.shape, value));
    const [speed] = slider("Speed", 0.05, 2, clock.speed, (value) => { clock.speed = value; });
    this.size = sizeInput;
    this.text = make("span", "phase");
    root.append(step(-1, "back", "Shape before", "↑"), this.playButton, step(1, "forward", "Next shape", "↓"), this.text, this.bar, size, speed);
    this.show();
  }

  show() {
    const { clock, motion } = this.app;
    const idle = motion.shape === null;
    this.text.textContent = idle ? "at rest" : `phase ${Math.round(360 * clock.now)}°`;
    this.bar.value = clock.now;
    this.bar.style.setProperty("--past", `${(100 * clock.now).toFixed(2)}%`);
    swapIcon(this.playButton, clock.playing ? "pause" : "play");
    this.playButton.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    this.playButton.disabled = this.bar.disabled = this.size.disabled = idle;
  }
}
