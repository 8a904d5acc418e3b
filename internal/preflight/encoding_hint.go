package preflight

import (
	"fmt"
	"strconv"
	"strings"
)

// otherEncodingHint returns what to do if a text that [repair.File] has decoded as Windows-1252 is
// wrong. It returns "" if the text is readable in Windows-1252.
func (r *Repairer) otherEncodingHint(in *InputTable) string {
	examples, err := in.table.EncodingExamples(r.Factory.Running.Context())
	if err != nil || len(examples) == 0 || examples[0].Encoding == "windows-1252" { // the most likely encoding is first
		return ""
	}
	defer r.Factory.ForceInCommands()()
	return "; this is probably the wrong encoding: " + r.encodingHint(in)
}

// encodingHint returns the remedy for a text that is not UTF-8 and whose encoding cannot be guessed. A
// wrong encoding often causes no error, only wrong texts. So the hint shows a cell in each likely
// encoding instead of a command with one of them.
func (p *Preflight) encodingHint(in *InputTable) string {
	examples, err := in.table.EncodingExamples(p.Factory.Running.Context())
	if err != nil || len(examples) == 0 {
		return "correct these bytes; or, if they are Windows-1252, " + p.fixHint(in)
	}
	if len(examples) == 1 {
		return "if this text is right, set its encoding with `" + p.Factory.CommandWith("encoding", examples[0].Encoding) + "`: " + strconv.Quote(examples[0].Text)
	}
	list := make([]string, len(examples))
	for i, one := range examples {
		list[i] = fmt.Sprintf("%s %q", one.Encoding, one.Text)
	}
	return "choose the encoding in which this text is right, and set it with `" + p.Factory.CommandWith("encoding", "NAME") + "`: " + strings.Join(list, ", ")
}
