// The two strips around the slider, as SVG: requests from submission to verdict, and the reward terms summed up.
"use strict";

const TERM_COLOURS = { progress: "#2a78d6", success: "#1d8f4e", failed_request: "#d03b3b", wrong_block: "#a04bc0", time: "#9a7b1c" };
const OTHER_COLOURS = ["#0e8a8a", "#c2567a", "#5b6bd6", "#7a8b2a"];
const LANE = 9; // pixels
const CURVES = 84;

function svgElement(name, attributes, parent) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (parent) parent.append(element);
  return element;
}

// The first lane free at a request's submission, so that bars side by side in time lie under each other.
function lanesOf(requests) {
  const ends = [];
  return requests.map((request) => {
    const found = ends.findIndex((end) => end <= request.submitted_tick);
    const lane = found < 0 ? ends.length : found;
    ends[lane] = Math.max(request.reported_tick, request.submitted_tick + 1);
    return lane;
  });
}

function drawLanes(svg, episode, last, onClick) {
  const lanes = lanesOf(episode.requests), height = LANE * (Math.max(0, ...lanes) + 1) + 2, width = svg.clientWidth;
  svg.replaceChildren();
  svg.setAttribute("height", height);
  episode.requests.forEach((request, k) => {
    const x = (tick) => (tick / last) * width;
    const end = request.outcome === "pending" ? last : request.resolved_tick;
    const bar = svgElement("rect", {
      x: x(request.submitted_tick), y: lanes[k] * LANE, height: LANE - 2, rx: 2,
      width: Math.max(3, x(end) - x(request.submitted_tick)), fill: `var(--${classOf(request.outcome)})`,
    }, svg);
    svgElement("title", {}, bar).textContent = `#${request.request_id} ${request.item}: ${verdictText(request)}`;
    bar.addEventListener("click", () => onClick(k));
  });
}

// [{name, colour, points: [[tick, sum], ...]}], terms that are never anything left out, the total last.
function curvesOf(episode) {
  const names = Object.keys(episode.steps[0].reward_terms);
  const others = [...OTHER_COLOURS];
  const curves = names.map((name) => {
    let sum = 0;
    const points = episode.steps.map((step) => [step.tick, (sum += step.reward_terms[name])]);
    return { name, colour: TERM_COLOURS[name] || others.shift() || "#888", points };
  });
  const total = { name: "return", colour: "#1c2430", points: episode.steps.map((step, k) => [step.tick, curves.reduce((sum, curve) => sum + curve.points[k][1], 0)]) };
  return [...curves.filter((curve) => curve.points.some((point) => point[1] !== 0)), total];
}

function drawCurves(svg, curves, last) {
  const width = svg.clientWidth, values = curves.flatMap((curve) => curve.points.map((point) => point[1]));
  const low = Math.min(0, ...values), high = Math.max(0, ...values), range = high - low || 1;
  const x = (tick) => (tick / last) * width, y = (value) => CURVES - 6 - ((value - low) / range) * (CURVES - 12);
  svg.replaceChildren();
  svg.setAttribute("height", CURVES);
  svgElement("line", { x1: 0, x2: width, y1: y(0), y2: y(0), stroke: "#d9dfe6" }, svg);
  for (const { colour, points } of curves) {
    const path = points.map(([tick, value], k) => (k ? `H${x(tick)}V${y(value)}` : `M${x(tick)},${y(value)}`)).join("");
    svgElement("path", { d: path, fill: "none", stroke: colour, "stroke-width": 1.8, "stroke-linejoin": "round" }, svg);
  }
  for (const value of new Set([low, high])) {
    svgElement("text", { x: 2, y: value === high ? y(high) + 9 : y(low) + 12 }, svg).textContent = value.toFixed(2);
  }
  return svgElement("line", { y1: 0, y2: CURVES, stroke: "#1c2430", "stroke-dasharray": "3 3", opacity: 0.6 }, svg);
}

function valueAt(points, tick) {
  let value = points[0][1];
  for (const [when, sum] of points) if (when <= tick) value = sum;
  return value;
}
