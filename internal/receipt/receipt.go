// Package receipt writes, reads and verifies receipts. A receipt is a JSON file next to a
// result CSV. It describes the inputs, the model and its measured performance. Its
// digests detect the change of a single byte, without a service.
//
// A receipt detects accidental changes only. It is not signed, so anyone who can change the
// result can also change the receipt.
package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/scoring"
	"foretell/internal/symlink"
)

// Version is the newest version of the receipt format.
const Version = 1

// Path returns the path of a result's receipt. If the result is a symbolic link, the receipt
// is next to the target of the link.
func Path(result string) string { return symlink.Resolve(result) + ".receipt.json" }

// Receipt is the content of a receipt, a JSON file that describes how a result was made. Unknown
// values are omitted.
type Receipt struct {
	Version   int    `json:"receipt"`
	CreatedOn string `json:"createdOn"`
	Result    Result `json:"result"`
	// Training and Blind are the input files on the user's disk.
	Training *Input `json:"training,omitempty"`
	Blind    *Input `json:"blind,omitempty"`
	// Options are the options with which the input files were read.
	Options *Options `json:"options,omitempty"`
	// Classes are the labels in the order of the result's columns.
	Classes       []string `json:"classes,omitempty"`
	PredictionKey string   `json:"predictionKey,omitempty"`
	Model         Model    `json:"model"`
	Performance   *Metrics `json:"performance,omitempty"`
	// TrainingOverlap is set if the blind file has the label column and contains training rows.
	TrainingOverlap *scoring.TrainingOverlap `json:"trainingOverlap,omitempty"`
	// Warnings are the warnings about the input files. They are unknown, and therefore missing, in
	// receipts of earlier versions and of results that were downloaded later.
	Warnings []Warning `json:"warnings,omitempty"`
	// Race is how the model was trained; nil if unknown.
	Race    *Race   `json:"race,omitempty"`
	Binary  Binary  `json:"binary"`
	Service Service `json:"service"`
}

// Result describes the result file to which the receipt belongs.
type Result struct {
	Name string `json:"name"`
	Digest
	Rows   int          `json:"rows"`
	Blocks BlockDigests `json:"blocks"`
	// Columns are the columns that --columns selected; nil if it was not set. A result with
	// selected columns is verified by its digests alone.
	Columns []string `json:"columns,omitempty"`
	// Selection is the value of --columns.
	Selection string `json:"picked,omitempty"`
	// Reasons is the number of reasons for each row in the result, before --columns selects
	// columns.
	Reasons int `json:"reasons,omitempty"`
}

// Warning is a warning about an input file, such as numbers in another format than in training.
type Warning struct {
	Code string `json:"code"`
	// File is the name of the file, without its folder in a receipt. Line and Column are 0 if the
	// warning is not about a cell or a column.
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Name is the name of the column or "".
	Name    string `json:"name,omitempty"`
	Message string `json:"message"`
}

// Digest identifies the contents of a file.
type Digest struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Input describes an input: a table in one or several files, or a model file.
type Input struct {
	// Name is the name of the file, or a common name for several files.
	Name string `json:"name"`
	// Files are the names of the files, in order, if there are several. Digest is then the
	// digest of their concatenation.
	Files []string `json:"files,omitempty"`
	Digest
	Rows int `json:"rows,omitempty"` // 0 for a file that is not a table
}

// The names of inputs that are not files, in messages and receipts.
const (
	StdinName = "standard input"
	PipeName  = "a pipe" // such as /dev/fd/63, to which a shell connects the output of a command
)

// InputName returns the name of the input at path: the name of the file, StdinName or PipeName.
func InputName(path string) string {
	switch path {
	case "-", StdinName, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return StdinName
	}
	if strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/") {
		return PipeName
	}
	return filepath.Base(path)
}

// FileNames returns the names of the files.
func (in *Input) FileNames() []string {
	if in.Files != nil {
		return in.Files
	}
	return []string{in.Name}
}

