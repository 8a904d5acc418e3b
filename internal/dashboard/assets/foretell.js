// What htmx does not do: the ETags of polls, messages, the clipboard, and files that are dropped
// on a form. Without scripts, every page can be read and every form can be sent.
"use strict";

document.documentElement.classList.add("scripting");

// Parts that change are polled by htmx, see the template "poll". A part keeps the details
// that were opened and the chart that was drawn, because both are missing in the HTML of the
// service.
Object.assign(Idiomorph.defaults.callbacks, {
  beforeAttributeUpdated: (name, element) => !(name === "open" && element.localName === "details"),
  beforeNodeRemoved: (node) => !(node instanceof Element && node.classList.contains("uplot")),
});

const isPoll = (detail) => detail.requestConfig.verb === "get";
// hasMessage reports whether a response is HTML with an error status, which the service sends for a
// rejected form.
const hasMessage = (xhr) => xhr.status >= 400 && (xhr.getResponseHeader("Content-Type") || "").startsWith("text/html");

// If the part has not changed, the response to a poll is 304, and htmx replaces nothing.
const etags = new Map(); // of the shown parts, by path
document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (etags.has(detail.path)) detail.headers["If-None-Match"] = etags.get(detail.path);
});
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  const etag = detail.xhr.getResponseHeader("ETag");
  if (etag) etags.set(detail.pathInfo.requestPath, etag);
});

// A hidden page polls nothing.
document.addEventListener("htmx:beforeRequest", (e) => {
  if (isPoll(e.detail) && document.hidden) e.preventDefault();
});

// htmx continues to poll after an error. A request that was sent before the connection was lost may
// never get a response. It is aborted when the browser is online again, when the page is shown
// again, and when the machine has slept: the timer of one second then took more than five.
function abortPolls() {
  for (const element of document.querySelectorAll("[data-hx-trigger^=every]")) htmx.trigger(element, "htmx:abort");
}
addEventListener("online", abortPolls);
document.addEventListener("visibilitychange", () => { if (!document.hidden) abortPolls(); });
let lastSecond = Date.now();
setInterval(() => {
  const now = Date.now();
  if (now - lastSecond > 5000) abortPolls();
  lastSecond = now;
}, 1000);

// say shows a short message at the bottom of the page.
let sayTimer = 0;
function say(text, duration = 0) {
  const notice = document.getElementById("notice");
  clearTimeout(sayTimer);
  notice.textContent = text;
  notice.hidden = text === "";
  if (duration) sayTimer = setTimeout(() => { notice.hidden = true; }, duration);
}

// While polls fail, the page says so.
let isLost = false;
function showLoss(lost) {
  if (lost === isLost) return;
  isLost = lost;
  say(lost ? "The service does not respond. Trying again…" : "");
}
for (const type of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(type, ({ detail }) => {
    if (isPoll(detail)) showLoss(true);
    else if (detail.elt.querySelector("[type=file]")) showUploadError(detail.target);
    else showUploadError(detail.target, "The service did not respond. If the race is not in the list of races, send the form again.");
  });
}
document.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
  if (isPoll(detail) && detail.xhr.status < 400) showLoss(false);
});

// If the service rejects a form, its response is the message to show above the form.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (isPoll(detail) || !hasMessage(detail.xhr)) return;
  detail.shouldSwap = true;
  detail.isError = false;
});
// The message has links to the fields that were rejected.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (isPoll(detail)) return;
  document.getElementById("columns")?.classList.add("ready"); // the message may be about its fields
  const ids = [...detail.target.querySelectorAll("a[href^='#']")].map((link) => link.hash.slice(1));
  for (const field of detail.requestConfig.elt.elements) {
    if (ids.includes(field.id)) {
      field.setAttribute("aria-invalid", "true");
      field.closest("details")?.setAttribute("open", "");
    } else field.removeAttribute("aria-invalid");
  }
  detail.target.scrollIntoView({ block: "nearest" });
});

function showUploadError(target, text = "The upload was interrupted. Send it again.", kind = "bad") {
  const note = document.createElement("p");
  note.className = `note ${kind}`;
  note.setAttribute("role", "alert");
  note.textContent = text;
  target.replaceChildren(note);
  target.scrollIntoView({ block: "nearest" });
}

// A button with a command puts it on the clipboard.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    say("Copied", 1500);
  } catch { // without TLS there is no clipboard: select the command instead
    getSelection().selectAllChildren(button.previousElementSibling);
    say("Selected. Copy it with Ctrl+C or ⌘C", 3000);
  }
});

// Files can be dropped on an area. If the area has several inputs, a file is put into the input that
// accepts its extension.
for (const area of document.querySelectorAll("[data-drop]")) {
  for (const type of ["dragenter", "dragover"]) area.addEventListener(type, (e) => { e.preventDefault(); area.classList.add("over"); });
  for (const type of ["dragleave", "drop"]) area.addEventListener(type, () => area.classList.remove("over"));
  area.addEventListener("drop", (e) => {
    e.preventDefault();
    const inputs = [...area.querySelectorAll("input[type=file]")];
    for (const file of e.dataTransfer.files) {
      const input = inputs.find((i) => i.accept.split(",").some((end) => file.name.toLowerCase().endsWith(end))) || inputs[0];
      const chosen = new DataTransfer();
      chosen.items.add(file);
      input.files = chosen.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
}

// Without scripts, the fields that name columns come before the file, because the service reads the
// form in order. The script lists the columns of the chosen file in these fields, so it moves the
// fields after the file. It still sends the file last.
document.getElementById("file-field")?.after(document.getElementById("columns"));
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const file = detail.formData.get("file");
  if (!(file instanceof File)) return;
  detail.formData.delete("file");
  detail.formData.append("file", file);
});

// A page that the browser has kept may show what was deleted meanwhile. It is loaded again, unless this
// would clear a form.
const isChanged = (field) => {
  if (field.localName === "select") return field.selectedIndex !== Math.max(0, [...field.options].findIndex((o) => o.defaultSelected));
  return field.checked !== field.defaultChecked || field.value !== field.defaultValue;
};
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && ![...document.querySelectorAll("main :is(input, select, textarea)")].some(isChanged)) location.reload();
});

document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
