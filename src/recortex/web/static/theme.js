// Before the page is painted: the theme that was chosen last, if one was.
"use strict";
const chosen = localStorage.getItem("theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
