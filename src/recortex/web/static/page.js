// What pages can do beyond links and forms; everything works without it.
"use strict";

document.getElementById("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});

// "/" goes to the search, unless somebody is writing.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  document.getElementById("q")?.focus();
});

// Boxes that tick all others of a form, or of a part of it, and how many are ticked.
document.addEventListener("change", (event) => {
  const form = event.target.closest("form");
  const alls = form ? [...form.querySelectorAll("[data-all]")] : [];
  if (!alls.length) return;
  const name = alls[0].dataset.all;
  const boxes = (all) =>
    [...(all.closest("fieldset") ?? all.closest("form")).querySelectorAll(`input[type="checkbox"][name="${name}"]`)];
  if (alls.includes(event.target)) for (const box of boxes(event.target)) box.checked = event.target.checked;
  for (const all of alls) all.checked = boxes(all).every((box) => box.checked);
  const count = boxes(alls[0]).filter((box) => box.checked).length;
  form.querySelector(`[data-count="${name}"]`).textContent = count ? `${count} chosen` : "";
});

// What others change meanwhile: the page anew, or a hint where somebody is in the middle of something. Only
// the page that is looked at listens: browsers open six connections to a server, for all of its pages together.
const from = document.body.dataset.events;
let events = null;
let own = false;
let known = "";

const changed = () => {
  if (own) return;
  const main = document.getElementById("main");
  const busy = main.contains(document.activeElement) && document.activeElement !== main;
  const open = main.querySelector("details[open], input:checked");
  if (window.htmx && !busy && !open) {
    htmx.trigger(document.body, "changed");
  } else {
    document.getElementById("changed").hidden = false;
  }
};
const listen = () => {
  events?.close();
  events = null;
  if (!from || document.visibilityState !== "visible") return;
  events = new EventSource(from);
  events.addEventListener("state", (event) => {
    const former = known;
    known = event.data;
    if (former && former !== known) changed();
  });
};

document.addEventListener("submit", () => {
  own = true;
});
document.addEventListener("visibilitychange", listen);
addEventListener("pagehide", () => events?.close());
addEventListener("pageshow", () => {
  own = false;
  listen();
});

// A day is chosen by a slider as well, from the first day that anything is known of to today.
const DAY = 86_400_000;
for (const date of document.querySelectorAll("input[data-slider]")) {
  const first = Date.parse(date.min);
  const days = Math.round((Date.parse(date.max) - first) / DAY);
  if (!(days > 1)) continue;
  const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: days });
  slider.setAttribute("aria-label", `${date.labels[0]?.textContent ?? "Day"}, by slider`);
  slider.value = date.value ? Math.round((Date.parse(date.value) - first) / DAY) : days;
  slider.addEventListener("input", () => {
    const day = new Date(first + slider.value * DAY).toISOString().slice(0, 10);
    date.value = Number(slider.value) === days ? "" : day;
  });
  date.addEventListener("input", () => {
    slider.value = date.value ? Math.round((Date.parse(date.value) - first) / DAY) : days;
  });
  date.after(slider);
}
