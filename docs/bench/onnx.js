// Predicts with ONNX Runtime: node onnx.js MODEL.onnx FEATURES.csv OUT.tsv, see onnx.py.
const fs = require('fs');
const ort = require(process.env.ONNXRUNTIME || 'onnxruntime-node');

async function main([model, features, target]) {
  const session = await ort.InferenceSession.create(model);
  const lines = fs.readFileSync(features, 'utf8').trimEnd().split('\n').slice(1);
  const out = [];
  for (let at = 0; at < lines.length; at += 1000) {
    // The ID has no comma in these sets. An empty cell is missing.
    const rows = lines.slice(at, at + 1000).map(line => line.split(',').slice(1).map(cell => cell === '' ? NaN : Number(cell)));
    const input = new ort.Tensor('float64', Float64Array.from(rows.flat()), [rows.length, rows[0].length]);
    const { label, probabilities } = await session.run({ features: input });
    const classes = probabilities.dims[1];
    for (let i = 0; i < rows.length; i++) {
      out.push([label.data[i], ...probabilities.data.subarray(i * classes, (i + 1) * classes)].join('\t'));
    }
  }
  fs.writeFileSync(target, out.join('\n') + '\n');
}

main(process.argv.slice(2)).catch(error => { console.error(String(error)); process.exit(1); });
