// Package receipt writes and reads the document that lies beside a result CSV:
// what it was made from, by which model, how good that was measured to be, and
// sums by which a change of a single byte shows, a year later and without a
// service.
//
// A receipt tells of accidents. It is not signed: who can change the result on
// purpose can change the receipt, too.
package receipt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"foretell/internal/api"
)

// Version is the version of the document that this package writes and reads.
const Version = 1

// Path is where the receipt of a result lies. That of a link is beside the file
// that the link leads to.
func Path(result string) string {
	if end, err := filepath.EvalSymlinks(result); err == nil {
		result = end
	}
	return result + ".receipt.json"
}

// Receipt is the document. What is not known is left out.
type Receipt struct {
	Version   int    `json:"receipt"`
	CreatedOn string `json:"createdOn"`
	Result    Result `json:"result"`
	// Training and Blind are the files as they lay on the user's disk.
	Training *Input `json:"training,omitempty"`
	Blind    *Input `json:"blind,omitempty"`
	// Options are how both were read.
	Options *Options `json:"options,omitempty"`
	// Classes are the labels in the order of the result's columns.
	Classes       []string `json:"classes,omitempty"`
	PredictionKey string   `json:"predictionKey,omitempty"`
	Model         Model    `json:"model"`
	Performance   *Metrics `json:"performance,omitempty"`
	// Race is how the model was trained; nil where the service does not tell.
	Race    *Race   `json:"race,omitempty"`
	Binary  Binary  `json:"binary"`
	Service Service `json:"service"`
}

// Result is the file that the receipt is for.
type Result struct {
	Name string `json:"name"`
	Digest
	Rows   int          `json:"rows"`
	Blocks BlockDigests `json:"blocks"`
	// Columns are those that were kept of a result; nil for all. What was
	// predicted is then proved by the sums alone.
	Columns []string `json:"columns,omitempty"`
	// Selection is what was chosen for them, as --columns takes it.
	Selection string `json:"picked,omitempty"`
}

// Digest tells one file from any other.
type Digest struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Input is a table that went in.
type Input struct {
	// Name is that of its file, or what several files were called by.
	Name string `json:"name"`
	// Files are the names of several files, in the order in which they were read.
	// Sum is then of their bytes one behind the other.
	Files []string `json:"files,omitempty"`
	Digest
	Rows int `json:"rows,omitempty"` // 0 for a file that is no table
}

// FileNames are the names of the files that the table was read from.
func (in *Input) FileNames() []string {
	if in.Files != nil {
		return in.Files
	}
	return []string{in.Name}
}

// Options are how the blind file was read, where it differs from the contract's
// shape: by flags, or by what was understood without any.
type Options struct {
	Label     string   `json:"label,omitempty"`
	ID        string   `json:"id,omitempty"`
	Drop      []string `json:"drop,omitempty"`
	Delimiter string   `json:"delimiter,omitempty"`
	Encoding  string   `json:"encoding,omitempty"`
	Sheet     string   `json:"sheet,omitempty"`
	// MadeID is the name of the ID column if the IDs were made.
	MadeID string `json:"madeId,omitempty"`
	// NoHeader tells that the file has no header row.
	NoHeader bool `json:"noHeader,omitempty"`
	// Names are those by which the columns were read, if not those of the header.
	Names []string `json:"names,omitempty"`
}

// Model is what predicted.
type Model struct {
	ModelKey       string           `json:"modelKey,omitempty"`
	Version        int              `json:"version,omitempty"`
	DatasetKey     string           `json:"datasetKey,omitempty"`
	TrainingJobKey string           `json:"trainingJobKey,omitempty"`
	Algorithm      string           `json:"algorithm,omitempty"`
	Blend          []api.BlendShare `json:"blend,omitempty"`
	Seed           *int64           `json:"seed,omitempty"`
	// File is the model file that predicted without a service.
	File *Input `json:"file,omitempty"`
}

// Metrics is how good the model was measured to be.
type Metrics struct {
	// Metric is what the race was run for.
	Metric string `json:"metric,omitempty"`
	// Rows counts the labelled rows.
	Rows       int64  `json:"rows,omitempty"`
	Validation *Score `json:"validation,omitempty"`
	Test       *Score `json:"test,omitempty"`
}

// Race is how a model was trained: the same data, options and seed give the same
// model.
type Race struct {
	Metric string `json:"metric,omitempty"`
	// Threshold is nil if none was given.
	Threshold     *float64 `json:"threshold,omitempty"`
	ScalingFactor int      `json:"scalingFactor,omitempty"`
	Buckets       int      `json:"buckets,omitempty"`
	Algorithms    []string `json:"algorithms,omitempty"`
	// Outcome is how it ended, as the service says.
	Outcome string `json:"outcome,omitempty"`
}

// Flags are the flags of `foretell run` that ask for such a race.
func (r *Race) Flags() []string {
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
	return flags
}

// Score is the performance on some rows.
type Score struct {
	Rows  int64   `json:"rows,omitempty"`
	Value float64 `json:"value"`
	// Scores holds every figure, nil where the service has no report.
	Scores *api.Scores `json:"scores,omitempty"`
}

// Binary is the program that wrote the result.
type Binary struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Service is who learnt and predicted.
type Service struct {
	// Address is the service's, or "embedded".
	Address string `json:"address"`
	Version string `json:"version,omitempty"`
}

// Embedded is the address of the service inside the program, NoService stands
// where a model file predicted.
const (
	Embedded  = "embedded"
	NoService = "none"
)

// Encode writes the document.
func (r *Receipt) Encode() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	return append(b, '\n'), err
}

// ErrDamaged is wrapped by the error for a receipt that cannot be parsed, ErrNewer
// by that for one of a later version than Form.
var (
	ErrDamaged = errors.New("the receipt is damaged")
	ErrNewer   = errors.New("the receipt is of a newer version")
)

// Read reads a receipt. The error wraps fs.ErrNotExist if it does not exist.
func Read(path string) (*Receipt, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Receipt{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	switch {
	case r.Version > Version:
		return nil, fmt.Errorf("%w: %d; this program reads up to %d", ErrNewer, r.Version, Version)
	case r.Version < 1 || r.Result.SHA256 == "" || !r.Result.Blocks.valid():
		return nil, fmt.Errorf("%w: it lacks the sums of a result", ErrDamaged)
	}
	return r, nil
}

// Missing reports whether an error of Read says that there is no receipt.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// NewScore picks a metric of a report's scores; rows are those behind them.
func NewScore(metric string, scores *api.Scores, rows int64) *Score {
	if rows == 0 {
		return nil
	}
	value, known := scores.Value(metric)
	if !known {
		return nil
	}
	return &Score{Rows: rows, Value: value, Scores: scores}
}
