package modelfile

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode"

	"foretell/internal/learn/model"
)

// pythonParts holds the parts of the Python program.
//
//go:embed python
var pythonParts embed.FS

// pythonPartNames is the order of the parts. The constants of the model follow the last part.
var pythonPartNames = []string{"header", "cells", "dates", "file", "features", "trees", "texts", "boost", "forest", "network", "smooth", "predict"}

// WritePython writes to w a Python program that predicts with the model file at path. The program
// contains the model and requires only NumPy. The errors for the model file are the errors of Read.
func WritePython(w io.Writer, path string) error {
	m, err := Read(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, name := range pythonPartNames {
		part, err := pythonParts.ReadFile("python/" + name + ".py")
		if err != nil {
			return err
		}
		_, _ = out.Write(part) // Flush returns the error
	}
	if err := writePythonConstants(out, m); err != nil {
		return err
	}
	_, _ = out.WriteString("MODEL = \"\"\"\n")
	if err := writeBase64(out, path); err != nil {
		return err
	}
	_, _ = out.WriteString("\"\"\"\n\nif __name__ == \"__main__\":\n    main()\n")
	return out.Flush()
}

// writePythonConstants writes the constants that depend on the model or on this program.
func writePythonConstants(w io.Writer, m *model.Model) error {
	schema := m.Schema()
	columns, known := []string{}, map[string]bool{} // the columns that features are extracted from
	for i := range schema.Columns {
		if name := schema.Columns[i].SourceName(); !known[name] {
			columns, known[name] = append(columns, name), true
		}
	}
	features := []string{}
	for _, feature := range m.ONNXFeatures() {
		features = append(features, feature.Name)
	}
	for _, constant := range []struct {
		name  string
		value any
	}{{"LABEL", schema.Label}, {"CLASSES", schema.Classes}, {"COLUMNS", columns}, {"FEATURES", features}, {"UNSPACED", unspacedScriptRanges()}} {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text) // a text or list in JSON is the same in Python
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(constant.value); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s = %s", constant.name, text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// unspacedScriptRanges returns ranges of characters, each as its first and last character.
// They are the characters of scripts without spaces, where each character is a word; see
// [cells.Tokenizer].
func unspacedScriptRanges() (ranges [][2]string) {
	add := func(first, last, stride rune) {
		if stride == 1 {
			ranges = append(ranges, [2]string{string(first), string(last)})
			return
		}
		for char := first; char <= last; char += stride {
			ranges = append(ranges, [2]string{string(char), string(char)})
		}
	}
	for _, script := range []*unicode.RangeTable{unicode.Thai, unicode.Hiragana, unicode.Katakana, unicode.Han} {
		for _, r := range script.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range script.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return ranges
}

// writeBase64 writes the file at path to w, compressed and in lines of base64.
func writeBase64(w io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := &lineWriter{w: w}
	encoder := base64.NewEncoder(base64.StdEncoding, lines)
	compressor := zlib.NewWriter(encoder)
	_, err = io.Copy(compressor, file)
	return errors.Join(err, compressor.Close(), encoder.Close(), lines.end())
}

// lineWriter writes text in lines of maxLineBytes bytes.
type lineWriter struct {
	w      io.Writer
	column int
}

const maxLineBytes = 96

func (l *lineWriter) Write(text []byte) (n int, err error) {
	for len(text) > 0 {
		part := text[:min(len(text), maxLineBytes-l.column)]
		written, err := l.w.Write(part)
		n += written
		if err != nil {
			return n, err
		}
		text = text[len(part):]
		if l.column += len(part); l.column == maxLineBytes {
			if err := l.end(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// end ends the line, unless it is empty.
func (l *lineWriter) end() error {
	if l.column == 0 {
		return nil
	}
	l.column = 0
	_, err := io.WriteString(l.w, "\n")
	return err
}
