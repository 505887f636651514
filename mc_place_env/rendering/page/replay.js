// One page: the episode, its moment, and the request selected; everything shown follows from these.
"use strict";

const { episodes, looks } = JSON.parse(document.getElementById("data").textContent);
const part = (id) => document.getElementById(id);
const state = { episode: episodes[0], tick: 0, selected: -1, playing: false };
const scene = makeScene();
let curves, cursor, redrawing = false;

const lastTick = () => Math.max(1, state.episode.steps.at(-1).tick);
const cellText = (cell) => `(${cell.join(", ")})`;
const classOf = (outcome) => ({ pending: "flying" })[outcome] || outcome;

function verdictText(request) {
  const why = request.detail || request.reason;
  return request.outcome === "pending" ? "in flight at the end" : request.outcome + (why ? `: ${why.replaceAll("_", " ")}` : "");
}

function makeScene() {
  try {
    return new WorldScene(part("scene"), looks, () => redrawSoon());
  } catch (error) {
    part("caption").textContent = `This browser cannot show 3D (WebGL): ${error.message}`;
    throw error;
  }
}

// -- choosing

function titleOf({ env_id: id, policy, seed, backend }) {
  return [id, policy, seed === null ? "" : `seed ${seed}`, backend].filter(Boolean).join(" · ");
}

function choose(episode) {
  Object.assign(state, { episode, tick: 0, selected: -1, playing: false });
  part("title").textContent = document.title = titleOf(episode);
  const ended = episode.success ? "success" : episode.truncated ? "out of steps" : episode.terminated ? "ended" : "not ended";
  part("ending").textContent = `${ended}, ${episode.steps.length - 1} steps, ${episode.steps.at(-1).tick} ticks`;
  part("ending").className = `chip ${episode.success ? "placed" : "cancelled"}`;
  part("slider").max = lastTick();
  scene.load(episode);
  listRequests();
  layOut();
}

function select(k) {
  state.selected = k;
  if (k >= 0) goTo(state.episode.requests[k].submitted_tick);
  redrawSoon();
}

function goTo(tick) {
  state.tick = Math.min(lastTick(), Math.max(0, tick));
  state.playing = false;
  redrawSoon();
}

// -- the list: accepted and rejected requests in order of time

function listRequests() {
  const { requests, steps } = state.episode;
  const accepted = requests.map((request, k) => ({ tick: request.submitted_tick, item: acceptedItem(request, k) }));
  const rejected = steps.flatMap((step, k) => (step.status === "rejected" ? [{ tick: steps[k - 1].tick, item: rejectedItem(step, steps[k - 1].tick) }] : []));
  const items = [...accepted, ...rejected].sort((a, b) => a.tick - b.tick).map((entry) => entry.item);
  part("requests").replaceChildren(...items);
  if (!items.length) part("requests").textContent = "none in this episode";
}

function listItem(lines, onClick) {
  const item = document.createElement("li"), button = document.createElement("button");
  button.type = "button";
  for (const texts of lines) {
    const row = button.appendChild(document.createElement("div"));
    row.className = "row";
    for (const [text, style] of texts) Object.assign(row.appendChild(document.createElement("span")), { textContent: text, className: style });
  }
  button.addEventListener("click", onClick);
  item.append(button);
  return item;
}

function acceptedItem(request, k) {
  const flight = request.resolved_tick - request.submitted_tick, { changes } = request;
  const known = request.outcome !== "pending" && request.outcome !== "cancelled";
  const heard = request.reported_tick > request.resolved_tick ? `, heard at ${request.reported_tick}` : "";
  const later = changes.map((change) => [[`${change.kind} at ${change.tick}${change.to ? ` to ${cellText(change.to)}` : ""}`, "small"]]);
  const item = listItem([
    [[`#${request.request_id} ${request.item}`, "name"], ["", "chip"]],
    [[`${request.face} of ${cellText(request.anchor)} \u2192 ${cellText(request.cell || request.destination)}`, "small"]],
    [[`accepted at ${request.submitted_tick}` + (known ? `, ${flight} ticks in flight${heard}` : ""), "small"]],
    ...later,
  ], () => select(k));
  item.firstChild.dataset.request = k;
  return item;
}

