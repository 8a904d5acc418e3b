// A chart draws the curves of a plot with uPlot, over the picture that the service has drawn. Next to
// the pointer, the chart shows the values of the curves. The picture has the axes, the names and the
// threshold. Without this script, and on paper, there is only the picture.
"use strict";

const charts = new WeakMap(); // by the element of the picture

// showCharts draws or updates the charts of all pictures in an element.
function showCharts(root) {
  for (const picture of root.querySelectorAll(".plot-area[data-chart]")) {
    const chart = charts.get(picture);
    if (chart) chart.update();
    else if (picture.querySelector('.line[d^="M"]')) charts.set(picture, newChart(picture));
  }
}

// readLines returns the curves of a picture, with their points from left to right.
function readLines(picture) {
  return [...picture.querySelectorAll(".line")].map((path) => {
    const points = path.dataset.points.split(",").filter(Boolean).map((point) => point.split(" ").map(Number));
    if (points.length > 1 && points[0][0] > points.at(-1)[0]) points.reverse();
    return { path, points };
  });
}

// alignLines returns the columns of uPlot: all x in order, and one column for each curve, which
// is null in the rows of the others. A curve may have several points with the same x.
function alignLines(lines) {
  const rows = lines.flatMap(({ points }, line) => points.map(([x, y]) => ({ x, y, line }))).sort((a, b) => a.x - b.x);
  return [rows.map((row) => row.x), ...lines.map((_, line) => rows.map((row) => (row.line === line ? row.y : null)))];
}

// newChart draws the chart of a picture, with the colours and dashes of its paths.
function newChart(picture) {
  const figure = picture.closest(".plot");
  let lines = readLines(picture);
  let range = picture.dataset.chart.split(" ").map(Number);
  const margin = 4; // for lines at the edge
  const size = () => {
    const { width, height } = picture.getBoundingClientRect();
    return { width: width + 2 * margin, height: height + 2 * margin };
  };
  const styleOf = (i) => getComputedStyle(lines[i - 1].path);
  const readout = document.createElement("div");
  readout.className = "readout";
  readout.hidden = true;
  const chart = new uPlot({
    ...size(),
    padding: [margin, margin, margin, margin],
    legend: { show: false },
    axes: [{ show: false }, { show: false }],
    scales: { x: { time: false, range: () => [range[0], range[1]] }, y: { range: () => [range[2], range[3]] } },
    cursor: { y: false, drag: { x: false, y: false }, hover: { skip: [null], prox: 1e6 }, points: { size: 7 } },
    series: [{}, ...lines.map((line, i) => ({
      stroke: (u, at) => styleOf(at).stroke,
      dash: (styleOf(i + 1).strokeDasharray.match(/[\d.]+/g) || []).map((length) => length * devicePixelRatio),
      width: 2,
      spanGaps: true,
      points: { show: (u, i) => lines[i - 1].points.length === 1, size: 6 },
    }))],
    hooks: { setCursor: [showReadout] },
  }, alignLines(lines), picture.parentElement);
  chart.root.setAttribute("aria-hidden", "true"); // the picture has the label
  chart.over.append(readout);

  function showReadout(u) {
    const { left, idx, idxs } = u.cursor;
    readout.hidden = idx == null || left < 0;
    if (readout.hidden) return;
    const names = [...figure.querySelectorAll(".numbers th")].map((cell) => cell.textContent);
    const swatches = figure.querySelectorAll(".legend .swatch");
    const x = u.data[0][idx];
    const rows = [readoutRow(names[0], Number.isInteger(x) ? x : +x.toPrecision(5))];
    lines.forEach((_, i) => {
      const at = idxs[i + 1];
      if (at != null) rows.push(readoutRow(names[i + 1], u.data[i + 1][at].toFixed(4), swatches[i]));
    });
    readout.replaceChildren(...rows);
    // The readout is beside the pointer, on the side with more room, and inside the window. If the
    // pointer is in the upper half of the chart, the readout is in the lower half, and vice versa.
    const { left: edge, width, height } = u.over.getBoundingClientRect();
    readout.classList.toggle("below", u.cursor.top < height / 2);
    const beside = left > width / 2 ? left - readout.offsetWidth - 12 : left + 12;
    readout.style.left = `${Math.max(Math.min(beside, document.documentElement.clientWidth - edge - readout.offsetWidth - 8), 8 - edge)}px`;
  }

  new ResizeObserver(() => {
    chart.setSize(size());
    chart.setCursor({ left: -10, top: -10 }); // hides it
  }).observe(picture);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart.redraw());

  chart.update = () => {
    lines = readLines(picture);
    range = picture.dataset.chart.split(" ").map(Number);
    chart.setData(alignLines(lines));
  };
  return chart;
}

// readoutRow returns a name and a value, after the swatch of the curve if the legend has one.
function readoutRow(name, value, swatch) {
  const row = document.createElement("p"), text = document.createElement("bdi"), label = document.createElement("span");
  text.className = "name";
  text.textContent = name;
  if (swatch) label.append(swatch.cloneNode(true));
  label.append(text);
  row.append(label, document.createElement("span"));
  row.lastChild.textContent = value;
  return row;
}

// The charts do not delay the first paint, which shows the pictures.
requestAnimationFrame(() => setTimeout(() => showCharts(document)));
document.addEventListener("htmx:afterSwap", ({ detail }) => showCharts(detail.elt.parentElement));
