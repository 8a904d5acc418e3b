// The check of a chosen file before it is sent.
"use strict";

// A chosen file is checked before it is sent, and again when other columns are chosen.
document.addEventListener("change", ({ target }) => {
  const output = target.form?.querySelector("[data-check]");
  if (output && target.type === "file") check(target.files[0], output);
  else if (output && target.closest("#columns")) showCheck(output);
});

// After the Back button, a browser may fill in the file again, but not the columns that were chosen for
// it. The file is then checked as if it were chosen again.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) return; // the page is as it was
  for (const input of document.querySelectorAll("input[type=file]")) {
    if (input.files.length > 0) input.dispatchEvent(new Event("change", { bubbles: true }));
  }
});

// The file that was chosen last and what was read of it, by the element that shows its defects.
const checked = new WeakMap();

// check reads the beginning of a chosen CSV file and shows what is wrong with it before it is
// sent. All these defects make the service reject the file. The attribute data-columns has the
// names of the columns that a blind file must have. Training files have no such attribute.
async function check(file, output) {
  const state = { file };
  checked.set(output, state);
  output.replaceChildren();
  const large = file ? tooLarge(file.size, output.dataset) : "";
  output.closest("form").querySelector("input[type=file]").setCustomValidity(large); // so that it is not sent
  if (!file) return;
  const limit = 1 << 20;
  state.whole = file.size <= limit;
  state.model = output.dataset.columns ? { id: output.dataset.id, columns: JSON.parse(output.dataset.columns) } : null;
  const beginning = file.slice(0, limit);
  const { text, defect } = decode(new Uint8Array(await beginning.arrayBuffer()), state.whole);
  const { rows, open, stray } = parse(text, delimiterOf(text));
  state.defect = large || defect || tooShort(file.size, !state.model);
  if (!state.whole && rows.length > 1) rows.pop(); // it may be incomplete
  while (state.whole && rows.length > 1 && rows.at(-1).cells.every((cell) => cell === "")) rows.pop(); // left out, as by the service
  Object.assign(state, { rows, open, stray });
  if (!state.defect && !state.model) await listColumns(beginning, state);
  if (state === checked.get(output)) showCheck(output); // no other file was chosen meanwhile
}

// listColumns asks the service for the fields that name columns, with the columns of the file. If
// the request fails, the fields stay as they are, and the service chooses the columns.
async function listColumns(beginning, { file, whole }) {
  const form = new FormData();
  if (whole) form.append("whole", "yes");
  form.append("file", beginning, file.name);
  try {
    const response = await fetch("/datasets/columns?part=columns", { method: "POST", body: form });
    const fields = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("columns");
    if (response.ok && fields) document.getElementById("columns").replaceWith(fields);
  } catch { /* the fields stay as they are */ }
}

// showCheck shows what is wrong with the chosen file, or what it contains.
function showCheck(output) {
  const { file, rows, open, stray, whole, model, defect } = checked.get(output) || {};
  if (!rows) return;
  const columns = rolesOf(rows, model);
  const found = defect ? [defect] : defects(rows, { open, stray, whole }, model, columns);
  const p = document.createElement("p");
  if (found.length === 0 && rows.length > 1) {
    p.className = "note good";
    p.textContent = `${file.name}, ${formatBytes(file.size)}: ${summary(rows, whole, columns)}`;
  } else {
    p.className = "note bad";
    p.textContent = found.length ? found.join(" ") : "The file has no rows.";
  }
  output.replaceChildren(p);
  if (found.length === 0) warn(output, renamedColumns(columns));
  const similar = found.length === 0 && columns.label >= 0 && similarLabels(labelsOf(rows, columns.label).labels);
  if (similar) warn(output, `The labels ${similar.map((label) => `"${excerpt(label)}"`).join(" and ")} differ only in case or spaces. They are different classes.`);
}

// warn adds a warning to the result of a check, unless the text is empty.
function warn(output, text) {
  if (!text) return;
  const note = document.createElement("p");
  note.className = "note warn";
  note.textContent = text;
  output.append(note);
}

// similarLabels returns two labels that differ only in case or spaces, or null.
function similarLabels(labels) {
  const first = new Map();
  for (const label of labels) {
    const folded = trim(label).toLowerCase();
    if (first.has(folded)) return [first.get(folded), label];
    first.set(folded, label);
  }
  return null;
}