// Options holds the flags with which the input files were read, and the inferred ID and
// label of the blind file. Values that equal the defaults are omitted.
type Options struct {
	Label string `json:"label,omitempty"`
	ID    string `json:"id,omitempty"`
	// GivenID is the value of --id; "" if the ID of the blind file was inferred.
	GivenID string `json:"givenId,omitempty"`
	// TrainingID is the name of the ID column of the training data. If the training file lacks
	// this column, the IDs were generated. It is "" if it is unknown, and in receipts of older
	// versions.
	TrainingID string   `json:"trainingId,omitempty"`
	Drop       []string `json:"drop,omitempty"`
	Delimiter  string   `json:"delimiter,omitempty"`
	Encoding   string   `json:"encoding,omitempty"`
	Sheet      string   `json:"sheet,omitempty"`
	// SkipRows is the number of lines or rows above the header that are ignored.
	SkipRows int `json:"skipRows,omitempty"`
	// MadeID is the name of an ID column that was added; "" if none was added. Its values are
	// generated if the field ID is "-". Otherwise they are copied from the column that ID names.
	MadeID string `json:"madeId,omitempty"`
	// NoHeader is set if the file has no header row.
	NoHeader bool `json:"noHeader,omitempty"`
	// Names are the names of the columns if they differ from the header.
	Names []string `json:"names,omitempty"`
	// Added are the columns that the blind file lacks and that the model does not use. They were
	// added without values.
	Added []string `json:"added,omitempty"`
	// Ignored are the columns of the blind file that have neither a name nor a value.
	Ignored []string `json:"ignored,omitempty"`
}

// Model is the model that predicted.
type Model struct {
	ModelKey       string           `json:"modelKey,omitempty"`
	Version        int              `json:"version,omitempty"`
	DatasetKey     string           `json:"datasetKey,omitempty"`
	TrainingJobKey string           `json:"trainingJobKey,omitempty"`
	Algorithm      string           `json:"algorithm,omitempty"`
	Blend          []api.BlendShare `json:"blend,omitempty"`
	Seed           *int64           `json:"seed,omitempty"`
	// File is the model file of a prediction without a service.
	File *Input `json:"file,omitempty"`
}

// Metrics is the performance of the model, measured on validation and test rows.
type Metrics struct {
	// Metric is the metric of the race.
	Metric string `json:"metric,omitempty"`
	// Rows is the number of labelled rows.
	Rows       int64  `json:"rows,omitempty"`
	Validation *Score `json:"validation,omitempty"`
	Test       *Score `json:"test,omitempty"`
	// PRAUCClass is the class whose average precision is prAuc. It is "" if the model has more than
	// two classes, and in receipts of earlier versions.
	PRAUCClass string `json:"prAucClass,omitempty"`
}

// Race holds the options with which a model was trained. The same data, options and seed
// produce the same model.
type Race struct {
	Metric string `json:"metric,omitempty"`
	// Threshold is nil if no threshold was set.
	Threshold     *float64 `json:"threshold,omitempty"`
	ScalingFactor int      `json:"scalingFactor,omitempty"`
	Buckets       int      `json:"buckets,omitempty"`
	Algorithms    []string `json:"algorithms,omitempty"`
	GroupColumn   string   `json:"groupColumn,omitempty"`
	TimeColumn    string   `json:"timeColumn,omitempty"`
	// Effort is how much the race trained; "" is the default.
	Effort string `json:"effort,omitempty"`
	// ClassWeights are the class weights of the race; the zero value is equal weights.
	ClassWeights api.ClassWeights `json:"classWeights,omitzero"`
	// Monotone are the monotone columns of the race.
	Monotone api.Monotone `json:"monotone,omitempty"`
	// TimeLimitSeconds is the time limit of the race; 0 in receipts of earlier versions.
	TimeLimitSeconds int `json:"timeLimitSeconds,omitempty"`
	// Features are the feature columns of the training data, without columns that were excluded
	// with --drop. They are nil if the receipt describes the training file, because Options then
	// has the excluded columns. They are also nil in receipts of earlier versions.
	Features []string `json:"features,omitempty"`
	// Outcome is how the race ended.
	Outcome string `json:"outcome,omitempty"`
	// RefitInterrupted reports whether the time limit or the user ended the training on all labelled
	// rows early. It is false in receipts of earlier versions.
	RefitInterrupted bool `json:"refitInterrupted,omitempty"`
}

