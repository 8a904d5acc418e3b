package dashboard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/humanize"
	"foretell/internal/roles"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/repair"
)

const (
	// sampleBytes is how much of a file is read to choose the columns of the row IDs and the label.
	sampleBytes = 1 << 20
	// generatedID is a value of the form field for the column of row IDs. It means that no column
	// has the row IDs, and that the rows are numbered.
	generatedID = "-"
	// maxListedColumns is the maximum number of columns that a form lists.
	maxListedColumns = 2000
	// convertedName is the stored name of a file that was converted during the upload. Receipts
	// have this name instead of the name of the visitor's file, because their digest is that of the
	// converted bytes.
	convertedName = "data.csv"
)

// fileSample describes a CSV file by its beginning.
type fileSample struct {
	delimiter byte
	// size is the size of the file, or of its beginning if the file is larger.
	size int
	// names are the column names in the header. It is empty if the header cannot be read.
	names []string
	// description describes the columns. It has no rows if the names of the columns are not unique,
	// or if the first row looks like data. The service then rejects the file and reports the
	// reason.
	description *roles.Description
}

// readSample describes a file. text is the beginning of the file, or the whole file if
// isWhole is true. wanted has the same meaning as in [roles.Describe].
func readSample(ctx context.Context, text []byte, isWhole bool, wanted func(name string) bool) (*fileSample, error) {
	probe := text[:min(len(text), csvfile.DelimiterSampleBytes)]
	s := &fileSample{size: len(text), delimiter: csvfile.FindDelimiter(probe, !isWhole || len(probe) < len(text)), description: roles.NewDescription(nil)}
	open := func() (io.Reader, error) {
		return repair.Normalize(bytes.NewReader(text), repair.Layout{Delimiter: s.delimiter})
	}
	header, err := open()
	if err == nil {
		s.names, err = roles.ReadHeader(header)
	}
	if err != nil || !bytes.ContainsAny(text, "\r\n") {
		s.names = nil
		return s, nil //nolint:nilerr // the service will report the defect of the file
	}
	s.description = roles.NewDescription(s.names)
	rows, err := open()
	if _, renamed := roles.UniqueNames(s.names); err != nil || len(renamed) > 0 {
		return s, nil //nolint:nilerr // as above
	}
	described, err := roles.Describe(ctx, rows, s.names, wanted)
	if err == nil && !described.LooksHeaderless {
		s.description = described
	}
	return s, err
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

// chooseColumns chooses the columns of the row IDs and of the label by the rules of the command line,
// unless the form names them. It returns nil if the header cannot be read.
func (s *fileSample) chooseColumns(form *datasetForm) (*chosenColumns, error) {
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
	layout.SetRoles(s.names, chosen.ID, chosen.GeneratedID, chosen.Label)
	return layout, nil
}

// blindLayout returns how a blind file for a model of the dataset d is rewritten so that the row IDs are
// in its first column. If no column has row IDs, the rows are numbered, as on the command line.
func (s *fileSample) blindLayout(d *api.Dataset) repair.Layout {
	layout := repair.Layout{Delimiter: s.delimiter, Blind: true}
	if s.description.Rows == 0 || len(d.Columns) == 0 {
		return layout
	}
	known := roles.TrainingFile{ID: d.IDName, Label: d.LabelName}
	for i := range d.Columns {
		known.Features = append(known.Features, d.Columns[i].Name)
	}
	id := roles.ChooseBlindID(s.description, known, roles.Options{})
	layout.SetRoles(s.names, id.ID, id.Generated, "")
	return layout
}

// convertedFile is an uploaded file that was converted to the canonical form.
type convertedFile struct {
	client.Source
	defect *atomic.Pointer[csvfile.Defect]
}

// convertFile returns the file of the form as the source of an upload. It reads the beginning of the file
// and calls layout, which returns how the file is rewritten while it is read. The source can be read
// only once.
func (f *fileForm) convertFile(ctx context.Context, wanted func(name string) bool, layout func(*fileSample) (repair.Layout, error)) (*convertedFile, error) {
	file, beginning, isWhole, err := peekSample(f.file)
	if err != nil {
		return nil, err
	}
	if err := checkIsCSV(beginning); err != nil {
		return nil, err
	}
	sample, err := readSample(ctx, beginning, isWhole, wanted)
	if err != nil {
		return nil, err
	}
	shape, err := layout(sample)
	if err != nil {
		return nil, err
	}
	normalized, err := repair.Normalize(file, shape)
	if err != nil {
		return nil, fileProblem(err)
	}
	out := &convertedFile{Source: client.Source{Name: f.fileName, Size: -1}, defect: &atomic.Pointer[csvfile.Defect]{}}
	if !normalized.IsUnchanged() {
		out.Name = convertedName
	}
	out.Open = func() (io.ReadCloser, error) { return io.NopCloser(defectReader{normalized, out.defect}), nil }
	return out, nil
}

// peekSample returns the first sampleBytes of src, and a reader of the whole file. The result
// isWhole reports whether the file has no more bytes.
func peekSample(src io.Reader) (file *bufio.Reader, beginning []byte, isWhole bool, err error) {
	file = bufio.NewReaderSize(src, sampleBytes)
	beginning, err = file.Peek(sampleBytes)
	if isWhole = errors.Is(err, io.EOF); err != nil && !isWhole {
		return nil, nil, false, api.NewProblem(api.CodeMalformed, "the upload was interrupted: send the form again").WithCause(err)
	}
	return file, beginning, isWhole, nil
}

// csvDescription describes a CSV to people who have chosen another kind of file.
const csvDescription = "a CSV has a header and a row for each example, with commas between the columns"

// checkIsCSV returns a problem if a file with this beginning cannot be a CSV, so that nothing is
// created for it. The service would reject the file, too.
func checkIsCSV(beginning []byte) error {
	if defect := csvfile.FindFileType(beginning); defect != nil {
		return api.NewFieldProblem("file", "%s", defect.Message)
	}
	if len(beginning) == 0 {
		return api.NewFieldProblem("file", "the file is empty: %s", csvDescription)
	}
	return nil
}

// uploadError returns err, the error of an upload of f. If a defect of the file ended the upload,
// uploadError returns the problem with this defect instead.
func (f *convertedFile) uploadError(err error) error {
	if defect := f.defect.Load(); err != nil && defect != nil {
		return fileProblem(defect)
	}
	return err
}

// fileProblem converts a defect of the file to a problem about the form field `file`. It returns
// any other err unchanged.
func fileProblem(err error) error {
	var defect *csvfile.Defect
	if errors.As(err, &defect) {
		return api.NewFieldProblem("file", "%s", defect.Error()).WithCause(err)
	}
	return err
}

// defectReader reads a file and keeps the defect that ends it.
type defectReader struct {
	io.Reader
	defect *atomic.Pointer[csvfile.Defect]
}

// Read implements io.Reader.
func (r defectReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	var defect *csvfile.Defect
	if errors.As(err, &defect) {
		r.defect.Store(defect)
	}
	return n, err
}

// showColumns responds with the fields for the label and the row IDs in the form to upload a
// dataset. The script of the page sends the beginning of the chosen file. The fields list the
// columns of this file.
func (p *Pages) showColumns(v *visit) error {
	form, err := readFileForm(v.r, maxFormBytes)
	if err != nil {
		return err
	}
	var data datasetsPage
	if form.file != nil {
		_, beginning, isWhole, err := peekSample(form.file)
		if err != nil {
			return err
		}
		sample, err := readSample(v.r.Context(), beginning, isWhole && form.values["whole"] != "", nil)
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

// columnsFromForm sets ID and Label to the values of a form that was sent.
func (f *datasetForm) columnsFromForm(form *fileForm) {
	f.ID, f.Label = strings.TrimSpace(form.values["id"]), strings.TrimSpace(form.values["label"])
}
