/* The outline of what is chosen in the 3-D view: its parts are drawn once more, white, into a picture of their own; where that
 * picture ends, the view gets a line. What is chosen keeps its colours, and is found behind other parts too. */

const MARK = "#ff8c00";

class Outline {
  constructor() {
    this.target = new THREE.WebGLRenderTarget(1, 1, { samples: 4, depthBuffer: false });
    this.mask = new THREE.Scene();
    this.white = new THREE.ShaderMaterial({
      side: THREE.DoubleSide, depthTest: false,
      vertexShader: "void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
      fragmentShader: "void main() { gl_FragColor = vec4(1.0); }",
    });
    this.uniforms = { mask: { value: this.target.texture }, step: { value: new THREE.Vector2() }, ink: { value: new THREE.Color(MARK) } };
    this.line = new THREE.Scene();
    const sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShaderMaterial({
      uniforms: this.uniforms, transparent: true, depthTest: false, depthWrite: false,
      vertexShader: "varying vec2 at; void main() { at = 0.5 + 0.5 * position.xy; gl_Position = vec4(position.xy, 0.0, 1.0); }",
      fragmentShader: `
        varying vec2 at; uniform sampler2D mask; uniform vec2 step; uniform vec3 ink;
        void main() {
          float most = 0.0;
          for (int k = 0; k < 16; k++) {
            float angle = 0.3926991 * float(k);
            most = max(most, texture2D(mask, at + step * vec2(cos(angle), sin(angle))).r);
          }
          float own = texture2D(mask, at).r;
          gl_FragColor = vec4(ink, most * (1.0 - own));
          #include <colorspace_fragment>
        }`,
    }));
    sheet.frustumCulled = false;
    this.line.add(sheet);
    this.drawn = [];
  }

  /* Takes what is chosen now. */
  choose(parts) {
    for (const { mesh, soft } of this.drawn) {
      this.mask.remove(mesh);
      if (soft) mesh.geometry.dispose();
    }
    const rigid = parts.list.filter((part) => isChosen(part) && !part.ghost && !part.inertia && part.item.kind !== "arrow");
    const softs = parts.softs.filter((soft) => soft.item.chosen && soft.mesh.triangles.length);
    this.drawn = [
      ...rigid.map((part) => ({ part, mesh: this.add((part.mesh.outlined ??= geometryOf(part.mesh))) })),
      ...softs.map((soft) => ({ soft, mesh: this.add(geometryOf({ ...soft.mesh, points: Float32Array.from(soft.mesh.points) })) })),
    ];
  }

  add(geometry) {
    const mesh = new THREE.Mesh(geometry, this.white);
    Object.assign(mesh, { frustumCulled: false, matrixAutoUpdate: false });
    this.mask.add(mesh);
    return mesh;
  }

  resize(width, height, ratio) {
    const [w, h] = [width, height].map((length) => Math.max(1, Math.round(length * ratio)));
    this.target.setSize(w, h);
    this.uniforms.step.value.set((2.2 * ratio) / w, (2.2 * ratio) / h);
  }

  /* The picture of what is chosen; false if nothing is. */
  prepare(renderer, eye, parts) {
    let any = false;
    for (const { part, soft, mesh } of this.drawn) {
      mesh.visible = part ? part.visible : parts.isShown(soft.item);
      if (!mesh.visible) continue;
      any = true;
      mesh.matrix.fromArray(part ? part.matrix : parts.motion.matrices[soft.body]);
      mesh.matrixWorldNeedsUpdate = true;
      if (!soft) continue;
      const { position } = mesh.geometry.attributes;
      position.array.set(soft.deformed(parts.deformation));
      position.needsUpdate = true;
    }
    if (!any) return false;
    renderer.setRenderTarget(this.target);
    renderer.render(this.mask, eye);
    renderer.setRenderTarget(null);
    return true;
  }

  /* The line, over the finished view. */
  draw(renderer, eye) {
    renderer.autoClear = false;
    renderer.render(this.line, eye);
    renderer.autoClear = true;
  }
}