function rejectedItem(step, tick) {
  const reason = step.reason.replaceAll("_", " ");
  const item = listItem([[[step.action, "name"], ["rejected", "chip rejected"]], [[`${reason} at ${tick}`, "small"]]], () => { state.selected = -1; goTo(tick); });
  item.firstChild.dataset.tick = tick;
  return item;
}

function markRequests(tick) {
  for (const button of part("requests").querySelectorAll("button[data-request]")) {
    const k = Number(button.dataset.request), request = state.episode.requests[k], chip = button.querySelector(".chip");
    const begun = tick >= request.submitted_tick, judged = request.outcome !== "pending" && tick >= request.resolved_tick;
    chip.textContent = !begun ? "not asked yet" : judged ? verdictText(request) : "in flight";
    chip.className = `chip ${!begun ? "" : judged ? classOf(request.outcome) : "flying"}`;
    button.classList.toggle("selected", k === state.selected);
    button.classList.toggle("future", !begun);
  }
  for (const button of part("requests").querySelectorAll("button[data-tick]")) button.classList.toggle("future", tick < button.dataset.tick);
}

// -- showing

function layOut() {
  drawLanes(part("lanes"), state.episode, lastTick(), select);
  curves = curvesOf(state.episode);
  cursor = drawCurves(part("curves"), curves, lastTick());
  redrawSoon();
}

function redrawSoon() {
  if (!redrawing) requestAnimationFrame(redraw);
  redrawing = true;
}

function redraw() {
  redrawing = false;
  const tick = Math.floor(state.tick), { steps } = state.episode;
  scene.draw(state.tick, state.selected);
  const step = steps.find((each) => each.tick > tick) || steps.at(-1); // the step under way
  part("caption").textContent = [`tick ${tick}`, `step ${Math.max(1, steps.indexOf(step))}: ${step.action}`, step.status === "none" ? "" : step.status, step.reason].filter(Boolean).join(" · ");
  part("slider").value = tick;
  part("tick").textContent = `tick ${tick} of ${lastTick()}`;
  part("play").textContent = state.playing ? "Pause" : "Play";
  const x = (tick / lastTick()) * part("curves").clientWidth;
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
  showLegend(tick);
  markRequests(tick);
}

function showLegend(tick) {
  part("legend").replaceChildren(...curves.map(({ name, colour, points }) => {
    const entry = document.createElement("span"), swatch = entry.appendChild(document.createElement("i"));
    swatch.style.background = colour;
    entry.append(`${name.replaceAll("_", " ")} ${valueAt(points, tick).toFixed(3)}`);
    return entry;
  }));
}

// -- playing

function play() {
  state.playing = !state.playing;
  if (state.playing && state.tick >= lastTick()) state.tick = 0;
  let before = performance.now();
  const advance = (now) => {
    if (!state.playing) return;
    state.tick = Math.min(lastTick(), state.tick + ((now - before) / 1000) * Number(part("speed").value));
    before = now;
    if (state.tick >= lastTick()) state.playing = false;
    redrawSoon();
    requestAnimationFrame(advance);
  };
  requestAnimationFrame(advance);
  redrawSoon();
}

function clickable(canvas) {
  let down = null;
  canvas.addEventListener("pointerdown", (event) => (down = [event.offsetX, event.offsetY]));
  canvas.addEventListener("click", (event) => {
    const moved = down && Math.hypot(event.offsetX - down[0], event.offsetY - down[1]);
    if (moved < 5) select(scene.pick(event.offsetX, event.offsetY));
  });
}

function start() {
  part("episodes").replaceChildren(...episodes.map((episode, k) => new Option(`${titleOf(episode)} · ${episode.success ? "success" : "no success"}`, k)));
  part("choice").hidden = episodes.length < 2;
  part("episodes").addEventListener("change", (event) => choose(episodes[event.target.value]));
  part("slider").addEventListener("input", (event) => goTo(Number(event.target.value)));
  part("play").addEventListener("click", play);
  part("back").addEventListener("click", () => goTo(Math.ceil(state.tick) - 1));
  part("forward").addEventListener("click", () => goTo(Math.floor(state.tick) + 1));
  clickable(part("scene"));
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest("button, select")) return;
    event.preventDefault();
    play();
  });
  new ResizeObserver(layOut).observe(part("view"));
  choose(state.episode);
}

start();
