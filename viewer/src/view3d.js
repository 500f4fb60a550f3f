/* The 3-D view. All rigid parts are instances of one batch, so a mechanism of any number of bodies costs a few draw calls. */

/* Whether this browser gives a WebGL 2 context. */
function hasWebGl() {
  try {
    const context = make("canvas").getContext("webgl2");
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return Boolean(context);
  } catch {
    return false;
  }
}

class View3d {
  constructor(canvas, parts, camera) {
    Object.assign(this, { canvas, parts, camera, wire: false, softs: [], traces: [], matrix: new THREE.Matrix4() });
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.02;
    this.renderer.info.autoReset = false;
    this.scene = new THREE.Scene();
    this.scene.matrixWorldAutoUpdate = true;
    this.perspective = new THREE.PerspectiveCamera();
    this.orthographic = new THREE.OrthographicCamera();
    this.outline = new Outline();
    this.addLights();
    this.addBatches();
    for (const soft of parts.softs) if (soft.mesh.triangles.length) this.softs.push(new SoftMesh(this.scene, soft));
    this.height = parts.groundHeight();
    this.ground = new Ground(this.scene, parts.up, this.height);
    if (parts.floor !== null) this.cut(new THREE.Plane(new THREE.Vector3(...parts.up), 0.004 * parts.size - parts.floor));
    const [low, high] = parts.bounds();
    this.reach = 0.5 * norm(sub(high, low));
    this.paint();
  }

  /* Leaves out what is below a plane, but for arrows. */
  cut(plane) {
    this.renderer.localClippingEnabled = true;
    for (const mesh of [this.solid, this.glass, ...this.softs.map((soft) => soft.mesh)]) mesh.material.clippingPlanes = [plane];
  }

  /* A key light with a shadow, light from the sky, and a rim light from behind. */
  addLights() {
    const { up } = this.parts;
    const { first, second } = this.camera;
    this.sun = unit(add(times(up, 1.25), add(times(first, 0.55), times(second, -0.75))));
    this.key = new THREE.DirectionalLight(0xfff6ea, 2.1);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 2.2;
    this.key.shadow.intensity = 0.9;
    this.rim = new THREE.DirectionalLight(0xcfe2ff, 0.75);
    this.rim.position.set(...add(times(up, 0.5), add(times(first, -0.9), times(second, 0.9))));
    this.sky = new THREE.HemisphereLight(0xf4f8ff, 0xb3b0ab, 1.6);
    this.sky.position.set(...up);
    this.scene.add(this.key, this.key.target, this.rim, this.sky);
  }

  addBatches() {
    const { list } = this.parts;
    this.rigid = list.filter((part) => !isNote(part));
    this.arrows = list.filter(isNote);
    const standard = { roughness: 0.66, metalness: 0.06, side: THREE.DoubleSide };
    this.solid = this.batch(this.rigid, standard);
    // A little farther away, so that what moves hides where it rests.
    this.glass = this.batch(this.rigid, { ...standard, transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 });
    this.glass.sortObjects = true;
    this.notes = this.batch(this.arrows, { roughness: 0.9, metalness: 0, side: THREE.DoubleSide });
    this.solid.receiveShadow = true;
    // A shadow draws every triangle twice; a scene of more than the half of 200 000 goes without.
    const triangles = this.rigid.reduce((sum, part) => sum + (part.inertia ? 0 : part.mesh.triangles.length / 3), 0);
    this.solid.castShadow = triangles < 95000;
  }

  batch(parts, look) {
    const meshes = [...new Set(parts.map((part) => part.mesh))];
    const corners = meshes.reduce((sum, mesh) => sum + mesh.points.length / 3, 0);
    const indices = meshes.reduce((sum, mesh) => sum + mesh.triangles.length, 0);
    const batch = new THREE.BatchedMesh(Math.max(1, parts.length), Math.max(3, corners), Math.max(3, indices), new THREE.MeshStandardMaterial(look));
    const known = new Map(meshes.map((mesh) => [mesh, batch.addGeometry(geometryOf(mesh))]));
    for (const part of parts) part.slot = batch.addInstance(known.get(part.mesh));
    Object.assign(batch, { frustumCulled: false, perObjectFrustumCulled: false, sortObjects: false });
    this.scene.add(batch);
    return batch;
  }

  /* The batch that draws a part at present. */
  batchOf(part) {
    return isNote(part) ? this.notes : part.glass ? this.glass : this.solid;
  }

  /* Arrows in front of all else, or among the bodies. */
  setFront(front) {
    this.notes.material.depthTest = !front;
    this.notes.renderOrder = front ? 5 : 0;
    this.notes.material.transparent = front;
  }

