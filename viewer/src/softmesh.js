/* A flexible surface in the 3-D view. The vertex shader sums the modes: three texels per corner and mode hold the displacement, the
 * change of the normal and the six components of stress. The cost for the script does not grow with the corners. */

const SOFT_HEAD = `
  uniform highp sampler2D modeTable, modal;
  uniform int modeCount, field;
  uniform float factor;
  uniform vec3 fieldShift, fieldTurn;
  varying float fieldValue;
  vec3 softMoved, softTurned;
  vec4 modeTexel(int k) { int w = textureSize(modeTable, 0).x; return texelFetch(modeTable, ivec2(k % w, k / w), 0); }
  void softSum() {
    softMoved = vec3(0.0); softTurned = vec3(0.0);
    vec3 direct = vec3(0.0), shear = vec3(0.0), shown = vec3(0.0);
    int at = gl_VertexID * modeCount * 3;
    for (int m = 0; m < modeCount; m++) {
      // The second number is what colours stand for.
      vec2 both = texelFetch(modal, ivec2(m, 0), 0).xy;
      float q = both.x;
      vec4 a = modeTexel(at + 3 * m), b = modeTexel(at + 3 * m + 1), c = modeTexel(at + 3 * m + 2);
      softMoved += q * a.xyz;
      softTurned += q * vec3(a.w, b.xy);
      shown += both.y * a.xyz;
      direct += both.y * vec3(b.zw, c.x);
      shear += both.y * c.yzw;
    }
    // von Mises: s^2 = ((sx - sy)^2 + (sy - sz)^2 + (sz - sx)^2) / 2 + 3 (txy^2 + tyz^2 + tzx^2)
    vec3 d = direct - direct.yzx;
    fieldValue = field == 1 ? length(shown + fieldShift + cross(fieldTurn, position)) : sqrt(0.5 * dot(d, d) + 3.0 * dot(shear, shear));
  }
`;

class SoftMesh {
  constructor(scene, soft) {
    this.soft = soft;
    const count = Math.max(1, soft.modes.length);
    this.modal = new THREE.DataTexture(new Float32Array(4 * count), count, 1, THREE.RGBAFormat, THREE.FloatType);
    this.uniforms = {
      modeTable: { value: modeTable(soft) }, modal: { value: this.modal }, modeCount: { value: soft.modes.length }, field: { value: 0 },
      factor: { value: 1 }, most: { value: 1 }, fieldShift: { value: [0, 0, 0] }, fieldTurn: { value: [0, 0, 0] },
      stops: { value: VIRIDIS.map((text) => new THREE.Color(text)) },
    };
    const material = new THREE.MeshStandardMaterial({ color: soft.color, roughness: 0.55, metalness: 0.08, side: THREE.DoubleSide });
    material.onBeforeCompile = (shader) => this.patch(shader, true);
    this.mesh = new THREE.Mesh(geometryOf(soft.mesh), material);
    this.mesh.customDepthMaterial = new THREE.MeshDepthMaterial({ side: THREE.DoubleSide });
    this.mesh.customDepthMaterial.onBeforeCompile = (shader) => this.patch(shader, false);
    Object.assign(this.mesh, { castShadow: true, receiveShadow: true, frustumCulled: false, matrixAutoUpdate: false });
    scene.add(this.mesh);
  }

  patch(shader, lit) {
    Object.assign(shader.uniforms, this.uniforms);
    const sum = lit ? "" : "softSum();";
    shader.vertexShader = SOFT_HEAD + shader.vertexShader
      .replace("#include <beginnormal_vertex>", lit ? "softSum(); vec3 objectNormal = normalize(normal + factor * softTurned);" : "#include <beginnormal_vertex>")
      .replace("#include <begin_vertex>", `${sum} vec3 transformed = position + factor * softMoved;`);
    if (!lit) return;
    shader.fragmentShader = `uniform int field; uniform float most; uniform vec3 stops[${VIRIDIS.length}]; varying float fieldValue;\n${shader.fragmentShader}`
      .replace("#include <color_fragment>", `#include <color_fragment>
        if (field > 0) {
          float x = clamp(fieldValue / max(most, 1e-30), 0.0, 1.0) * ${VIRIDIS.length - 1}.0;
          int k = min(int(x), ${VIRIDIS.length - 2});
          diffuseColor.rgb = mix(stops[k], stops[k + 1], x - float(k));
        }`);
  }

