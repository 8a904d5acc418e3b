package model

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"foretell/internal/onnx"
	"foretell/internal/table/frame"
)

// The names of the tensors of an ONNX model.
const (
	onnxInput         = "features"
	onnxLabel         = "label"
	onnxProbabilities = "probabilities"
)

// The kinds of ONNXFeature.
const (
	ONNXNumber   = "number"
	ONNXCategory = "category"
	ONNXScore    = "score" // the output of a text model
)

// ONNXFeature describes a column of the input of an ONNX model. Missing cells are NaN. The fields
// from Part on have the same meaning as in frame.ColumnSchema.
type ONNXFeature struct {
	Name string `json:"name"`
	// Kind is ONNXNumber, ONNXCategory or ONNXScore. The input for a category is its
	// index in Levels, or len(Levels) for a category that is not in Levels.
	Kind string `json:"kind"`
	// Source is the column of the file from which the input is computed.
	Source   string           `json:"source"`
	Part     frame.Extraction `json:"part,omitempty"`
	DayFirst bool             `json:"dayFirst,omitempty"`
	// YearFirst, Epoch and NeedsTime are set for parts of dates.
	YearFirst bool            `json:"yearFirst,omitempty"`
	Epoch     frame.EpochUnit `json:"epoch,omitempty"`
	NeedsTime bool            `json:"needsTime,omitempty"`
	Unit      string          `json:"unit,omitempty"`
	Comma     bool            `json:"comma,omitempty"`
	Since     string          `json:"since,omitempty"`
	Word      string          `json:"word,omitempty"`
	Separator string          `json:"separator,omitempty"`
	Length    int             `json:"length,omitempty"`
	Levels    []string        `json:"levels,omitempty"`
}

// ONNXFeatures returns the columns of the input of the ONNX model. These are the features of the
// schema except texts, followed by the scores that text models compute. If members use different
// sets of text models, each set adds its own scores. The names are made unique, so a feature's name
// may differ from that in the schema; see makeNamesUnique.
func (m *Model) ONNXFeatures() []ONNXFeature {
	var list []ONNXFeature
	for i := range m.schema.Columns {
		c := &m.schema.Columns[i]
		if c.Kind == frame.Text {
			continue
		}
		feature := ONNXFeature{
			Name: c.Name, Kind: ONNXNumber, Source: c.SourceName(), Part: c.Feature,
			DayFirst: c.DayFirst, YearFirst: c.YearFirst, Epoch: c.Epoch, NeedsTime: c.NeedsTime, Unit: c.Unit, Comma: c.DecimalComma,
			Since: c.Since, Word: c.Word, Separator: c.Separator, Length: c.Length, Levels: c.Levels,
		}
		if c.Kind == frame.Category {
			feature.Kind = ONNXCategory
		}
		list = append(list, feature)
	}
	for set, texts := range m.textModels() {
		for i, column := range texts.columns {
			c := &m.schema.Columns[column]
			for k := range texts.models[i].Features() {
				name := fmt.Sprintf("%s.score.%d", c.Name, k+1)
				if set > 0 {
					name = fmt.Sprintf("%s.model.%d.score.%d", c.Name, set+1, k+1)
				}
				list = append(list, ONNXFeature{Name: name, Kind: ONNXScore, Source: c.SourceName()})
			}
		}
	}
	makeNamesUnique(list)
	return list
}

// makeNamesUnique appends _2, _3 and so on to names that several features have. A feature that has
// the name of its column in the file keeps this name.
func makeNamesUnique(list []ONNXFeature) {
	used := make(map[string]bool, len(list))
	for _, ofFile := range []bool{true, false} {
		for i := range list {
			f := &list[i]
			if isOfFile := f.Name == f.Source && f.Kind != ONNXScore; isOfFile != ofFile {
				continue
			}
			name := f.Name
			for n := 2; used[f.Name]; n++ {
				f.Name = fmt.Sprintf("%s_%d", name, n)
			}
			used[f.Name] = true
		}
	}
}

