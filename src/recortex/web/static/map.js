// Memories as points that pull on each other where they are related.
"use strict";

addEventListener("DOMContentLoaded", async () => {
  const place = document.getElementById("map");
  const told = document.getElementById("pointed");
  const answer = await fetch(place.dataset.from);
  const data = await answer.json();
  if (!data.nodes.length) {
    place.textContent = "Nothing is remembered yet.";
    return;
  }
  const style = getComputedStyle(document.documentElement);
  const kinds = [...new Set(data.nodes.map((one) => one.kind))].sort();
  const color = (kind) => `hsl(${Math.round((360 * kinds.indexOf(kind)) / kinds.length)} 60% 58%)`;
  const graph = new ForceGraph(place)
    .graphData(data)
    .width(place.clientWidth)
    .height(place.clientHeight)
    .nodeColor((one) => color(one.kind))
    .nodeVal((one) => one.weight / 2)
    .nodeLabel(() => "")
    .linkColor(() => style.getPropertyValue("--faint"))
    .cooldownTime(4000)
    .onEngineStop(() => graph.zoomToFit(300, 20))
    .onNodeHover((one) => {
      told.textContent = one ? `${one.kind}: ${one.name}` : "";
    })
    .onNodeClick((one) => {
      location.href =
        one.kind === "file"
          ? `${place.dataset.code}?about=${encodeURIComponent(one.id)}`
          : place.dataset.open + encodeURIComponent(one.id);
    });
  const legend = document.getElementById("legend");
  for (const kind of kinds) {
    const mark = Object.assign(document.createElement("i"), {});
    mark.style.background = color(kind);
    const one = document.createElement("li");
    one.append(mark, ` ${kind.replaceAll("_", " ")}`);
    legend.append(one);
  }
  addEventListener("resize", () => graph.width(place.clientWidth).height(place.clientHeight));
});