  /* Colours, opacities and which parts are seen: after a choice, not in every frame. */
  paint() {
    const color = new THREE.Color(), mark = new THREE.Color(MARK), wrong = new THREE.Color("#d02020"), doubtful = new THREE.Color("#f08a24"), whole = new THREE.Vector4();
    for (const part of this.parts.list) {
      const opacity = this.parts.opacityOf(part);
      part.glass = opacity < 0.995;
      color.set(part.color);
      // Signs of joints are small and grey; bodies keep their colours inside the outline.
      if (part.owner.chosen && part.owner.kind === "joint") color.lerp(mark, 0.6);
      else if (part.owner.grade && part.owner.grade !== "note" && !isNote(part) && !part.ghost) color.lerp(part.owner.grade === "error" ? wrong : doubtful, 0.55);
      whole.set(color.r, color.g, color.b, part.glass ? opacity : 1);
      for (const batch of isNote(part) ? [this.notes] : [this.solid, this.glass]) batch.setColorAt(part.slot, whole);
    }
    for (const soft of this.softs) soft.paint(this.parts, this.wire);
    this.outline.choose(this.parts);
    for (const batch of [this.solid, this.glass]) {
      if (batch.material.wireframe === this.wire) continue;
      batch.material.wireframe = this.wire;
      batch.material.needsUpdate = true;
      batch._visibilityChanged = true;
    }
    this.colored = this.parts.coloring;
  }

  setWire(wire) {
    this.wire = wire;
    this.paint();
  }

  setTheme(dark) {
    this.sky.intensity = dark ? 1.3 : 1.65;
    this.ground.setTheme(dark);
  }

  resize(width, height, ratio) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.outline.resize(width, height, ratio);
    for (const trace of this.traces) trace.resize(this.camera);
  }

  /* Copies the camera and puts the shadow where it looks. */
  aim() {
    const { camera } = this;
    const aspect = camera.width / camera.height;
    const eye = camera.flat ? this.orthographic : this.perspective;
    const far = camera.distance + 12 * Math.max(this.reach, camera.distance);
    if (camera.flat) {
      const half = 0.5 * camera.span;
      Object.assign(eye, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: -far, far });
    } else Object.assign(eye, { fov: camera.fov, aspect, near: Math.max(0.004 * camera.distance, 1e-3 * this.parts.size), far });
    eye.updateProjectionMatrix();
    eye.matrixAutoUpdate = false;
    eye.matrix.set(
      camera.right[0], camera.top[0], camera.back[0], camera.eye[0], camera.right[1], camera.top[1], camera.back[1], camera.eye[1],
      camera.right[2], camera.top[2], camera.back[2], camera.eye[2], 0, 0, 0, 1);
    eye.matrixWorldNeedsUpdate = true;
    const range = clamp(0.9 * camera.span * Math.max(1, aspect), 0.2 * this.parts.size, Math.max(2.5 * this.reach, this.parts.size));
    const box = this.key.shadow.camera;
    if (Math.abs(box.right - range) > 0.02 * range) {
      Object.assign(box, { left: -range, right: range, top: range, bottom: -range, near: 0.1 * range, far: 7 * range });
      box.updateProjectionMatrix();
      this.key.shadow.normalBias = (2.6 * range) / 2048;
      this.key.shadow.bias = -0.0004;
    }
    this.key.target.position.set(...camera.target);
    this.key.position.set(...add(camera.target, times(this.sun, 3.5 * range)));
    this.ground.follow(camera);
    return eye;
  }

  draw() {
    const { list, coloring, traces } = this.parts;
    const scratch = new THREE.Vector4(), color = new THREE.Color();
    const most = coloring === "none" ? 0 : this.parts.fieldMost;
    for (const part of this.rigid) {
      this.solid.setVisibleAt(part.slot, part.visible && !part.glass);
      this.glass.setVisibleAt(part.slot, part.visible && part.glass);
    }
    for (const part of this.arrows) this.notes.setVisibleAt(part.slot, part.visible);
    for (const part of list) {
      if (!part.visible) continue;
      const batch = this.batchOf(part);
      this.matrix.elements = part.matrix;
      batch.setMatrixAt(part.slot, this.matrix);
      if (part.colored) {
        const [r, g, b] = fieldColor(most > 0 ? part.field / most : 0);
        color.setRGB(r / 255, g / 255, b / 255, THREE.SRGBColorSpace);
        batch.setColorAt(part.slot, scratch.set(color.r, color.g, color.b, part.glass ? this.parts.opacityOf(part) : 1));
      }
    }
    for (const soft of this.softs) soft.update(this.parts, most);
    while (this.traces.length > traces.length) this.traces.pop().remove(this.scene);
    traces.forEach((trace, k) => {
      if (this.traces[k]?.trace !== trace) {
        this.traces[k]?.remove(this.scene);
        this.traces[k] = new TraceLine(this.scene, trace, this.camera);
      }
      this.traces[k].update(this.parts.motion.time);
    });
    const { info } = this.renderer;
    info.reset();
    const eye = this.aim(), outlined = this.outline.prepare(this.renderer, eye, this.parts);
    this.renderer.render(this.scene, eye);
    if (outlined) this.outline.draw(this.renderer, eye);
    this.counts = { calls: info.render.calls, triangles: info.render.triangles };
  }

  /* The matrix of a body as it stands in the scene: that of its first solid without the place of the solid in the body. */
  pose(body) {
    const part = this.parts.list.find((one) => one.body === body && one.local && one.visible && !isNote(one));
    if (part) {
      const drawn = new THREE.Matrix4();
      this.batchOf(part).getMatrixAt(part.slot, drawn);
      return product(drawn.elements, inverse(part.local), new Float64Array(16));
    }
    return this.softs.find((soft) => soft.soft.body === body)?.mesh.matrixWorld.elements ?? null;
  }
}