// RunFlags returns the flags of `foretell run` that repeat the race, except --seed and the time limit.
func (r *Race) RunFlags() []string {
	var flags []string
	if r.Metric != "" {
		flags = append(flags, "--metric", r.Metric)
	}
	if r.Threshold != nil {
		flags = append(flags, "--threshold", strconv.FormatFloat(*r.Threshold, 'g', -1, 64))
	}
	if r.ScalingFactor > 0 {
		flags = append(flags, "--scaling-factor", strconv.Itoa(r.ScalingFactor))
	}
	if r.Buckets > 0 {
		flags = append(flags, "--buckets", strconv.Itoa(r.Buckets))
	}
	if len(r.Algorithms) > 0 {
		flags = append(flags, "--algorithm", strings.Join(r.Algorithms, ","))
	}
	if r.GroupColumn != "" {
		flags = append(flags, "--group", r.GroupColumn)
	}
	if r.TimeColumn != "" {
		flags = append(flags, "--time", r.TimeColumn)
	}
	if r.Effort != "" {
		flags = append(flags, "--effort", r.Effort)
	}
	if !r.ClassWeights.IsZero() {
		flags = append(flags, "--class-weight", r.ClassWeights.String())
	}
	return append(flags, r.Monotone.Flags()...)
}

// Score is the performance on a set of rows.
type Score struct {
	Rows  int64   `json:"rows,omitempty"`
	Value float64 `json:"value"`
	// Scores has every metric; nil if the service has no report.
	Scores *api.Scores `json:"scores,omitempty"`
}

// Binary is the program that wrote the result.
type Binary struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Service is the service that trained and predicted.
type Service struct {
	// Address is the URL of the service, Embedded or NoService.
	Address string `json:"address"`
	Version string `json:"version,omitempty"`
}

// Embedded is the address of the embedded service. NoService is the address in the receipt
// of a prediction with a model file.
const (
	Embedded  = "embedded"
	NoService = "none"
)

// Encode returns the receipt as JSON.
func (r *Receipt) Encode() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	return append(b, '\n'), err
}

// The errors of Read. ErrDamaged means that the receipt is invalid, and ErrNewer that its version
// is newer than Version. ErrNoReceipt means that the file was never a receipt; for example, it is a
// result. ErrNoReceipt wraps ErrDamaged.
var (
	ErrDamaged         = errors.New("the receipt is damaged")
	ErrNewer           = errors.New("the receipt has a newer version")
	ErrNoReceipt error = noReceiptError{}
)

// noReceiptError is the type of ErrNoReceipt.
type noReceiptError struct{}

// Error implements error.
func (noReceiptError) Error() string { return "the file is not a receipt" }

// Is reports whether target is ErrDamaged.
func (noReceiptError) Is(target error) bool { return target == ErrDamaged }

// Read reads a receipt. If there is no such file, the error wraps fs.ErrNotExist.
func Read(path string) (*Receipt, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(b)
}

// Parse decodes the contents of a receipt. It returns the same errors as Read.
func Parse(b []byte) (*Receipt, error) {
	r := &Receipt{}
	if !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return nil, ErrNoReceipt
	}
	var wrongType *json.UnmarshalTypeError
	switch err := json.Unmarshal(b, r); {
	case errors.As(err, &wrongType):
		return nil, fmt.Errorf("%w: the value of %s is a %s", ErrDamaged, wrongType.Field, wrongType.Value)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	switch {
	case r.Version == 0 && r.Result.SHA256 == "":
		return nil, ErrNoReceipt
	case r.Version > Version:
		return nil, fmt.Errorf("%w: %d; this program reads up to %d", ErrNewer, r.Version, Version)
	case r.Version < 1 || r.Result.SHA256 == "" || !r.Result.Blocks.isValid():
		return nil, fmt.Errorf("%w: it lacks the digests of the result", ErrDamaged)
	}
	return r, nil
}

// IsMissing reports whether an error of Read means that there is no receipt.
func IsMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// newScore returns the score of a metric that was computed from the given number of rows.
// It returns nil if rows is 0 or the metric is unknown.
func newScore(metric string, scores *api.Scores, rows int64) *Score {
	if rows == 0 {
		return nil
	}
	value, known := scores.Value(metric)
	if !known {
		return nil
	}
	return &Score{Rows: rows, Value: value, Scores: scores}
}
