/* The way of a point in the 3-D view: a line of a few pixels, faint as a whole, strong up to now. */

/* Each piece is a rectangle that faces the screen: `side` says which of its corners this is. */
const TRACE_VERTEX = `
  attribute vec3 from, to;
  attribute vec2 side;
  uniform vec2 screen;
  uniform float width;
  void main() {
    vec4 p = projectionMatrix * modelViewMatrix * vec4(from, 1.0), q = projectionMatrix * modelViewMatrix * vec4(to, 1.0);
    // What is behind the near plane is cut off.
    float a = p.z + p.w, b = q.z + q.w;
    if (a < 0.0 && b > 0.0) p = mix(p, q, a / (a - b));
    if (b < 0.0 && a > 0.0) q = mix(q, p, b / (b - a));
    vec2 along = (q.xy / q.w - p.xy / p.w) * screen;
    along = length(along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
    vec4 own = side.x < 0.0 ? p : q;
    vec2 off = (side.x * 0.5 * along + side.y * vec2(-along.y, along.x)) * width / screen;
    gl_Position = own + vec4(off * own.w, 0.0, 0.0);
  }`;

class TraceLine {
  constructor(scene, trace, camera) {
    this.trace = trace;
    const { points } = trace.way;
    this.pieces = Math.max(0, points.length / 3 - 1);
    const from = [], to = [], side = [], index = [];
    for (let k = 0; k < this.pieces; k += 1) {
      for (const [x, y] of [[-1, -1], [-1, 1], [1, 1], [1, -1]]) {
        from.push(...points.slice(3 * k, 3 * k + 3));
        to.push(...points.slice(3 * k + 3, 3 * k + 6));
        side.push(x, y);
      }
      index.push(4 * k, 4 * k + 1, 4 * k + 2, 4 * k, 4 * k + 2, 4 * k + 3);
    }
    const line = (opacity, width) => {
      const geometry = new THREE.BufferGeometry();
      const put = (name, numbers, size) => geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(numbers), size));
      put("from", from, 3);
      put("to", to, 3);
      put("side", side, 2);
      geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(index), 1));
      const uniforms = { screen: { value: new THREE.Vector2() }, width: { value: width }, ink: { value: new THREE.Color(trace.color) }, opacity: { value: opacity } };
      const drawn = new THREE.Mesh(geometry, new THREE.ShaderMaterial({
        uniforms, vertexShader: TRACE_VERTEX, transparent: true, depthWrite: false, side: THREE.DoubleSide,
        fragmentShader: "uniform vec3 ink; uniform float opacity; void main() { gl_FragColor = vec4(ink, opacity);\n#include <colorspace_fragment>\n}",
      }));
      drawn.frustumCulled = false;
      scene.add(drawn);
      return drawn;
    };
    this.whole = line(0.3, 1.5);
    this.past = line(1, 2.8);
    this.resize(camera);
  }

  resize({ width, height }) {
    for (const line of [this.whole, this.past]) line.material.uniforms.screen.value.set(width, height);
  }

  update(t) {
    const { times: base } = this.trace.way;
    this.count = t <= base[0] ? 0 : Math.min(this.pieces, lastNotAbove(base, t));
    this.past.geometry.setDrawRange(0, 6 * this.count);
  }

  remove(scene) {
    for (const line of [this.whole, this.past]) {
      scene.remove(line);
      line.geometry.dispose();
      line.material.dispose();
    }
  }
}
