package modelfile

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"

	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/learn/model"
	"foretell/internal/onnx"
	"foretell/internal/term"
)

// WriteONNX writes the model file at path as an ONNX model to w; see model.Model.WriteONNX. It
// returns the columns of the model's input. The errors for the model file are the errors of Read.
func WriteONNX(w io.Writer, path string) ([]model.ONNXFeature, error) {
	m, err := Read(path)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	if err := m.WriteONNX(out); err != nil {
		if errors.Is(err, onnx.ErrTooLarge) {
			return nil, exit.Errorf(exit.Rejected, "%w", err).WithHint("export the model with --format python, or train one with fewer trees, such as --algorithm BSIX01")
		}
		return nil, err
	}
	return m.ONNXFeatures(), out.Flush()
}

// StepsOutsideONNX returns a text that lists the steps by which the features are computed
// from a file. The ONNX model does not contain these steps.
func StepsOutsideONNX(features []model.ONNXFeature) string {
	names := map[string][]string{} // by step: names of columns of the file
	for i := range features {
		f := &features[i]
		step := onnxStep(f)
		if name := term.Escape(f.Source); !slices.Contains(names[step], name) {
			names[step] = append(names[step], name)
		}
	}
	var steps []string
	for _, step := range []string{stepNumbers, stepCodes, stepAmounts, stepDates, stepWords, stepItems, stepScores} {
		if list := names[step]; len(list) > 0 && step == stepNumbers {
			steps = append(steps, step)
		} else if len(list) > 0 {
			steps = append(steps, step+" ("+humanize.List(list, 3)+")")
		}
	}
	return strings.Join(steps, ", ")
}

// The steps by which the features are computed from a file, as [StepsOutsideONNX] lists them.
const (
	stepNumbers = "numbers"
	stepCodes   = "codes of categories"
	stepAmounts = "amounts"
	stepDates   = "parts of dates"
	stepWords   = "lengths and words of texts"
	stepItems   = "items of lists"
	stepScores  = "scores of texts"
)

func onnxStep(f *model.ONNXFeature) string {
	switch f.Kind {
	case model.ONNXCategory:
		return stepCodes
	case model.ONNXScore:
		return stepScores
	}
	switch f.Part {
	case "":
		return stepNumbers
	case "amount":
		return stepAmounts
	case "length", "words", "word":
		return stepWords
	case "item", "items":
		return stepItems
	}
	return stepDates
}
