package preflight

import (
	"context"
	"os"

	"foretell/internal/roles"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/result"
)

// InferFromResult infers how a blind file, which is in Train, was read for the prediction whose result is
// at path. The columns of the result before the prediction are those of the blind file: the ID first, and
// the label, if there is one, last.
func (p *Preflight) InferFromResult(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	rec, err := csvfile.NewReader(file, ',').Read()
	if err != nil {
		return nil // the verification of the result reports the error
	}
	var names []string
	for _, field := range rec.Fields {
		names = append(names, string(field))
	}
	if at := result.PredictionColumn(names); at > 1 {
		names = names[:at]
		p.modelColumns = roles.TrainingFile{ID: names[0], Features: names[1:], Unused: names[1:], Label: names[at-1]}
	}
	return p.InferRolesAndLayouts(ctx)
}