function geometryOf(mesh) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(mesh.points, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(mesh.normals, 3));
  geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
  return geometry;
}

/* A grid that fades, and the shadow that falls on it. */
class Ground {
  constructor(scene, up, height) {
    [this.first, this.second] = square(up);
    Object.assign(this, { up, height });
    const plane = new THREE.PlaneGeometry(2, 2);
    this.uniforms = { at: { value: new THREE.Vector2() }, reach: { value: 1 }, fine: { value: 1 }, ink: { value: new THREE.Color() },
      strength: { value: 1 } };
    this.grid = new THREE.Mesh(plane, new THREE.ShaderMaterial({
      uniforms: this.uniforms, transparent: true, depthWrite: false, side: THREE.DoubleSide,
      vertexShader: "varying vec2 p; uniform float reach; void main() { p = position.xy * reach; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
      fragmentShader: `
        varying vec2 p; uniform vec2 at; uniform float reach, fine, strength; uniform vec3 ink;
        float lines(vec2 x, float width) {
          vec2 d = fwidth(x);
          vec2 a = abs(fract(x - 0.5) - 0.5) / max(d, 1e-6);
          float crowded = 1.0 - smoothstep(0.12, 0.45, max(d.x, d.y));
          return (1.0 - min(min(a.x, a.y) / width, 1.0)) * crowded;
        }
        void main() {
          vec2 x = (p + at) / fine;
          float line = max(0.32 * lines(x, 1.1), 0.75 * lines(x / 10.0, 1.3));
          float fade = 1.0 - smoothstep(0.25, 1.0, length(p) / reach);
          gl_FragColor = vec4(ink, line * fade * fade * strength);
          #include <colorspace_fragment>
        }`,
    }));
    this.shade = new THREE.Mesh(plane, new THREE.ShadowMaterial({ opacity: 0.26, depthWrite: false }));
    this.shade.receiveShadow = true;
    this.shade.renderOrder = -2;
    this.grid.renderOrder = -1;
    for (const mesh of [this.grid, this.shade]) {
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      scene.add(mesh);
    }
    this.setTheme(false);
  }

  setTheme(dark) {
    this.uniforms.ink.value.set(dark ? "#9fb4c8" : "#5d7288");
    this.uniforms.strength.value = dark ? 0.4 : 0.5;
    this.shade.material.opacity = dark ? 0.5 : 0.26;
  }

  /* Stays below the target; the lines stay where they are in ground. */
  follow(camera) {
    const { first, second, up } = this;
    const reach = 4.5 * camera.distance;
    const fine = roundStep(0.07 * camera.distance);
    this.step = fine;
    const a = dot(camera.target, first), b = dot(camera.target, second);
    const whole = 1000 * fine;
    this.uniforms.at.value.set(a - whole * Math.floor(a / whole), b - whole * Math.floor(b / whole));
    this.uniforms.reach.value = reach;
    this.uniforms.fine.value = fine;
    const center = add(add(times(first, a), times(second, b)), times(up, this.height));
    const m = [...times(first, reach), 0, ...times(second, reach), 0, ...up, 0, ...center, 1];
    for (const mesh of [this.grid, this.shade]) {
      mesh.matrix.fromArray(m);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }
}
