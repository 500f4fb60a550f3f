// Checks a GLB against the Khronos validator, and the poses that three's loader plays from it against the film.
//
//   node tests/gltf.mjs FOLDER        FOLDER/scene.glb and FOLDER/film.json as `cargo run --example gallery` writes them
//
// Packages, to be installed in a folder of their own, which NODE_MODULES names:
//   npm install --ignore-scripts three@0.187.0 gltf-validator@2.0.0-dev.3.10
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const packages = createRequire(join(resolve(process.env.NODE_MODULES ?? 'node_modules'), 'none.js'));
const validator = packages('gltf-validator');
const THREE = await import(pathToFileURL(packages.resolve('three/src/Three.js')));
const { GLTFLoader } = await import(pathToFileURL(packages.resolve('three/addons/loaders/GLTFLoader.js')));

const folder = process.argv[2];
const bytes = readFileSync(join(folder, 'scene.glb'));
const film = JSON.parse(readFileSync(join(folder, 'film.json'), 'utf8'));

const fail = (text) => { console.error(text); process.exit(1); };

const { issues, info } = await validator.validateBytes(new Uint8Array(bytes));
if (issues.numErrors + issues.numWarnings > 0) fail(JSON.stringify(issues.messages.slice(0, 20), null, 1));
console.log(`validator: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ${issues.numInfos} infos, ` +
  `${info.animationCount} animation, ${info.totalTriangleCount} triangles`);

const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const gltf = await new Promise((done, wrong) => new GLTFLoader().parse(buffer, '', done, wrong));
const root = gltf.scene.children[0];
const mixer = new THREE.AnimationMixer(gltf.scene);
const clip = gltf.animations[0];
// three plays from 0 to the last key: a clip holds its last pose when it is played once
const action = mixer.clipAction(clip);
action.setLoop(THREE.LoopOnce);
action.clampWhenFinished = true;
action.play();

const turn = film.turn; // rows: from ground to glTF
const turned = (p) => turn.map((row) => row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
let worst = { position: 0, rotation: 0, corner: 0, link: 0 };
const raise = (what, value, where) => {
  if (!(value <= film.tolerance)) fail(`${where}: ${what} differs by ${value}`);
  worst[what] = Math.max(worst[what], value);
};
const distance = (a, b) => Math.hypot(a.x - b[0], a.y - b[1], a.z - b[2]);

film.times.forEach((time, k) => {
  action.time = 0;
  action.paused = false;
  action.enabled = true;
  mixer.setTime(time);
  gltf.scene.updateMatrixWorld(true);
  film.bodies.forEach((body, number) => {
    const node = root.children[number];
    const where = `${body.name} at ${time} s`;
    if (node.userData.name !== body.name && node.name !== body.name) fail(`${where}: named ${node.name}`);
    const [position, matrix] = [body.positions[k], body.axes[k]];
    raise('position', distance(node.getWorldPosition(new THREE.Vector3()), turned(position)), where);
    for (let axis = 0; axis < 3; axis += 1) {
      const seen = new THREE.Vector3().setFromMatrixColumn(node.matrixWorld, axis);
      raise('rotation', distance(seen, turned(matrix[axis])), where);
    }
    if (body.corners) {
      let mesh = null;
      node.traverse((one) => { if (one.isMesh && one.morphTargetInfluences) mesh ??= one; });
      body.corners.numbers.forEach((corner, n) => {
        const p = mesh.localToWorld(mesh.getVertexPosition(corner, new THREE.Vector3()));
        raise('corner', distance(p, turned(body.corners.places[k][n])), where);
      });
    }
  });
  // links come after bodies: where their z reaches must be where their points are
  film.links.forEach((link) => {
    const node = root.children[link.node];
    const [from, to] = [new THREE.Vector3(0, 0, link.from), new THREE.Vector3(0, 0, link.to)];
    raise('link', distance(node.localToWorld(from), turned(link.first[k])), `${link.name} at ${time} s`);
    raise('link', distance(node.localToWorld(to), turned(link.last[k])), `${link.name} at ${time} s`);
  });
});
console.log(`three: ${film.times.length} times, ${film.bodies.length} bodies, ${film.links.length} links; largest differences`, worst);
