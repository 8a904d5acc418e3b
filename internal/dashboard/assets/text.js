// Texts that the service cannot write once and for all: relative times, which age while the page is
// open, and the titles of names that are cut.
"use strict";

// The clock of the browser may be wrong, so ages are computed with that of the service.
const clockError = Date.now() - Date.parse(document.documentElement.dataset.now);

const amount = (n, unit) => `${n} ${unit}${n === 1 ? "" : "s"}`;

// ago and until return the texts of the service, see formatAge and formatUntil, or null for a time
// that the service writes as a date.
function ago(seconds) {
  if (seconds > -60 && seconds < 10) return "just now";
  for (const [below, length, unit] of [[60, 1, "second"], [3600, 60, "minute"], [86400, 3600, "hour"], [60 * 86400, 86400, "day"]]) {
    if (seconds >= 0 && seconds < below) return `${amount(Math.floor(seconds / length), unit)} ago`;
  }
  return null;
}
function until(seconds) {
  if (seconds < 60) return "in less than a minute";
  const [length, unit] = seconds < 2 * 3600 ? [60, "minute"] : seconds < 48 * 3600 ? [3600, "hour"] : [86400, "day"];
  return `in ${amount(Math.floor(seconds / length), unit)}`;
}

setInterval(() => {
  const now = Date.now() - clockError;
  for (const element of document.querySelectorAll("time[data-relative]")) {
    const seconds = (now - Date.parse(element.dateTime)) / 1000;
    const text = element.dataset.relative === "ago" ? ago(seconds) : until(-seconds);
    if (text !== null && text !== element.textContent) element.textContent = text;
  }
}, 5000);

document.addEventListener("pointerover", ({ target }) => {
  const name = target.closest(".name, h1 bdi, h2 bdi, summary bdi, figcaption");
  if (name && !name.title && (name.scrollHeight > name.clientHeight + 4 || name.scrollWidth > name.clientWidth + 1)) name.title = name.textContent;
});
