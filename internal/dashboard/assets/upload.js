// The progress of an upload, and its end if the visitor cancels it. Uses functions of foretell.js.
"use strict";

// The stylesheet shows the progress during the request.
document.addEventListener("htmx:xhr:progress", ({ target, detail }) => {
  const progress = target.querySelector("progress");
  if (progress && detail.lengthComputable) progress.value = 100 * detail.loaded / detail.total;
});

// Each upload has an identifier, with which the page asks how a cancelled upload has ended.
const uploads = new WeakMap(); // the identifier of the last upload of each form
document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (isPoll({ requestConfig: detail }) || !detail.elt.querySelector("[data-cancel]")) return;
  const id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(16)).join("-");
  uploads.set(detail.elt, id);
  detail.headers["Foretell-Upload"] = id;
});

document.addEventListener("click", ({ target }) => {
  const form = target.closest("[data-cancel]")?.form;
  if (form) htmx.trigger(form, "htmx:abort");
});

// The service deletes what it has received of a cancelled upload, unless it had already received the
// whole file. The button that was pressed disappears, so the one that sends the form again gets the
// focus.
document.addEventListener("htmx:sendAbort", async ({ detail: { requestConfig, elt, target } }) => {
  if (isPoll({ requestConfig })) return;
  showUploadError(target, "Cancelling the upload…", "warn");
  const progress = elt.querySelector("progress");
  progress.value = 0;
  elt.querySelector(".primary").focus();
  const id = uploads.get(elt);
  let end = "";
  try {
    const response = await fetch(`/uploads/${id}?part=end`);
    if (response.ok) end = await response.text();
  } catch { /* the end remains unknown */ }
  if (uploads.get(elt) !== id) return; // the form was sent again
  if (end) target.innerHTML = end;
  // The progress does not tell whether the file has arrived: it lags behind the connection.
  else showUploadError(target, "It is not known whether the upload was cancelled. If the whole file had already arrived, it is in the list when you load this page again.", "warn");
});
