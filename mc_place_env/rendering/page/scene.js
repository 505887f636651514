// The world in 3D. Coordinates are Minecraft's: x east, y up, z south, which three.js takes as they are.
"use strict";

const FLASH_TICKS = 16; // how long a verdict stays visible
const SATISFIED = 0x1ec85a, WRONG = 0xe23caa, FAILED = 0xf02828, PLACED = 0xfffabe, MARK = 0xffc400;
const BEAM = 0.035; // thickness of outlines, blocks
const FACES = { up: [0, 1, 0], down: [0, -1, 0], north: [0, 0, -1], south: [0, 0, 1], east: [1, 0, 0], west: [-1, 0, 0] };

const keyOf = (x, y, z) => `${x},${y},${z}`;
const rgb = ([red, green, blue]) => new THREE.Color().setRGB(red / 255, green / 255, blue / 255, THREE.SRGBColorSpace);

class WorldScene {
  constructor(canvas, looks, onChange) {
    this.canvas = canvas;
    this.looks = looks;
    this.renderer = new THREE.WebGLRenderer({ canvas, alpha: true, antialias: true, preserveDrawingBuffer: true });
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.1, 300);
    this.scene = new THREE.Scene();
    this.sun = new THREE.DirectionalLight(0xffffff, 1.9);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x98a2b0, 1.9), this.sun);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", onChange);
    this.box = new THREE.BoxGeometry(1, 1, 1);
    this.edging = edgingTexture();
    this.agent = agentFigure(this.box);
    this.scene.add(this.agent);
    this.world = this.overlay = new THREE.Group();
    this.scene.add(this.world);
  }

  load(episode) {
    this.episode = episode;
    this.placedBy = new Map(episode.names.map((name, id) => [name, episode.placed_by[id]]));
    this.shown = null; // how many changes the world on display has
    this._lookAt();
  }

  // A view over the agent's shoulder onto the goal and everything that was placed.
  _lookAt() {
    const { steps, goal, requests } = this.episode;
    const cells = [...goal, ...requests.filter((request) => request.cell).map((request) => request.cell)];
    const points = [...cells.map(([x, y, z]) => [x + 0.5, y + 0.5, z + 0.5]), ...steps.map((step) => step.agent)];
    const near = points.filter(([x, y, z]) => Math.hypot(x - points.at(-1)[0], y - points.at(-1)[1], z - points.at(-1)[2]) < 16);
    const low = [0, 1, 2].map((axis) => Math.min(...near.map((point) => point[axis])));
    const high = [0, 1, 2].map((axis) => Math.max(...near.map((point) => point[axis])));
    const yaw = (steps[0].agent[3] * Math.PI) / 180, forward = [-Math.sin(yaw), Math.cos(yaw)];
    const away = 4.5 + 1.1 * Math.hypot(...high.map((value, axis) => value - low[axis]));
    this.controls.target.set(...low.map((value, axis) => (value + high[axis]) / 2));
    const [ahead, aside] = [-0.75, 0.55]; // behind the agent and to its right
    this.camera.position.copy(this.controls.target).add(new THREE.Vector3(
      (ahead * forward[0] - aside * forward[1]) * away, 0.62 * away, (ahead * forward[1] + aside * forward[0]) * away));
    this.sun.position.set(ahead * forward[0] + 0.2 * forward[1], 1.4, ahead * forward[1] - 0.2 * forward[0]);
    this.controls.update();
  }

  // Shows a moment; `selected` is an index into the requests, or -1.
  draw(tick, selected) {
    const whole = Math.floor(tick), applied = this.episode.changed.filter((change) => change[0] <= whole).length;
    if (applied !== this.shown) this._showWorld(applied);
    this._showOverlay(whole, selected);
    this._showAgent(tick);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height || 1;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
  }

  // The request whose block is under a point of the canvas (pixels), or -1.
  pick(x, y) {
    const point = new THREE.Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(point, this.camera);
    const hits = ray.intersectObjects(this.overlay.children.filter((mesh) => mesh.userData.request !== undefined));
    return hits.length ? hits[0].object.userData.request : -1;
  }

  // -- blocks

  _showWorld(applied) {
    const { blocks, changed, names } = this.episode;
    this.cells = new Map(blocks.map(([x, y, z, id]) => [keyOf(x, y, z), [x, y, z, names[id]]]));
    for (const [, x, y, z, id] of changed.slice(0, applied)) {
      if (this.looks[names[id]]) this.cells.set(keyOf(x, y, z), [x, y, z, names[id]]);
      else this.cells.delete(keyOf(x, y, z));
    }
    this.shown = applied;
    this._replace("world", [...this._groups()].flatMap(([name, cells]) => this._blockMeshes(this.looks[name], cells)));
    this.canvas.dataset.blocks = this.cells.size;
  }

  // Cells by block name, without those that full blocks hide on all sides.
  _groups() {
    const groups = new Map();
    const isFull = (x, y, z) => this.looks[this.cells.get(keyOf(x, y, z))?.[3]]?.full;
    for (const [x, y, z, name] of this.cells.values()) {
      if (Object.values(FACES).every(([dx, dy, dz]) => isFull(x + dx, y + dy, z + dz))) continue;
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push([x, y, z]);
    }
    return groups;
  }

  _blockMeshes(look, cells) {
    return look.parts.map(({ box, top, side }) => {
      const material = (colour) => new THREE.MeshLambertMaterial({
        color: rgb(colour || side), map: this.edging, transparent: look.alpha < 255, opacity: look.alpha / 255, depthWrite: look.alpha === 255,
      });
      const sides = material(side), materials = [sides, sides, material(top), sides, sides, sides]; // +x -x +y -y +z -z
      const mesh = new THREE.InstancedMesh(this.box, materials, cells.length);
      cells.forEach((cell, k) => mesh.setMatrixAt(k, boxMatrix(box.map((value, axis) => value + cell[axis % 3]))));
      return mesh;
    });
  }

  // -- goal, requests, selection

  _showOverlay(tick, selected) {
    const parts = [...this._goalParts()];
    this.episode.requests.forEach((request, k) => parts.push(...this._requestParts(request, k, tick)));
    if (selected >= 0) parts.push(...selectionParts(this.episode.requests[selected], this.box, tick));
    this._replace("overlay", parts);
  }

  *_goalParts() {
    const { goal, stand_at: standAt } = this.episode, byColour = new Map();
    for (const [x, y, z, item] of goal) {
      const found = this.cells.get(keyOf(x, y, z))?.[3];
      const satisfied = found && this.placedBy.get(found) === item;
      const colour = !found ? this.looks[item].parts[0].side : satisfied ? SATISFIED : WRONG;
      const group = `${colour}`;
      if (!byColour.has(group)) byColour.set(group, { colour, dashed: !found, cells: [] });
      byColour.get(group).cells.push([x, y, z]);
    }
    for (const { colour, dashed, cells } of byColour.values()) {
      yield outline(this.box, cells, typeof colour === "number" ? colour : rgb(colour), { dashed, thickness: dashed ? 0.05 : BEAM });
    }
    if (standAt) yield outline(this.box, [standAt], SATISFIED, { dashed: true, thickness: 0.05 });
  }

  // In flight: a ghost of the item. Judged: bright edges that fade, or a flashing red box. Later: only clickable.
  *_requestParts(request, k, tick) {
    if (tick < request.submitted_tick) return;
    const cell = request.cell || request.destination, flying = request.outcome === "pending" || tick < request.resolved_tick;
    const age = tick - request.resolved_tick, fresh = !flying && age < FLASH_TICKS;
    const material = new THREE.MeshLambertMaterial({ transparent: true, depthWrite: false });
    const colour = this.looks[request.item].parts[0].side;
    if (flying) Object.assign(material, { color: rgb(colour), opacity: 0.75 });
    else if (fresh && request.outcome === "failed") Object.assign(material, { color: new THREE.Color(FAILED), opacity: age & 4 ? 0.35 : 0.7 });
    else Object.assign(material, { opacity: 0, colorWrite: false });
    const ghost = new THREE.Mesh(this.box, material);
    ghost.applyMatrix4(boxMatrix([...cell, ...cell.map((value) => value + 1)], 0.01));
    ghost.userData.request = k;
    yield ghost;
    if (flying) yield outline(this.box, [cell], 0xffffff, { thickness: 0.06 });
    else if (fresh && request.outcome === "failed") yield outline(this.box, [cell], FAILED, {});
    else if (fresh && request.outcome === "placed") yield outline(this.box, [cell], PLACED, { thickness: 0.06, opacity: 1 - age / FLASH_TICKS });
  }

  // -- agent

  // Between the ends of two steps the body moves on a straight line; it turns at once.
  _showAgent(tick) {
    const { steps } = this.episode, after = Math.max(1, steps.findIndex((step) => step.tick >= tick));
    const from = steps[after - 1], to = steps[after] || from;
    const share = to.tick > from.tick ? Math.min(1, Math.max(0, (tick - from.tick) / (to.tick - from.tick))) : 1;
    const [x, y, z] = [0, 1, 2].map((axis) => from.agent[axis] + share * (to.agent[axis] - from.agent[axis]));
    const [, , , yaw, sneaking] = (share > 0 ? to : from).agent;
    this.agent.position.set(x, y, z);
    this.agent.rotation.y = (-yaw * Math.PI) / 180;
    this.agent.scale.y = sneaking ? 0.83 : 1;
  }

  _replace(name, parts) {
    this.scene.remove(this[name]);
    for (const mesh of this[name].children) {
      for (const material of [mesh.material].flat()) material.dispose();
      if (mesh.isInstancedMesh) mesh.dispose();
    }
    this[name] = new THREE.Group();
    if (parts.length) this[name].add(...parts);
    this.scene.add(this[name]);
  }
}

