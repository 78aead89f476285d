// The graph of references: which part of it is drawn, where the nodes lie, and how one moves about in it.

const GRAPH_SIZES = [["60", "60"], ["150", "150"], ["300", "300"]];
const LABELS_UP_TO = 40; // with more nodes only the most connected ones are labelled
const EDGE_LABELS_UP_TO = 40;
const EDGES_LISTED = 500;
const STEPS = 2; // from an entity that is looked at
const graphFilter = { text: "", attribute: "", size: "150" };

function graphEdges() {
  const { attribute } = graphFilter;
  return references()
    .filter((fact) => fact.value !== fact.entity.id && (!attribute || fact.attribute.name === attribute))
    .map((fact) => ({ from: fact.entity.id, to: fact.value, name: fact.attribute.name }));
}

// The ids to draw: those around `focus`, those that match the search with their neighbours, or the most connected.
function chosenNodes(edges, focus) {
  const near = new Map();
  for (const { from, to } of edges) {
    push(near, from, to);
    push(near, to, from);
  }
  const degree = (id) => near.get(id)?.length ?? 0;
  const most = Number(graphFilter.size);
  const words = terms(graphFilter.text);
  let start = null;
  if (focus != null) start = [focus];
  else if (words.length) start = [...near.keys()].filter((id) => holdsAll(folded(title(id)), words));
  if (!start) {
    const ranked = [...near.keys()].sort((one, other) => degree(other) - degree(one));
    return { ids: ranked.slice(0, most), total: ranked.length, degree };
  }
  const found = new Set(start);
  let edge = start;
  for (let step = 0; step < (focus != null ? STEPS : 1) && found.size < most; step += 1) {
    edge = edge.flatMap((id) => near.get(id) ?? []).filter((id) => !found.has(id));
    edge.forEach((id) => found.add(id));
  }
  return { ids: [...found].slice(0, most), total: found.size, degree };
}

// Springs along the edges, repulsion between all nodes, a pull to the middle; the same nodes always lie the same way.
function layOut(ids, edges) {
  const points = ids.map((id, index) => ({ // a sunflower: no two nodes begin at one place
    x: 30 * Math.sqrt(index + 1) * Math.cos(2.4 * index), y: 30 * Math.sqrt(index + 1) * Math.sin(2.4 * index),
  }));
  const at = new Map(ids.map((id, index) => [id, points[index]]));
  const springs = edges.map(({ from, to }) => [at.get(from), at.get(to)]);
  const rounds = 250;
  for (let round = 0; round < rounds; round += 1) {
    for (const point of points) [point.dx, point.dy] = [-0.02 * point.x, -0.03 * point.y];
    for (let one = 0; one < points.length; one += 1) {
      for (let other = 0; other < one; other += 1) repel(points[one], points[other], 5000);
    }
    for (const [one, other] of springs) attract(one, other, 90);
    const reach = 40 * (1 - round / rounds) + 0.5;
    for (const point of points) {
      const length = Math.hypot(point.dx, point.dy) || 1;
      point.x += (point.dx / length) * Math.min(length, reach);
      point.y += (point.dy / length) * Math.min(length, reach);
    }
  }
  return at;
}

function repel(one, other, force) {
  const x = one.x - other.x;
  const y = one.y - other.y;
  const squared = Math.max(x * x + y * y, 1);
  one.dx += (x * force) / squared / 10;
  one.dy += (y * force) / squared / 10;
  other.dx -= (x * force) / squared / 10;
  other.dy -= (y * force) / squared / 10;
}

function attract(one, other, length) {
  const x = one.x - other.x;
  const y = one.y - other.y;
  const distance = Math.hypot(x, y) || 1;
  const force = (0.1 * (distance - length)) / distance;
  one.dx -= x * force;
  one.dy -= y * force;
  other.dx += x * force;
  other.dy += y * force;
}

const LABEL = 26; // characters

function drawn(ids, edges, degree, focus) {
  const at = layOut(ids, edges);
  const line = ({ from, to, name }) => {
    const [one, other] = [at.get(from), at.get(to)];
    const short = radius(degree(to)) / (Math.hypot(other.x - one.x, other.y - one.y) || 1);
    return svg("line", {
      x1: one.x, y1: one.y, x2: other.x - (other.x - one.x) * short, y2: other.y - (other.y - one.y) * short,
      "marker-end": "url(#arrow)",
    }, svg("title", {}, `${title(from)} ${name} ${title(to)}`));
  };
  const edgeLabel = ({ from, to, name }) => svg("text", {
    class: "edge", x: (at.get(from).x + at.get(to).x) / 2, y: (at.get(from).y + at.get(to).y) / 2,
  }, name);
  const node = (id, index) => {
    const name = Array.from(title(id));
    const text = name.slice(0, LABEL).join("") + (name.length > LABEL ? "…" : "");
    const kind = id === focus ? "focus" : index >= LABELS_UP_TO ? "quiet" : "";
    return svg("a", {
      href: entityById.has(id) ? `#entity/${id}` : null, class: entityById.has(id) ? kind : `${kind} outside`,
      "aria-label": `${title(id)}, ${count(degree(id), "reference")}`,
      transform: `translate(${at.get(id).x} ${at.get(id).y})`,
    }, svg("circle", { r: radius(degree(id)) }), svg("text", { y: radius(degree(id)) + 3 }, plain(text)));
  };
  const arrow = svg("marker", {
    id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse",
  }, svg("path", { d: "M0 0 8 4 0 8z" }));
  const labelled = [...ids].sort((one, other) => degree(other) - degree(one));
  return [svg("defs", {}, arrow), edges.map(line), edges.length <= EDGE_LABELS_UP_TO ? edges.map(edgeLabel) : [],
    labelled.map(node)].flat();
}

