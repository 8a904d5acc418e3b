// Texts that the service cannot write once and for all: relative times, which age while the page is
// open, and the titles of names that are cut.
"use strict";

// The clock of the browser may be wrong, so ages are computed with that of the service.
const clockError = Date.now() - Date.parse(document.documentElement.dataset.now);

const amount = (n, unit) => `${n} ${unit}${n === 1 ? "" : "s"}`;

// relative returns the text of the service for a time, given as its age in seconds, see
// FormatRelativeTime, or null for a time that the service writes as a date.
function relative(seconds) {
  if (seconds > -60 && seconds < 10) return "just now";
  if (seconds < 0) {
    const left = -seconds;
    const [length, unit] = left < 2 * 3600 ? [60, "minute"] : left < 48 * 3600 ? [3600, "hour"] : [86400, "day"];
    return `in ${amount(Math.floor(left / length), unit)}`;
  }
  for (const [below, length, unit] of [[60, 1, "second"], [3600, 60, "minute"], [86400, 3600, "hour"], [60 * 86400, 86400, "day"]]) {
    if (seconds < below) return `${amount(Math.floor(seconds / length), unit)} ago`;
  }
  return null;
}

setInterval(() => {
  const now = Date.now() - clockError;
  for (const element of document.querySelectorAll("time[data-relative]")) {
    const text = relative((now - Date.parse(element.dateTime)) / 1000);
    if (text !== null && text !== element.textContent) element.textContent = text;
  }
}, 5000);

document.addEventListener("pointerover", ({ target }) => {
  const name = target.closest(".name, h1 bdi, h2 bdi, summary bdi, figcaption");
  if (name && !name.title && (name.scrollHeight > name.clientHeight + 4 || name.scrollWidth > name.clientWidth + 1)) name.title = name.textContent;
});