  paint(parts, wire) {
    const { material } = this.mesh;
    const clear = this.soft.item.state === CLEAR || parts.clear || parts.shows.inertia !== "none";
    const again = material.transparent !== clear || material.wireframe !== wire;
    Object.assign(material, { transparent: clear, opacity: clear ? 0.35 : 1, wireframe: wire, depthWrite: !clear });
    material.color.set(this.soft.color);
    material.needsUpdate ||= again;
    this.mesh.castShadow = !clear;
  }

  update(parts, most) {
    const { soft, mesh, uniforms } = this;
    mesh.visible = parts.isShown(soft.item);
    mesh.matrix.fromArray(parts.motion.matrices[soft.body]);
    mesh.matrixWorldNeedsUpdate = true;
    const { data } = this.modal.image;
    const { q, shift, turn: turned } = parts.motion.fields[soft.body];
    for (let m = 0; m < soft.q.length && 4 * m < data.length; m += 1) {
      data[4 * m] = soft.q[m];
      data[4 * m + 1] = q[m];
    }
    uniforms.fieldShift.value = shift;
    uniforms.fieldTurn.value = turned;
    this.modal.needsUpdate = true;
    uniforms.factor.value = parts.deformation;
    uniforms.most.value = most;
    uniforms.field.value = parts.coloring === "displacement" ? 1 : parts.coloring === "stress" && soft.stresses ? 2 : 0;
  }
}

/* The texture of SOFT_HEAD. */
function modeTable(soft) {
  const { corners, modes, stresses, mesh } = soft;
  const count = Math.max(1, corners * modes.length * 3);
  const width = Math.min(4096, count), rows = Math.ceil(count / width);
  const data = new Float32Array(4 * width * rows);
  const turned = modes.map((mode) => changeOfNormals(mesh, mode, soft.parts.size));
  for (let corner = 0; corner < corners; corner += 1) {
    for (let m = 0; m < modes.length; m += 1) {
      const at = 12 * (corner * modes.length + m), p = 3 * corner;
      for (let c = 0; c < 3; c += 1) {
        data[at + c] = modes[m][p + c];
        data[at + 3 + c] = turned[m][p + c];
      }
      if (stresses) for (let c = 0; c < 6; c += 1) data[at + 6 + c] = stresses[m][6 * corner + c];
    }
  }
  const texture = new THREE.DataTexture(data, width, rows, THREE.RGBAFormat, THREE.FloatType);
  texture.needsUpdate = true;
  return texture;
}

/* Derivative of the unit normals by a modal coordinate, by a small step of it. */
function changeOfNormals(mesh, mode, size) {
  const { points, triangles } = mesh;
  let most = 0;
  for (let k = 0; k < points.length; k += 1) most = Math.max(most, Math.abs(mode[k]));
  const out = new Float32Array(points.length);
  if (!(most > 0)) return out;
  const step = (1e-3 * size) / most;
  const moved = Float64Array.from(points, (x, k) => x + step * mode[k]);
  const before = normalsOf(points, triangles, new Float64Array(points.length));
  const after = normalsOf(moved, triangles, new Float64Array(points.length));
  for (let k = 0; k < out.length; k += 3) {
    const a = Math.hypot(before[k], before[k + 1], before[k + 2]) || 1, b = Math.hypot(after[k], after[k + 1], after[k + 2]) || 1;
    for (let c = 0; c < 3; c += 1) out[k + c] = (after[k + c] / b - before[k + c] / a) / step;
  }
  return out;
}
