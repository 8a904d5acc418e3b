package dashboard

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/roles"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/repair"
)

const (
	// sampleBytes is how much of a file is read to choose the columns of the row IDs and the label.
	sampleBytes = 1 << 20
	// generatedID is a value of the form field for the column of row IDs. It means that the file
	// has no such column and that the rows are numbered.
	generatedID = "-"
	// maxListedColumns is the maximum number of columns that a form lists.
	maxListedColumns = 2000
)

// fileSample describes a CSV file by its beginning.
type fileSample struct {
	delimiter byte
	// size is the size in bytes of the file without blank rows at its end. If only the beginning of the
	// file was read, size is the size of this beginning.
	size int
	// header holds the names in the header. It is empty if the header cannot be read. names are the
	// same names made unique; the first may be empty.
	header, names []string
	// description describes the columns. If the first row looks like data and not like a header,
	// the description has only the names of the columns; the service will reject such a file and
	// report why.
	description *roles.Description
}

// readSample describes a file. text is the beginning of the file, or the whole file if isWhole is
// true. The description contains cells only for columns that may be the ID or the label: columns
// with a usual position or name, and columns for which wanted returns true. wanted may be nil.
func readSample(ctx context.Context, text []byte, isWhole bool, wanted func(name string) bool) (*fileSample, error) {
	probe := text[:min(len(text), csvfile.DelimiterSampleBytes)]
	s := &fileSample{delimiter: csvfile.FindDelimiter(probe, !isWhole || len(probe) < len(text)), description: roles.NewDescription(nil)}
	if isWhole {
		filled := bytes.TrimRight(text, string(s.delimiter)+"\r\n")
		end, _ := csvfile.FindBlankRows(text[len(filled):])
		text = text[:len(filled)+end]
	}
	s.size = len(text)
	open := func() (io.Reader, error) {
		return repair.Normalize(bytes.NewReader(text), repair.Layout{Delimiter: s.delimiter})
	}
	header, err := open()
	if err == nil {
		s.header, err = roles.ReadHeader(header)
	}
	if err != nil || !bytes.ContainsAny(text, "\r\n") {
		s.header = nil
		return s, nil //nolint:nilerr // the service will report the defect of the file
	}
	s.names, _ = roles.UniqueNames(s.header)
	s.description = roles.NewDescription(s.names)
	rows, err := open()
	if err != nil {
		return s, nil //nolint:nilerr // as above
	}
	described, err := roles.Describe(ctx, rows, s.names, wanted)
	if err == nil && !described.LooksHeaderless {
		described.SetUnnamed(s.header)
		s.description = described
	}
	return s, err
}

// knownName returns the element of known that is equal to value, the value of a form field. Line
// breaks of all kinds count as equal, because browsers send each of them as CR and LF. If no
// element is equal, knownName returns value.
func knownName(value string, known []string) string {
	if slices.Contains(known, value) {
		return value
	}
	for _, name := range known {
		if toLF.Replace(name) == toLF.Replace(value) {
			return name
		}
	}
	return value
}

// toLF replaces line breaks of every kind by LF.
var toLF = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// setNames makes layout rename the columns to names, unless the header already has these names.
func (s *fileSample) setNames(layout *repair.Layout, names []string) {
	if !slices.Equal(names, s.header) {
		layout.Names = names
	}
}

// chosenColumns are the columns of the row IDs and of the label of a training file.
type chosenColumns struct {
	roles.Roles
	// Names are the names of all columns, in file order.
	Names []string
	// Question is set if it is not clear which column is the label.
	Question *roles.Question
}

// IsListed reports whether the form lists all columns to choose from. It does not if there are too
// many.
func (c *chosenColumns) IsListed() bool { return len(c.Names) <= maxListedColumns }

// chooseColumns chooses the columns of the row IDs and of the label as the command line does,
// unless the form names them. It returns nil if the header cannot be read. It replaces Label and ID
// of the form by the names in the file.
func (s *fileSample) chooseColumns(form *datasetForm) (*chosenColumns, error) {
	form.Label, form.ID = knownName(form.Label, s.names), knownName(form.ID, s.names)
	given := roles.Options{Label: form.Label, ID: form.ID}
	if form.ID == generatedID {
		given.ID, given.GenerateID = "", true
	}
	if len(s.names) == 0 {
		return nil, nil //nolint:nilnil // nothing is known
	}
	for _, field := range []struct{ id, column string }{{"label", given.Label}, {"id", given.ID}} {
		if field.column != "" && !slices.Contains(s.names, field.column) {
			return nil, api.NewFieldProblem(field.id, "the file has no column %s%s", csvfile.Excerpt(field.column), csvfile.DidYouMean(field.column, s.names))
		}
	}
	if given.Label != "" && given.Label == given.ID {
		return nil, api.NewFieldProblem("id", "is also the label: name another column, or %s to number the rows", generatedID)
	}
	out := &chosenColumns{Names: s.names}
	out.Roles, out.Question = roles.ChooseRoles(s.description, nil, given)
	return out, nil
}

