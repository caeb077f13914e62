// Figures by day as lines; without scripts the words below each chart say the most of it.
"use strict";

addEventListener("DOMContentLoaded", () => {
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  for (const place of document.querySelectorAll("figure.chart")) {
    const numbers = (text) => text.split(" ").map(Number);
    const days = numbers(place.dataset.days).map((day) => day * 86_400);
    const axis = { stroke: color("--faint"), grid: { stroke: color("--line") }, ticks: { stroke: color("--line") } };
    const options = {
      width: place.clientWidth,
      height: 200,
      axes: [axis, { ...axis, size: 70 }],
      legend: { show: false },
      scales: { y: { range: (_, least, most) => [Math.min(0, least), most > 0 ? most * 1.05 : 1] } },
      series: [{}, { label: place.dataset.name, stroke: color("--link"), width: 2 }],
    };
    const drawn = new uPlot(options, [days, numbers(place.dataset.values)], place);
    addEventListener("resize", () => drawn.setSize({ width: place.clientWidth, height: 200 }));
  }
});
