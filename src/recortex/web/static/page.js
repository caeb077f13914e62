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

// A box that ticks all others of a form, and how many are ticked.
for (const all of document.querySelectorAll("[data-all]")) {
  const form = all.closest("form");
  const boxes = () => [...form.querySelectorAll(`input[type="checkbox"][name="${all.dataset.all}"]`)];
  const tell = () => {
    const count = boxes().filter((box) => box.checked).length;
    const place = form.querySelector(`[data-count="${all.dataset.all}"]`);
    if (place) place.textContent = count ? `${count} chosen` : "";
    all.checked = count > 0 && count === boxes().length;
  };
  all.addEventListener("change", () => {
    for (const box of boxes()) box.checked = all.checked;
    tell();
  });
  form.addEventListener("change", tell);
}

// What others change meanwhile: a hint, or the page anew where nobody is in the middle of something.
const from = document.body.dataset.events;
if (from && "EventSource" in window) {
  const events = new EventSource(from);
  let own = false;
  document.addEventListener("submit", () => { own = true; });
  events.addEventListener("changed", () => {
    if (own) return;
    const hint = document.getElementById("changed");
    if (hint) hint.hidden = false;
  });
  addEventListener("pagehide", () => events.close());
}
