"use strict";
// Reads values off the charts under the pointer (or with the arrow keys), and copies commands. The page is complete without.
for (const svg of document.querySelectorAll("svg[data-plot]")) {
  const [left, top, right, bottom] = svg.dataset.plot.split(" ").map(Number);
  const points = [...svg.querySelectorAll("[data-at]")].flatMap((line) => {
    const values = line.dataset.values.split("|"), at = line.dataset.at.split("|");
    return line.getAttribute("points").split(" ").map((point, index) => ({
      x: Number(point.split(",")[0]), at: at[index], value: values[index],
      name: line.dataset.name, colour: line.getAttribute("stroke"),
    }));
  });
  if (!points.length) continue;
  const box = document.createElement("div");
  box.className = "readout";
  box.hidden = true;
  svg.after(box);
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "path");
  mark.setAttribute("stroke", "var(--muted)");
  svg.append(mark);
  let place = left;
  const show = (x) => {
    place = Math.min(right, Math.max(left, x));
    const nearest = new Map();
    for (const point of points) {
      const best = nearest.get(point.name);
      if (!best || Math.abs(point.x - place) < Math.abs(best.x - place)) nearest.set(point.name, point);
    }
    const chosen = [...nearest.values()];
    const closest = chosen.reduce((a, b) => (Math.abs(b.x - place) < Math.abs(a.x - place) ? b : a));
    mark.setAttribute("d", `M${closest.x} ${top}V${bottom}`);
    box.replaceChildren(`${svg.dataset.x} ${closest.at}`, ...chosen.map((point) => {
      const row = document.createElement("span"), name = document.createElement("i"), value = document.createElement("i");
      name.textContent = point.name + (point.at === closest.at ? "" : ` (at ${point.at})`);
      name.style.color = point.colour;
      value.textContent = point.value;
      row.append(name, value);
      return row;
    }));
    box.hidden = false;
    const scale = svg.clientWidth / svg.viewBox.baseVal.width, room = svg.clientWidth - box.offsetWidth;
    const after = closest.x * scale + 10;
    box.style.left = `${Math.max(0, after < room ? after : Math.min(room, closest.x * scale - box.offsetWidth - 10))}px`;
    box.style.top = `${top * scale}px`;
  };
  const hide = () => { box.hidden = true; mark.removeAttribute("d"); };
  const at = (event) => {
    const area = svg.getBoundingClientRect();
    show((event.clientX - area.left) * svg.viewBox.baseVal.width / area.width);
  };
  svg.addEventListener("pointermove", at);
  svg.addEventListener("pointerdown", at);
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const beyond = points.map((point) => point.x).filter((x) => (x - place) * way > 0.05);
    if (beyond.length) show(way > 0 ? Math.min(...beyond) : Math.max(...beyond));
  });
}
for (const pre of document.querySelectorAll(".command pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  pre.after(button);
}
