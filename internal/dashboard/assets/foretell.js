// What moves on the pages: parts that are polled, uploads with progress, copying of commands.
// Without this script every page can be read and every form can be sent.
"use strict";

document.documentElement.classList.add("scripting");

// poll replaces an element that has data-poll with what its address returns, until the
// returned element no longer has data-poll. It waits while the page is hidden. After the
// service or the network was away, or the computer slept, it goes on by itself.
const often = 300, slowest = 5000, patience = 8000;

function poll(element) {
  const address = element.dataset.poll, rate = 1000 * element.dataset.seconds || often;
  const ended = new AbortController();
  let etag = "", pause = rate, timer = 0, request = null;
  const again = () => { timer = setTimeout(step, pause); };
  // atOnce does not wait for a request that was sent before the connection was lost.
  const atOnce = () => { clearTimeout(timer); request?.abort(); step(); };
  addEventListener("online", atOnce, { signal: ended.signal });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) atOnce(); }, { signal: ended.signal });
  onWaking(atOnce, ended.signal);

  async function step() {
    if (!element.isConnected) return ended.abort();
    if (document.hidden) return;
    const own = request = new AbortController();
    const timeout = setTimeout(() => own.abort(), patience);
    try {
      const response = await fetch(address, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store", signal: own.signal });
      if (response.status === 401 || response.status === 403) {
        ended.abort();
        return say("The session has ended. Load the page again to sign in.");
      }
      if (response.status === 404) return location.reload();
      if (response.status !== 304 && !response.ok) throw new Error(response.statusText);
      const html = response.status === 304 ? "" : await response.text();
      if (pause > rate) say("");
      pause = rate;
      if (html && replace(html)) etag = response.headers.get("ETag") || "";
      if (element.dataset.poll === undefined) return ended.abort();
    } catch {
      if (own !== request) return; // atOnce has sent another
      pause = Math.min(pause * 2, slowest);
      say("The service does not respond. Trying again…");
    } finally {
      clearTimeout(timeout);
    }
    again();
  }
  // replace shows the new element, unless a question is open in the old one. The focus, open
  // details and scroll positions stay: they are those of the element at the same place.
  function replace(html) {
    const box = document.createElement("template");
    box.innerHTML = html;
    const next = box.content.firstElementChild;
    const question = element.querySelector("details.danger[open]");
    if (!next || question?.contains(document.activeElement)) return false;
    const places = (selector) => [...element.querySelectorAll(selector)];
    const canFocus = "a, button, input, select, summary, [tabindex]";
    const focused = places(canFocus).indexOf(document.activeElement);
    const open = places("details").map((d) => d.open);
    const scrolled = places(".scroll").map((d) => d.scrollLeft);
    element.replaceWith(next);
    element = next;
    places("details").forEach((d, i) => { if (open[i]) d.open = true; });
    places(".scroll").forEach((d, i) => { d.scrollLeft = scrolled[i] || 0; });
    if (focused >= 0) places(canFocus)[focused]?.focus({ preventScroll: true });
    enhance(next);
    return true;
  }
  again();
}

// onWaking calls back when the computer has slept: when a second took more than five.
function onWaking(callback, signal) {
  let last = Date.now();
  const clock = setInterval(() => {
    const now = Date.now();
    if (now - last > 5000) callback();
    last = now;
  }, 1000);
  signal.addEventListener("abort", () => clearInterval(clock));
}

// say shows a short message at the bottom of the page.
let sayTimer = 0;
function say(text, duration = 0) {
  const notice = document.getElementById("notice");
  clearTimeout(sayTimer);
  notice.textContent = text;
  notice.hidden = text === "";
  if (duration) sayTimer = setTimeout(() => { notice.hidden = true; }, duration);
}

// copying puts the command of a button on the clipboard.
function copying(button) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      say("Copied", 1500);
    } catch { // without TLS there is no clipboard: select the command instead
      getSelection().selectAllChildren(button.previousElementSibling);
      say("Selected. Copy it with Ctrl+C or ⌘C", 3000);
    }
  });
}

// dropping lets files be dropped on an area. Of several inputs in it, a file is for the one that
// accepts its extension.
function dropping(area) {
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
      input.dispatchEvent(new Event("change"));
    }
  });
}

// uploading sends a form with a file in the background, with progress. The service's answer
// is the page that a form without script would show.
function uploading(form) {
  const file = form.querySelector("input[type=file]");
  const progress = form.querySelector("progress");
  const button = form.querySelector("button");
  file.addEventListener("change", () => check(file.files[0], form.querySelector("[data-check]"), form.hasAttribute("data-blind")));
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.upload.addEventListener("progress", (p) => { if (p.lengthComputable) progress.value = 100 * p.loaded / p.total; });
    request.addEventListener("load", () => {
      if (request.status < 300) return location.assign(request.responseURL);
      done(request);
    });
    request.addEventListener("error", () => done(null));
    progress.hidden = false;
    progress.value = 0;
    button.disabled = true;
    request.send(new FormData(form));
  });
  function done(request) {
    progress.hidden = true;
    button.disabled = false;
    const page = request && new DOMParser().parseFromString(request.responseText, "text/html");
    const text = page?.querySelector("[role=alert]")?.textContent || "The upload was interrupted. Send it again.";
    let note = form.parentElement.querySelector(".note.bad");
    if (!note) {
      note = document.createElement("p");
      note.className = "note bad";
      note.setAttribute("role", "alert");
      form.before(note);
    }
    note.textContent = text;
    note.scrollIntoView({ block: "nearest" });
  }
}

// check reads the beginning of a chosen CSV file and shows what is wrong with it before it is
// sent: no header, rows of different lengths, repeated row IDs, rows without a label.
async function check(file, output, blind) {
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
  output.append(p);
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

// enhance adds behaviour to a part of the page.
function enhance(root) {
  const all = (selector) => [...(root.matches?.(selector) ? [root] : []), ...root.querySelectorAll(selector)];
  all("[data-copy]").forEach(copying);
  all("form[data-upload]").forEach(uploading);
  all("[data-drop]").forEach(dropping);
}

enhance(document);
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
document.querySelectorAll("[data-poll]").forEach(poll);