// trainingLayout returns how a training file is rewritten so that the row IDs are in its first column
// and the labels in the last. It returns a problem if it is not clear which column is the label.
func (s *fileSample) trainingLayout(form *datasetForm) (repair.Layout, error) {
	layout := repair.Layout{Delimiter: s.delimiter}
	if s.size < api.MinUploadBytes {
		return layout, api.NewFieldProblem("file", "the file has only %s, so it is no table: %s", humanize.Count(s.size, "byte"), csvDescription)
	}
	chosen, err := s.chooseColumns(form)
	switch {
	case err != nil:
		return layout, err
	case chosen == nil, s.description.Rows == 0 && form.ID == "" && form.Label == "":
		return layout, nil
	case chosen.Question != nil:
		return layout, api.NewFieldProblem("label", "it is not clear which column is the label: %s. Name the label", chosen.Question.Why)
	}
	names, _ := roles.NameFirstColumn(s.names, chosen.ID, chosen.GeneratedID)
	s.setNames(&layout, names)
	layout.SetRoles(names, chosen.ID, chosen.GeneratedID, chosen.Label)
	return layout, nil
}

// blindLayout returns how a file to predict with a model of the dataset d is rewritten. The row IDs
// become the first column. If no column has row IDs, the rows are numbered. A column is renamed if
// its name differs from a name in the training file only in case or punctuation. The command line
// rewrites files in the same way.
func (s *fileSample) blindLayout(d *api.Dataset) repair.Layout {
	layout := repair.Layout{Delimiter: s.delimiter, Blind: true}
	if s.description.Rows == 0 || len(d.Columns) == 0 {
		return layout
	}
	known := roles.TrainingFile{ID: d.IDName, Label: d.LabelName}
	for i := range d.Columns {
		known.Features = append(known.Features, d.Columns[i].Name)
	}
	names := s.names
	if slices.Contains(known.Features, roles.FirstColumnName) && !slices.Contains(names, roles.FirstColumnName) {
		// The first column of the training file had no name and was a feature.
		names, _ = roles.NameFirstColumn(names, roles.FirstColumnName, false)
		s.description.Columns[0].Name = names[0]
	}
	var renamed []roles.Rename
	names, renamed = roles.MatchTrainingNames(names, append(slices.Clone(known.Features), known.ID))
	for _, column := range renamed {
		s.description.Columns[column.Column].Name = column.To
	}
	id := roles.ChooseBlindID(s.description, known, roles.Options{})
	if id.ID != "" || id.Generated {
		names, _ = roles.NameFirstColumn(names, id.ID, id.Generated)
	}
	s.setNames(&layout, names)
	layout.SetRoles(names, id.ID, id.Generated, "")
	return layout
}

// showColumns responds with the fields for the label and the row IDs in the form to upload a
// dataset. They list the columns of the file that the visitor has chosen. The script of the page
// sends the beginning of this file.
func (p *Pages) showColumns(v *visit) error {
	form, err := readFileForm(v.r, maxFormBytes)
	if err != nil {
		return err
	}
	var data datasetsPage
	if form.file != nil {
		file, err := peekFile(form.file)
		if err != nil {
			return err
		}
		sample, err := readSample(v.r.Context(), file.beginning, file.isWhole && form.values["whole"] != "", nil)
		if err != nil {
			return err
		}
		if data.Columns, err = sample.chooseColumns(&data.Form); err != nil {
			return err
		}
		data.Form.useColumns(data.Columns)
	}
	return p.show(v, statusOf(nil), "datasets", page{Title: "Datasets", Section: "datasets", Data: data})
}

// useColumns sets ID and Label of the form to the chosen columns. If chosen is nil, they stay
// empty.
func (f *datasetForm) useColumns(chosen *chosenColumns) {
	if chosen == nil {
		return
	}
	if f.ID = chosen.ID; chosen.GeneratedID {
		f.ID = generatedID
	}
	if chosen.Question == nil {
		f.Label = chosen.Label
	}
}

// setColumnsFromForm sets ID and Label to the values of a form that was sent.
func (f *datasetForm) setColumnsFromForm(form *fileForm) {
	f.ID, f.Label = strings.TrimSpace(form.values["id"]), strings.TrimSpace(form.values["label"])
}
