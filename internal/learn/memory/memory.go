// Package memory estimates how much memory a race needs.
package memory

import (
	"foretell/internal/learn/model"
	"foretell/internal/learn/screen"
	"foretell/internal/learn/smooth"
	"foretell/internal/learn/split"
	"foretell/internal/learn/text"
	"foretell/internal/table/frame"
)

// Shape is the size of a training table. Features is the number of columns of the schema. Texts is
// the number of columns that hold texts. Levels is the number of levels of all categorical columns.
// TextBytes is the size of all texts, in bytes. CellSize is the mean size of a cell of the CSV file
// with its comma, in bytes.
type Shape struct {
	Rows, Features, Levels, Classes, Texts int
	TextBytes                              int64
	CellSize                               float64
}

// NewShape returns the shape of a table of the given number of rows. fileBytes is the size
// of its CSV file. TextBytes is set to an upper bound: fileBytes minus the smallest possible size
// of the columns that are not texts. If there are texts, the sizes of the other cells are unknown,
// so CellSize is set to maxCellSize.
func NewShape(rows int, fileBytes int64, schema *frame.Schema) Shape {
	s := Shape{Rows: rows, Features: len(schema.Columns), Texts: len(schema.TextColumns()), Classes: len(schema.Classes), CellSize: maxCellSize}
	for _, c := range schema.Columns {
		s.Levels += len(c.Levels)
	}
	columns := len(schema.SourceColumns())
	if s.Texts > 0 {
		s.TextBytes = max(fileBytes-int64(rows)*int64(columns-s.Texts)*minCellBytes, 0)
	} else if rows > 0 {
		s.CellSize = min(float64(fileBytes)/float64(rows)/float64(columns+2), maxCellSize) // with the ID and the label
	}
	return s
}

// ProcessBytes is the memory of the process without a race, in bytes. Every estimate is larger.
const ProcessBytes = 90e6

// The coefficients of Estimate, in bytes. They were fitted to measured peaks; see
// docs/benchmarks.md.
const (
	// featureBytes is the memory for each feature: statistics, histograms and parameters.
	featureBytes = 45e3
	// A cell of n bytes in the CSV file, with n limited to maxCellSize, takes
	// cellFactor·n-cellOffset bytes of memory, but at least minCellMemory. This includes the frame,
	// the bins, and memory that the garbage collector has not freed yet.
	cellFactor    = 1.33
	cellOffset    = 2.3
	minCellMemory = 2
	maxCellSize   = 10
	// scoreCellBytes is the memory for each score of each text.
	scoreCellBytes = 8
	// probabilityBytes is the memory per algorithm, validation row and class: the probabilities of
	// the current step and of the best step.
	probabilityBytes = 8
	// sharedProbabilityBytes is the memory per validation row and class that the algorithms share:
	// the probabilities of the blend and of the calibration.
	sharedProbabilityBytes = 12
	// minCellBytes is the size of an empty cell of a CSV with its comma.
	minCellBytes = 1
	// textHeaderBytes is the memory for each text, besides its bytes.
	textHeaderBytes = 16
	// garbageFactor multiplies the size of texts to account for memory that the garbage collector
	// has not freed yet. The garbage collector starts after the memory has grown by 30 %.
	garbageFactor = 1.3
	// screeningFactor multiplies the memory for the selected features of a row if features are
	// screened, because each fold then has its own bins.
	screeningFactor = 3
)

// memoryCost is the memory that an algorithm needs, in bytes:
//   - score for each class, row and fold: scores and gradients of boosting, or votes of a
//     forest
//   - cell for each feature of each row: copies of the bins
type memoryCost struct{ score, cell float64 }

// memoryCosts holds the costs by the name of the algorithm without its first letter, B or M.
var memoryCosts = map[string]memoryCost{"SIX01": {6, 3}, "SEV02": {7, 1}, "FIF01": {4, 1}, "SEV01": {}}

// Estimate returns the estimated peak memory, in bytes, of a race of the named
// algorithms on a table of shape s. It includes the table and the process.
func Estimate(s Shape, algorithms []string) int64 {
	rows, features, classes := float64(s.Rows), float64(s.Features), float64(s.Classes)
	folds, validation := split.EstimatePlanSize(s.Rows)
	cells := rows * features
	if s.Features > screen.MaxFeatures {
		cells = rows * screen.MaxFeatures * screeningFactor
	}
	bytes := ProcessBytes + features*featureBytes + rows*features*cellMemory(s.CellSize) + float64(validation)*classes*sharedProbabilityBytes
	if s.Texts > 0 {
		// The estimate includes the corpora and the models of all text columns, although only one
		// column is trained at a time. Each fold has its own scores, in the frame and in the bins;
		// so do the merged folds of some algorithms.
		scores := float64(text.NumFeatures(s.Classes) * s.Texts)
		texts := text.EstimateMemory(s.Rows, s.TextBytes/int64(s.Texts), s.Classes, text.MaxParts)
		bytes += float64(s.Texts)*float64(texts) + float64(2*folds+1)*rows*scores*(scoreCellBytes+2)
		bytes += garbageFactor * (float64(s.TextBytes) + rows*float64(s.Texts)*textHeaderBytes)
	}
	for _, name := range algorithms {
		name = model.BaseName(name)
		cost := memoryCosts[name]
		bytes += float64(validation)*classes*probabilityBytes + float64(folds)*rows*classes*cost.score + cells*cost.cell
		if name == model.SEV01.Name && s.Texts == 0 && s.Features <= screen.MaxFeatures {
			bytes += smooth.EstimateMemory(s.Rows, s.Features, s.Levels, s.Classes)
		}
	}
	return int64(bytes)
}

// cellMemory returns the memory for each feature of each row, in bytes, if the cells of the
// CSV file have the given mean size.
func cellMemory(size float64) float64 {
	return max(cellFactor*size-cellOffset, minCellMemory)
}
