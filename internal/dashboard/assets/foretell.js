// What htmx has no answer for: the state of requests that must not be repeated needlessly,
// messages, the clipboard, files that are dropped or checked before they are sent.
// Without scripts every page can be read and every form can be sent.
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
// hasMessage reports whether the answer to a rejected form is the service's. That of a proxy is not.
const hasMessage = (xhr) => xhr.status >= 400 && (xhr.getResponseHeader("Content-Type") || "").startsWith("text/html");

// The answer to a poll is 304 and replaces nothing if the part has not changed.
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

// htmx goes on polling after an error. A request that was sent before the connection was lost
// may never be answered: it is aborted when the browser is online again, when the page is
// shown again, and after a sleep, when a second took more than five.
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
    else showUploadError(detail.target);
  });
}
document.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
  if (isPoll(detail) && detail.xhr.status < 400) showLoss(false);
});

// The service answers a form that it rejects with the message to show above the form.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (isPoll(detail) || !hasMessage(detail.xhr)) return;
  detail.shouldSwap = true;
  detail.isError = false;
});
// The message has links to the fields that were rejected.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (isPoll(detail)) return;
  const ids = [...detail.target.querySelectorAll("a[href^='#']")].map((link) => link.hash.slice(1));
  for (const field of detail.requestConfig.elt.elements) {
    if (ids.includes(field.id)) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
  detail.target.scrollIntoView({ block: "nearest" });
});

function showUploadError(target) {
  const note = document.createElement("p");
  note.className = "note bad";
  note.setAttribute("role", "alert");
  note.textContent = "The upload was interrupted. Send it again.";
  target.replaceChildren(note);
  target.scrollIntoView({ block: "nearest" });
}

// The progress of an upload. The stylesheet shows it during the request.
document.addEventListener("htmx:xhr:progress", ({ target, detail }) => {
  const progress = target.querySelector("progress");
  if (progress && detail.lengthComputable) progress.value = 100 * detail.loaded / detail.total;
});

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

// Files can be dropped on an area. Of several inputs in it, a file is for the one that accepts
// its extension.
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

// A chosen file is checked before it is sent.
document.addEventListener("change", ({ target }) => {
  const output = target.type === "file" && target.form.querySelector("[data-check]");
  if (output) check(target.files[0], output, output.dataset.check === "blind");
});

const checked = new WeakMap(); // the file that was chosen last, by the element that shows its defects

// check reads the beginning of a chosen CSV file and shows what is wrong with it before it is
// sent: no header, rows of different lengths, repeated row IDs, rows without a label.
async function check(file, output, blind) {
  checked.set(output, file);
  output.replaceChildren();
  if (!file) return;
  const bytes = 1 << 20;
  const text = (await file.slice(0, bytes).text()).replace(/^\uFEFF/, "");
  const { rows, open } = parse(text);
  if (file.size > bytes && rows.length > 1) rows.pop(); // it may be incomplete
  const found = defects(rows, open && file.size <= bytes, blind);
  const p = document.createElement("p");
  const size = (file.size / 1e6).toFixed(1) + " MB";
  if (found.length === 0 && rows.length > 1) {
    const header = rows[0].cells;
    p.className = "note good";
    p.textContent = `${file.name}, ${size}: ${header.length} columns. Row IDs: ${header[0]}.` + (blind ? "" : ` Labels: ${header[header.length - 1]}.`);
  } else {
    p.className = "note bad";
    p.textContent = found.length ? found.join(" ") : "The file has no rows.";
  }
  if (file === checked.get(output)) output.replaceChildren(p); // otherwise another has been chosen meanwhile
}

// parse splits a CSV into records, with the line on which each begins.
function parse(text) {
  const rows = [];
  let cells = [], cell = "", quoted = false, line = 1, began = 1;
  const end = () => {
    if (cells.length > 0 || cell !== "") rows.push({ line: began, cells: [...cells, cell] });
    cells = []; cell = "";
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "\n") line++;
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') { cell += c; i++; } else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === ",") { cells.push(cell); cell = ""; }
    else if (c === "\n") { end(); began = line; }
    else if (c !== "\r") cell += c;
  }
  end();
  return { rows, open: quoted };
}

function defects(rows, open, blind) {
  const found = [];
  if (rows.length < 2) return found;
  const header = rows[0].cells, ids = new Map();
  if (header.length === 1) return ["The header has one column. The columns must be separated by commas."];
  if (open) found.push("A quote is not closed.");
  let ragged = null, repeated = null, unlabelled = null;
  for (const row of rows.slice(1)) {
    if (row.cells.length !== header.length) ragged ??= row;
    if (!ids.has(row.cells[0])) ids.set(row.cells[0], row.line);
    else repeated ??= row;
    if (!blind && row.cells.length === header.length && row.cells[header.length - 1].trim() === "") unlabelled ??= row;
  }
  if (ragged) found.push(`Line ${ragged.line} has ${ragged.cells.length} columns, but the header has ${header.length}.`);
  if (repeated) found.push(`Line ${repeated.line} repeats the row ID ${repeated.cells[0].slice(0, 40)} of line ${ids.get(repeated.cells[0])}.`);
  if (unlabelled) found.push(`Line ${unlabelled.line} has no label.`);
  return found;
}

document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