// The matrix that makes the unit box fill x0, y0, z0, x1, y1, z1, and a little more on every side.
function boxMatrix([x0, y0, z0, x1, y1, z1], grow = 0) {
  return new THREE.Matrix4().makeScale(x1 - x0 + 2 * grow, y1 - y0 + 2 * grow, z1 - z0 + 2 * grow)
    .setPosition((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2);
}

// The twelve edges of cells as thin beams; `through` shows them through blocks too.
function outline(box, cells, colour, { dashed = false, thickness = BEAM, opacity = 1, through = false }) {
  const material = new THREE.MeshBasicMaterial({ color: colour, transparent: opacity < 1 || through, opacity, depthTest: !through });
  const spans = dashed ? [[0, 0.22], [0.39, 0.61], [0.78, 1]] : [[0, 1]];
  const mesh = new THREE.InstancedMesh(box, material, cells.length * 12 * spans.length);
  let k = 0;
  for (const cell of cells) {
    for (const axis of [0, 1, 2]) {
      for (const corner of [[0, 0], [0, 1], [1, 0], [1, 1]]) {
        for (const span of spans) mesh.setMatrixAt(k++, beamMatrix(cell, axis, corner, span, thickness));
      }
    }
  }
  mesh.renderOrder = through ? 2 : 1;
  return mesh;
}

function beamMatrix(cell, axis, [u, v], [start, end], thickness) {
  const low = [...cell], high = [...cell], half = thickness / 2;
  const [second, third] = [(axis + 1) % 3, (axis + 2) % 3];
  low[axis] += start - half;
  high[axis] += end + half;
  low[second] += u - half;
  high[second] += u + half;
  low[third] += v - half;
  high[third] += v + half;
  return boxMatrix([...low, ...high]);
}

// The anchor, the face clicked, and the destination.
function selectionParts(request, box, tick) {
  const normal = FACES[request.face], middle = request.anchor.map((value, axis) => value + 0.5 + 0.5 * normal[axis]);
  const half = normal.map((value) => (value ? 0.02 : 0.5));
  const material = new THREE.MeshBasicMaterial({ color: MARK, transparent: true, opacity: 0.65, depthTest: false });
  const face = new THREE.Mesh(box, material);
  face.applyMatrix4(boxMatrix([...middle.map((value, axis) => value - half[axis]), ...middle.map((value, axis) => value + half[axis])]));
  face.renderOrder = 2;
  const judged = tick >= request.resolved_tick && { placed: SATISFIED, failed: FAILED }[request.outcome];
  return [
    face,
    outline(box, [request.anchor], MARK, { thickness: 0.06, through: true }),
    outline(box, [request.cell || request.destination], judged || 0xffffff, { thickness: 0.06, through: true }),
  ];
}

// Body, head, eyes, and an arrow on the ground; it looks along +z.
function agentFigure(box) {
  const figure = new THREE.Group();
  const add = (colour, bounds) => {
    const mesh = new THREE.Mesh(box, new THREE.MeshLambertMaterial({ color: colour }));
    mesh.applyMatrix4(boxMatrix(bounds));
    figure.add(mesh);
  };
  add(0x2860e6, [-0.3, 0, -0.2, 0.3, 1.25, 0.2]);
  add(0x68a2ff, [-0.27, 1.25, -0.27, 0.27, 1.79, 0.27]);
  for (const side of [-1, 1]) add(0x101830, [side * 0.13 - 0.06, 1.48, 0.26, side * 0.13 + 0.06, 1.62, 0.29]);
  const arrow = new THREE.Mesh(new THREE.ConeGeometry(0.34, 0.55, 3), new THREE.MeshBasicMaterial({ color: 0xffd640 }));
  arrow.rotation.set(Math.PI / 2, Math.PI, 0);
  arrow.scale.z = 0.12;
  arrow.position.set(0, 0.06, 0.75);
  figure.add(arrow);
  return figure;
}

// White with darker borders: lets blocks of one kind be told apart.
function edgingTexture() {
  const canvas = document.createElement("canvas"), size = (canvas.width = canvas.height = 64), pen = canvas.getContext("2d");
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = "#b9b9b9";
  pen.lineWidth = 3;
  pen.strokeRect(0, 0, size, size);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}