// WriteONNX writes the model to w in the ONNX format. The input has the columns of ONNXFeatures.
// The outputs are the predicted class and the calibrated probabilities. For a model of more than 2
// GB, WriteONNX returns onnx.ErrTooLarge. Equal models have equal bytes.
func (m *Model) WriteONNX(w io.Writer) error {
	g, features := onnx.NewGraph("foretell"), m.ONNXFeatures()
	x := g.AddInput(onnxInput, len(features))
	members, weights := make([]onnx.Value, len(m.members)), make([]float64, len(m.members))
	for i, one := range m.members {
		inner, selected := UnwrapFeatures(one.Predictor)
		g.SetScope(one.Algorithm.Name)
		members[i] = inner.AddONNX(g, m.onnxColumns(g, x, selected))
		if weights[i] = 1; len(m.members) > 1 {
			weights[i] = float64(float32(one.Weight))
		}
	}
	g.SetScope("")
	p := g.WeightedSum(members, weights)
	if m.temperature > 0 {
		p = g.PowerNormalized(p, 1/float64(m.temperature))
	}
	m.addONNXOutputs(g, g.ToFloat32(p))
	metadata, err := m.onnxMetadata(features)
	if err != nil {
		return err
	}
	return (&onnx.Model{
		Graph:       g,
		Description: fmt.Sprintf("Predicts the class of %q. The columns of the input are described by the metadata property foretell.features.", m.schema.Label),
		Metadata:    metadata,
	}).Write(w)
}

// onnxColumns returns the columns of the input x on which a member with the given
// features was trained. features may be nil.
func (m *Model) onnxColumns(g *onnx.Graph, x onnx.Matrix, features *Features) onnx.Matrix {
	plain := m.schema.NonTextColumns()
	selected := firstColumns(len(m.schema.Columns))
	if features != nil {
		selected = features.Columns
	}
	var columns []int
	for _, column := range selected {
		at, known := slices.BinarySearch(plain, column)
		if !known {
			g.RecordError(fmt.Errorf("the model uses the texts of the column %q directly, which cannot be written as ONNX", m.schema.Columns[column].Name))
		}
		columns = append(columns, at)
	}
	first := len(plain)
	for _, texts := range m.textModels() {
		size := 0
		for _, model := range texts.models {
			size += model.Features()
		}
		for k := range size {
			if features != nil && texts == features.texts {
				columns = append(columns, first+k)
			}
		}
		first += size
	}
	if len(columns) == x.Columns && slices.IsSorted(columns) {
		return x
	}
	return onnx.Matrix{Value: g.SelectColumns(x.Value, columns), Columns: len(columns)}
}

// firstColumns returns the columns 0 … n-1.
func firstColumns(n int) []int32 {
	columns := make([]int32, n)
	for i := range columns {
		columns[i] = int32(i)
	}
	return columns
}

// addONNXOutputs adds the outputs: the predicted class and p, the probabilities as float32.
func (m *Model) addONNXOutputs(g *onnx.Graph, p onnx.Value) {
	votes := p
	if m.weights != nil {
		votes = g.Op("Mul", g.ToFloat64(p), g.ConstFloat64s(m.weights, len(m.weights)))
	}
	class := g.OpWithAttributes("ArgMax", []onnx.Attribute{onnx.IntAttribute("axis", 1), onnx.IntAttribute("keepdims", 0)}, votes)
	g.AddOutput(onnxLabel, g.Op("Gather", g.ConstStrings(m.schema.Classes), class), onnx.String, 0)
	g.AddOutput(onnxProbabilities, g.Op("Min", p, g.ToFloat32(g.ScalarFloat64(1))), onnx.Float32, m.classes())
}

// onnxMetadata returns the metadata properties of the ONNX model: the features and the classes as
// JSON, the name of the label column and the name of the algorithm.
func (m *Model) onnxMetadata(features []ONNXFeature) (list []onnx.Metadata, err error) {
	for _, property := range []struct {
		key   string
		value any
	}{
		{"features", features}, {"classes", m.schema.Classes},
	} {
		text, err := json.Marshal(property.value)
		if err != nil {
			return nil, err
		}
		list = append(list, onnx.Metadata{Key: "foretell." + property.key, Value: string(text)})
	}
	return append(list, onnx.Metadata{Key: "foretell.label", Value: m.schema.Label}, onnx.Metadata{Key: "foretell.algorithm", Value: m.algorithm}), nil
}
