// A picture of the world that stays, and on it what moves: a trail and the agent. Frames are acknowledged when drawn.
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.appendChild(made);
  return made;
}

function render({ model, el }) {
  const box = document.createElement("div");
  box.className = "mrm-live-grid";
  box.tabIndex = 0;
  el.appendChild(box);
  let trail, agent, waiting = 0;

  function background() {
    box.innerHTML = model.get("picture");
    const svg = box.querySelector("svg");
    if (svg === null) return;
    svg.style.maxWidth = "100%";
    svg.style.height = "auto";
    trail = element("polyline", { fill: "none", stroke: model.get("colour"), "stroke-width": 3, "stroke-opacity": 0.45,
                                  "stroke-linejoin": "round", "stroke-linecap": "round" }, svg);
    agent = element("circle", { r: 9, fill: model.get("colour"), stroke: "#ffffff", "stroke-width": 2.5 }, svg);
    foreground();
  }

  function foreground() {
    waiting = 0;
    const path = model.get("path");
    if (agent !== undefined && path.length) {
      const [x, y] = path[path.length - 1];
      agent.setAttribute("cx", x);
      agent.setAttribute("cy", y);
      trail.setAttribute("points", path.map((point) => point.join(",")).join(" "));
    }
    if (agent !== undefined) agent.setAttribute("visibility", path.length ? "visible" : "hidden");
    box.dataset.frame = model.get("frame");
    model.send({ drawn: model.get("frame") });
  }

  function changed() {  // many changes before the next repaint are one drawing
    if (!waiting) waiting = requestAnimationFrame(foreground);
  }

  function pressed(event) {
    if (!model.get("keyboard").includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    model.send({ key: event.key });
  }

  background();
  model.on("change:picture", background);
  model.on("change:frame", changed);
  box.addEventListener("keydown", pressed);
  model.send({ views: 1 });
  return () => {
    model.off("change:picture", background);
    model.off("change:frame", changed);
    cancelAnimationFrame(waiting);
    model.send({ views: -1 });
  };
}

export default { render };
