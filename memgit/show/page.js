"use strict";
// Comfort only: without it the page says all it has to say.
(() => {
  const tools = document.getElementById("tools");
  const search = document.getElementById("search");
  const told = document.getElementById("told");
  const items = Array.from(document.querySelectorAll("[data-filter]"), (item) => [item, item.textContent.toLowerCase()]);
  const folds = () => Array.from(document.querySelectorAll("details"));

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [item, text] of items) {
      item.hidden = !words.every((word) => text.includes(word));
      shown += item.hidden ? 0 : 1;
    }
    told.textContent = words.length ? `${shown} of ${items.length} shown` : "";
  };

  search.addEventListener("input", filter);
  tools.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && search.value) {
      search.value = "";
      filter();
    }
  });
  document.getElementById("unfold").addEventListener("click", () => folds().forEach((fold) => { fold.open = true; }));
  document.getElementById("fold").addEventListener("click", () => folds().forEach((fold) => { fold.open = false; }));

  // A printed page has nothing to click on: it is printed unfolded, and folded again afterwards.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folds().filter((fold) => !fold.open);
    closed.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((fold) => { fold.open = false; }));
  tools.hidden = false;
})();