// The kinds of files that are often chosen by mistake: their first bytes, their name, and whether the
// command line converts them, or what to do with them.
const signatures = [
  ["\x1F\x8B", "a gzip file", true], ["\x28\xB5\x2F\xFD", "a Zstandard file", true], ["PK\x03\x04", "a ZIP file or an Excel workbook", true],
  ["PAR1", "a Parquet file", true], ["\xD0\xCF\x11\xE0", "an Office document", false], ["%PDF-", "a PDF document", false],
  ["\xFD7zXZ", "an xz file", "Unpack it."], ["7z\xBC\xAF", "a 7z archive", "Unpack it."], ["Rar!", "a RAR archive", "Unpack it."], ["\x89PNG", "a PNG picture", false], ["\xFF\xD8\xFF", "a JPEG picture", false], ["SQLite f", "an SQLite database", false],
];

// The kinds of text files that are often chosen by mistake: how they begin, their name, and what to do.
const textFormats = [
  [/^\s*(\{\s*["}]|\[\s*\{)/, "JSON", "Write the table as CSV, or send the file with the command foretell datasets create or foretell predict, which reads it."],
  [/^\s*<(!doctype html|html)/i, "a web page", "Was it downloaded instead of the table?"], [/^\s*<\?xml/i, "an XML file", "Write the table as CSV."],
  [/^(%.*\r?\n\s*)*@relation /i, "an ARFF file", "Write the table as CSV."],
];

// tooShort returns the defect of a file that has too few bytes for a table, or "".
function tooShort(size, isTraining) {
  if (size >= (isTraining ? 10 : 1)) return "";
  return `${size ? `The file has only ${plural(size, "byte")}, so it is no table` : "The file is empty"}. A CSV has a header and a row for each example, with commas between the columns.`;
}

// tooLarge returns the defect of a file that has more bytes than the form can send, or "". If larger
// is set, a command can send larger files.
const tooLarge = (size, { max, larger }) => size <= Number(max) ? "" : `The file has ${formatBytes(size)}, but the service accepts at most ${formatBytes(Number(max))}. ${larger === undefined ? "Remove rows or columns." : "Upload it with the command foretell datasets create NAME FILE."}`;

// isParquet reports whether the first eight bytes of a file that begins with PAR1 are those of a Parquet
// file. The first column of a CSV may be called PAR1, too, but only in a Parquet file does a control
// character follow.
const isParquet = (head) => head.length === 4 || [...head.slice(4)].some((character) => character < " " && !"\t\n\r".includes(character));

// decode returns the bytes of a file as text, or a defect if they are not text in UTF-8.
function decode(bytes, whole) {
  const refuse = (is, then) => ({ text: "", defect: `${is}. The service rejects such a file. ${then}` });
  const head = String.fromCharCode(...bytes.subarray(0, 8));
  for (const [start, name, converted] of signatures) {
    if (head.startsWith(start) && (start !== "PAR1" || isParquet(head))) return refuse(`This is ${name}`, converted === true ? "Save the table as CSV, or send the file with the command foretell datasets create or foretell predict, which reads it." : converted || "Save the table as CSV.");
  }
  const zeros = [...bytes.subarray(0, 4)].map((byte) => byte === 0).join();
  if (head.startsWith("\xFF\xFE") || head.startsWith("\xFE\xFF") || zeros === "false,true,false,true" || zeros === "true,false,true,false") {
    return refuse("The file is UTF-16", "Save it as UTF-8, or send it with the command foretell datasets create or foretell predict, which converts it.");
  }
  if (bytes.includes(0)) return refuse("The file has NUL bytes", "Save the table as CSV in UTF-8.");
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !whole });
    for (const [start, name, then] of textFormats) if (start.test(text)) return refuse(`This is ${name}`, then);
    return { text: text.replace(/^(sep=[^\p{L}\p{N}"\r\n]|"sep=[^\p{L}\p{N}"\r\n]")(?=[\r\n])/iu, "") }; // a line for Excel
  } catch {
    return refuse("The file is not UTF-8, but perhaps Windows-1252 or Latin-1", "Save it as UTF-8, or send it with the command foretell datasets create or foretell predict and the flag --encoding.");
  }
}

// formatBytes formats a size as the service does: 512 B, 4.8 kB, 36.0 MB.
function formatBytes(size) {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  for (; size >= (unit ? 999.95 : 1000) && unit < units.length - 1; unit++) size /= 1000;
  return `${unit ? size.toFixed(1) : size} ${units[unit]}`;
}

const plural = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
const excerpt = (text) => text.length > 40 ? text.slice(0, 40) + "…" : text;
const trim = (text) => text.replace(/^[ \t-\r]+|[ \t-\r]+$/g, "");

// rolesOf returns the positions of the row IDs and of the labels, or -1 if no column has them. In a
// blind file, the row IDs are in the column of the same name as in the training file. If there is no
// such column, they are in the first column, unless it is a feature. If the IDs in the first rows are
// not unique, the service numbers the rows.
function rolesOf(rows, model) {
  const original = rows[0]?.cells.map(trim) || [], header = uniqueNames(original);
  const nameFirst = () => { if (header[0] === "") header[0] = uniqueNames([...header.slice(1), "column_1"]).pop(); };
  if (model) {
    if (model.columns.includes("column_1") && !header.includes("column_1")) nameFirst();
    const renamed = matchNames(header, [...model.columns, model.id]);
    original.forEach((_, i) => { if (renamed[i] !== header[i]) original[i] = header[i] = renamed[i]; });
    const named = header.indexOf(model.id), id = named < 0 && model.columns.includes(header[0]) ? -1 : Math.max(0, named);
    const first = rows.slice(1, 2001).map(({ cells }) => trim(cells[id] ?? ""));
    return { header, original, id: new Set(first).size < first.length || first.includes("") ? -1 : id, label: -1 };
  }
  const [id, label] = ["id", "label"].map((field) => document.getElementById(field));
  if (label.localName !== "select") { // there are too many columns to list, or the service did not respond
    if (id.value !== "") nameFirst();
    const unclear = document.querySelector("#columns .note") ? -1 : header.length - 1;
    return { header, original, id: id.value === "" ? 0 : header.indexOf(id.value), label: label.value === "" ? unclear : header.indexOf(label.value) };
  }
  if (id.selectedIndex !== 1) nameFirst();
  return { header, original, id: id.selectedIndex - 1, label: label.selectedIndex - (label.options.length - header.length) };
}

// matchNames replaces names of a blind file by names of the training file that differ only in case or
// punctuation, as the service does.
function matchNames(header, wanted) {
  const fold = (name) => name.toLowerCase().replace(/[^\p{L}\p{Nd}]/gu, "") || name;
  const others = (names, known) => {
    const groups = new Map(), present = new Set(known);
    for (const name of names) if (!present.has(name)) groups.set(fold(name), [...groups.get(fold(name)) || [], name]);
    return groups;
  };
  const missing = others(wanted, header), spare = others(header, wanted);
  return header.map((name) => {
    const alike = spare.get(fold(name)), meant = missing.get(fold(name));
    return alike?.length === 1 && alike[0] === name && meant?.length === 1 ? meant[0] : name;
  });
}

// uniqueNames returns the names with which the service reads the columns: a,a,,b → a, a_2, column_3, b.
// The first column of row IDs needs no name.
function uniqueNames(header) {
  const taken = new Set(header), before = new Set();
  return header.map((name, i) => {
    const wanted = name === "" && i > 0 ? `column_${i + 1}` : name;
    let own = wanted;
    if (wanted !== name || before.has(name)) for (let n = 2; taken.has(own); n++) own = `${wanted}_${n}`;
    before.add(name);
    taken.add(own);
    return own;
  });
}

// renamedColumns says which columns have another name than in the file, or "".
function renamedColumns({ header, original }) {
  const shown = 3, renamed = header.flatMap((name, i) => name === original[i] ? [] : [`column ${i + 1} is read as ${excerpt(name)}`]);
  if (renamed.length === 0) return "";
  const more = renamed.length > shown ? ` and ${plural(renamed.length - shown, "other")}` : "";
  return `Some columns have no name or that of an earlier column: ${renamed.slice(0, shown).join(", ")}${more}.`;
}

// labelsOf returns the number of rows with a label, and the different labels. Labels that differ only
// in spaces are different.
function labelsOf(rows, column) {
  const all = rows.slice(1).map(({ cells }) => cells[column] ?? "").filter((label) => trim(label) !== "");
  return { count: all.length, labels: new Set(all) };
}

// summary says what a file without defects contains.
function summary(rows, whole, { header, id, label }) {
  const text = `${plural(header.length, "column")}. Row IDs: ${id < 0 ? "none, the rows are numbered" : excerpt(header[id] || "the first column, which has no name")}.`;
  if (label < 0) return text;
  const { size } = labelsOf(rows, label).labels;
  return `${text} Labels: ${excerpt(header[label])}, ${size === 1 ? "only one" : size + " different"}${whole ? "" : ` in the first ${plural(rows.length - 1, "row")}`}.`;
}

// delimiterOf returns the delimiter that splits the first line into the most columns.
function delimiterOf(text) {
  const line = /[^\r\n]+/.exec(text)?.[0] || "";
  const columns = (delimiter) => parse(line, delimiter).rows[0]?.cells.length || 0;
  return [",", ";", "\t", "|"].reduce((best, other) => columns(other) > columns(best) ? other : best);
}

// parse splits a CSV into records, with the line on which each begins. Lines end in LF, CRLF or CR.
// In the result, stray is the line of the first quote inside a field without quotes, or 0.
function parse(text, delimiter) {
  const rows = [];
  let cells = [], cell = "", quoted = false, line = 1, began = 1, stray = 0;
  const end = () => {
    if (cells.length > 0 || cell !== "") rows.push({ line: began, cells: [...cells, cell] });
    cells = []; cell = "";
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    const endsLine = c === "\n" || c === "\r" && text[i + 1] !== "\n";
    if (endsLine) line++;
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') { cell += c; i++; } else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === delimiter) { cells.push(cell); cell = ""; }
    else if (endsLine) { end(); began = line; }
    else if (c !== "\r") {
      if (c === '"') stray = stray || line;
      cell += c;
    }
  }
  end();
  return { rows, open: quoted, stray };
}

// defects returns what is wrong with the rows. The parameter model is null for a training file.
function defects(rows, { open, stray, whole }, model, { header, original, id, label }) {
  const found = [];
  if (rows.length < 2) return found;
  if (header.length === 1) return ["The header has one column. The columns must be separated by commas, semicolons, tabs or bars."];
  if (!model && header.length === 2 && id >= 0) return ["The header has 2 columns, but row IDs, a feature and the labels are required."];
  if (header.length > 2 && original.filter((name) => name !== "").length === 1) {
    return [`Only one of ${header.length} columns has a name, so the first line is probably a title above the header. Delete this line.`];
  }
  if (model) found.push(...missingColumns(header, model));
  if (stray) found.push(`Line ${stray} has a quote inside a field that is not in quotes.`);
  if (open && whole) found.push("A quote is not closed.");
  let ragged = null, repeated = null, unlabelled = null;
  const ids = new Map();
  for (const row of rows.slice(1)) {
    if (row.cells.length !== header.length) { ragged = ragged || row; continue; }
    if (id >= 0 && ids.has(row.cells[id])) repeated = repeated || row;
    else if (id >= 0) ids.set(row.cells[id], row.line);
    if (label >= 0 && trim(row.cells[label]) === "") unlabelled = unlabelled || row;
  }
  if (ragged) found.push(`Line ${ragged.line} has ${plural(ragged.cells.length, "column")}, but the header has ${header.length}.`);
  if (repeated) found.push(`Line ${repeated.line} repeats the row ID ${excerpt(repeated.cells[id])} of line ${ids.get(repeated.cells[id])}.`);
  if (unlabelled) found.push(`Line ${unlabelled.line} has no label.`);
  if (label >= 0 && whole && found.length === 0) {
    const { count, labels } = labelsOf(rows, label);
    if (labels.size === 1) found.push(`Every row has the label ${excerpt([...labels][0])}, but at least two labels are required.`);
    if (labels.size > 2 && 2 * labels.size > count) found.push(`The column ${excerpt(header[label])} has ${plural(labels.size, "different value")} in ${plural(count, "row")}, but must have labels that many rows share.`);
  }
  return found;
}

// missingColumns says which columns of the training file are missing in a blind file.
function missingColumns(header, model) {
  const present = new Set(header), shown = 10;
  const missing = model.columns.filter((name) => !present.has(name));
  if (missing.length > 0) {
    const more = missing.length > shown ? ` and ${plural(missing.length - shown, "other")}` : "";
    return [`${plural(missing.length, "column")} of the training file ${missing.length === 1 ? "is" : "are"} missing: ${missing.slice(0, shown).map(excerpt).join(", ")}${more}.`];
  }
  return [];
}
