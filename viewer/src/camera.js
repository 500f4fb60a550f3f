/* The camera of both views: it turns about a target, with a distance and an angle of view. */

const VIEWS = { front: [0, 0], right: [90, 0], back: [180, 0], left: [270, 0], top: [0, 89.99], bottom: [0, -89.99], iso: [35, 22] };

class Camera {
  constructor(up, size) {
    // Right-handed axes with `up` as the third: azimuth is measured from −second towards first.
    this.up = up;
    const guess = Math.abs(up[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0];
    this.first = unit(sub(guess, times(up, dot(guess, up))));
    this.second = cross(up, this.first);
    Object.assign(this, { size, target: [0, 0, 0], azimuth: 35, elevation: 22, distance: 3 * size, flat: false, fov: 32, heading: 0 });
    this.width = this.height = 1;
    this.settle();
  }

  /* Axes of the picture and the place of the eye, from the angles. */
  settle() {
    const a = ((this.azimuth + this.heading) * Math.PI) / 180, e = (this.elevation * Math.PI) / 180;
    const level = add(times(this.first, Math.sin(a)), times(this.second, -Math.cos(a)));
    this.back = add(times(level, Math.cos(e)), times(this.up, Math.sin(e)));
    this.right = unit(cross(this.up, level));
    this.top = cross(this.back, this.right);
    this.eye = add(this.target, times(this.back, this.distance));
    // Height of what is seen at the target.
    this.span = 2 * this.distance * Math.tan((this.fov * Math.PI) / 360);
  }

  turn(dx, dy) {
    this.azimuth = (((this.azimuth - 0.4 * dx) % 360) + 360) % 360;
    this.elevation = clamp(this.elevation + 0.4 * dy, -89.99, 89.99);
    this.settle();
  }

  pan(dx, dy) {
    const k = this.span / this.height;
    this.target = add(this.target, add(times(this.right, -dx * k), times(this.top, dy * k)));
    this.settle();
  }

  /* Nearer or farther; the point under the pointer stays where it is. */
  zoom(factor, x = 0, y = 0) {
    const old = this.span;
    this.distance = clamp(this.distance * factor, 1e-4 * this.size, 1e4 * this.size);
    this.settle();
    const move = old - this.span;
    this.target = add(this.target, add(times(this.right, 0.5 * x * move * (this.width / this.height)), times(this.top, 0.5 * y * move)));
    this.settle();
  }

  look(name) {
    [this.azimuth, this.elevation] = VIEWS[name];
    this.settle();
  }

  /* Frames a box: its corners are seen with some space around them, from no nearer than `least` times the size of the mechanism. */
  frame([low, high], least = 0.3) {
    this.target = times(add(low, high), 0.5);
    this.settle();
    const half = Math.tan((this.fov * Math.PI) / 360);
    const aspect = this.width / this.height;
    let need = least * this.size;
    for (let corner = 0; corner < 8; corner += 1) {
      const d = sub([0, 1, 2].map((c) => ((corner >> c) & 1 ? high[c] : low[c])), this.target);
      const near = this.flat ? 0 : dot(d, this.back);
      need = Math.max(need, Math.abs(dot(d, this.top)) / half + near, Math.abs(dot(d, this.right)) / half / aspect + near);
    }
    this.distance = 1.18 * need;
    this.settle();
  }

  /* Place in the picture: x and y from −1 to 1 and the distance from the eye along the view. */
  project(p) {
    const d = sub(p, this.target);
    const depth = this.distance - dot(d, this.back);
    const k = 2 / (this.flat ? this.span : (this.span * depth) / this.distance);
    return [dot(d, this.right) * k * (this.height / this.width), dot(d, this.top) * k, depth];
  }

  /* The ray through a place in the picture. */
  ray(x, y) {
    const across = add(times(this.right, 0.5 * x * this.span * (this.width / this.height)), times(this.top, 0.5 * y * this.span));
    const through = add(this.target, across);
    if (this.flat) return [add(through, times(this.back, 50 * this.distance)), times(this.back, -1)];
    return [this.eye, unit(sub(through, this.eye))];
  }
}

/* Pointer, wheel and fingers move the camera. `changed` draws; `picked(x, y)` is a click that did not move. */
function steer(element, camera, changed, picked) {
  const pointers = new Map();
  let moved = 0;
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, size: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    moved = pointers.size > 1 ? 99 : 0;
  });
  element.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const before = pointers.size === 2 ? spread() : null;
    const [dx, dy] = [event.offsetX - last.x, event.offsetY - last.y];
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    moved += Math.abs(dx) + Math.abs(dy);
    if (before) {
      const after = spread();
      camera.zoom(before.size / Math.max(1, after.size));
      camera.pan(after.x - before.x, after.y - before.y);
    } else if (event.shiftKey || event.buttons & 6) camera.pan(dx, dy);
    else camera.turn(dx, dy);
    changed();
  });
  const up = (event) => {
    if (pointers.delete(event.pointerId) && event.type === "pointerup" && moved < 4 && event.button === 0) picked(event.offsetX, event.offsetY);
  };
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    const x = (2 * event.offsetX) / camera.width - 1, y = 1 - (2 * event.offsetY) / camera.height;
    camera.zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 20 : 1), -200, 200) * 0.0015), x, y);
    changed();
  }, { passive: false });
}
