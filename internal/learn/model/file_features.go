package model

import (
	"slices"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/text"
	"foretell/internal/table/frame"
)

// textModels returns the distinct sets of text models that the members use, in the order
// of the members.
func (m *Model) textModels() []*textModels {
	var list []*textModels
	for _, one := range m.members {
		_, features := UnwrapFeatures(one.Predictor)
		if features != nil && features.texts != nil && !slices.Contains(list, features.texts) {
			list = append(list, features.texts)
		}
	}
	return list
}

// textModelsIndex returns the index of features.texts in list, or -1 if features is nil
// or has no text models.
func textModelsIndex(list []*textModels, features *Features) int {
	if features == nil {
		return -1
	}
	return slices.Index(list, features.texts)
}

// writeTextModels passes the binary forms of the text models in list to put, one model at
// a time.
func writeTextModels(put func(parts ...[]byte) error, list []*textModels) error {
	for _, set := range list {
		for _, model := range set.models {
			encoded, err := model.AppendBinary(nil)
			if err != nil {
				return err
			}
			var size codec.Writer
			size.Uint32(uint32(len(encoded)))
			if err := put(size.Data(), encoded); err != nil {
				return err
			}
		}
	}
	return nil
}

// readTextModels reads the sets of text models in a file of the given version. A set contains one
// model for each text column of the schema.
func readTextModels(r *codec.Reader, version uint16, schema *frame.Schema) []*textModels {
	if version < versionTexts || r.Err() != nil {
		return nil
	}
	columns := schema.TextColumns()
	list := make([]*textModels, r.Count32(4))
	if len(list) > 0 && len(columns) == 0 {
		r.Fail("text models without a column of texts")
	}
	for i := range list {
		if list[i] = readTextModelsOf(r, columns, len(schema.Classes)); list[i] == nil {
			return nil
		}
	}
	return list
}

// readTextModelsOf reads the text models of the given columns. It returns nil after an error.
func readTextModelsOf(r *codec.Reader, columns []int32, classes int) *textModels {
	m := &textModels{columns: columns}
	for range columns {
		encoded := r.Next(r.Count32(1))
		if r.Err() != nil {
			return nil
		}
		model, err := text.ReadModel(encoded)
		if err != nil {
			r.FailWith(err)
			return nil
		}
		if model.Classes() != classes {
			r.Fail("a text model and the schema have different numbers of classes")
		}
		m.models = append(m.models, model)
	}
	return m
}

// withTexts sets the text models of features and returns features. If features is nil, it returns
// new features with only the text models.
func withTexts(features *Features, texts *textModels) *Features {
	if features == nil {
		features = &Features{}
	}
	features.texts = texts
	return features
}

// writeFeatureColumns writes the column indices of features, but not its text models. features may
// be nil.
func writeFeatureColumns(w *codec.Writer, features *Features) {
	if features == nil {
		w.Uint32(0)
		return
	}
	w.Uint32(uint32(len(features.Columns)))
	for _, i := range features.Columns {
		w.Uint32(uint32(i))
	}
}

// readFeatureColumns reads what writeFeatureColumns has written: ascending column indices. It
// returns nil if there are no indices. columnCount is the number of columns of the schema.
func readFeatureColumns(r *codec.Reader, columnCount int) *Features {
	n := r.Count32(4)
	if n == 0 {
		return nil
	}
	features := &Features{Columns: make([]int32, n)}
	for i := range features.Columns {
		at := r.Uint32()
		if at >= uint32(columnCount) || i > 0 && int32(at) <= features.Columns[i-1] {
			r.Fail("invalid column")
			return nil
		}
		features.Columns[i] = int32(at)
	}
	return features
}