function radius(degree) {
  return Math.min(5 + Math.sqrt(degree) * 1.5, 18);
}

const CLOSEST = 0.6; // units a pixel, so that a small graph is not blown up

// Panning and zooming: dragging, two fingers, arrow keys and buttons all move the one view box.
function movable(picture) {
  let box = { x: 0, y: 0, width: 1, height: 1 };
  const set = (next) => {
    box = next;
    picture.setAttribute("viewBox", [box.x, box.y, box.width, box.height].join(" "));
    picture.style.setProperty("--unit", unit()); // letters keep their size on the screen
  };
  const unit = () => Math.max(box.width / picture.clientWidth, box.height / picture.clientHeight);
  const pan = (x, y) => set({ ...box, x: box.x + x * unit(), y: box.y + y * unit() });
  const zoom = (factor) => set({
    x: box.x + (box.width * (1 - factor)) / 2, y: box.y + (box.height * (1 - factor)) / 2,
    width: box.width * factor, height: box.height * factor,
  });
  const fit = () => {
    const { x, y, width, height } = picture.getBBox();
    const wide = Math.max(width + 40, picture.clientWidth * CLOSEST);
    const high = Math.max(height + 40, picture.clientHeight * CLOSEST);
    set({ x: x - (wide - width) / 2, y: y - (high - height) / 2, width: wide, height: high });
  };
  dragging(picture, pan, zoom);
  const step = 60; // pixels
  const keys = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
  picture.addEventListener("keydown", (event) => {
    if (event.target !== picture) return;
    if (keys[event.key]) pan(...keys[event.key]);
    else if (event.key === "+") zoom(0.8);
    else if (event.key === "-") zoom(1.25);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // the plain wheel scrolls the page
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.1 : 0.9);
  }, { passive: false });
  return { zoom, fit };
}

function dragging(picture, pan, zoom) {
  const fingers = new Map();
  let moved = 0;
  const apart = () => {
    const [one, other] = [...fingers.values()];
    return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
  };
  picture.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    moved = 0;
  });
  picture.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const before = fingers.size === 2 ? apart() : 0;
    fingers.set(event.pointerId, event);
    moved += Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY);
    if (before) zoom(before / apart());
    else pan(last.clientX - event.clientX, last.clientY - event.clientY);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    picture.addEventListener(end, (event) => fingers.delete(event.pointerId));
  }
  picture.addEventListener("dragstart", (event) => event.preventDefault());
  picture.addEventListener("click", (event) => {
    if (moved > 6) event.preventDefault(); // the end of a drag is not a click on a node
  }, true);
}

function edgeTable(edges) {
  return el("details", {}, el("summary", {}, "The same as a list"),
    el("ul", {}, edges.slice(0, EDGES_LISTED).map(({ from, to, name }) => el("li", {},
      entityLink(from), " ", el("span", { class: "soft" }, name), " ", entityLink(to)))),
    edges.length > EDGES_LISTED && el("p", {}, `${count(edges.length - EDGES_LISTED, "more reference")}.`));
}

function graphView(focus = null) {
  const names = [...new Set(references().map(({ attribute }) => attribute.name))].sort();
  const status = el("p", { role: "status", class: "soft" });
  const place = el("div");
  function show() {
    const edges = graphEdges();
    const { ids, total, degree } = chosenNodes(edges, focus);
    const held = new Set(ids);
    const kept = edges.filter(({ from, to }) => held.has(from) && held.has(to));
    const cut = total > ids.length;
    status.textContent = `${count(ids.length, "node")}${cut ? ` of ${total.toLocaleString("en")}` : ""}, ` +
      `${count(kept.length, "reference")}${cut && focus == null ? ", the most connected first" : ""}`;
    const picture = svg("svg", {
      role: "group", tabindex: "0",
      "aria-label": "Graph of references. Arrow keys move, plus and minus zoom, 0 shows everything. A list follows.",
    }, drawn(ids, kept, degree, focus));
    const { zoom, fit } = movable(picture);
    const button = (text, label, act) => el("button", { type: "button", "aria-label": label, onclick: act }, text);
    place.replaceChildren(
      el("div", { class: "graph" }, picture, el("div", { class: "buttons" },
        button("+", "Zoom in", () => zoom(0.8)), button("−", "Zoom out", () => zoom(1.25)),
        button("Fit", "Show everything", fit))),
      edgeTable(kept));
    requestAnimationFrame(fit); // its size is known only once it is on the page
  }
  const changed = (key) => (text) => {
    graphFilter[key] = text;
    show();
  };
  show();
  return [
    el("h1", { tabindex: "-1" }, focus == null ? "Graph" : ["Around ", el("bdi", {}, title(focus))]),
    leftOutNote(),
    focus != null && el("p", {}, `What lies up to ${STEPS} references away. `, entityLink(focus, "Its page"), " · ",
      el("a", { href: "#graph" }, "the whole graph")),
    el("div", { class: "controls" },
      focus == null
        && searchField("Search names; their neighbours are shown as well", graphFilter.text, changed("text")),
      choice("References", [["", "all"], ...names.map((name) => [name, name])], graphFilter.attribute,
        changed("attribute")),
      choice("Nodes at most", GRAPH_SIZES, graphFilter.size, changed("size"))),
    status,
    place,
  ];
}
