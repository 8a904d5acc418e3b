package compare

import (
	"fmt"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// minGroupedFindings is the smallest number of columns whose findings of the same code
// are merged.
const minGroupedFindings = 10

// mergedPredicates maps the codes of findings that may be merged to the predicate of the merged
// message. The subject of the message is the number of columns, such as "12 columns".
var mergedPredicates = map[string]string{
	csvfile.CodeMissingColumn:  "of the training file", // for csvfile.MissingColumnsMessage
	csvfile.CodeExtraColumn:    "are not in the training file, so they are copied to the result but not used to predict",
	csvfile.CodeMovedRange:     "of numbers have another range or mean than in training",
	csvfile.CodeUnseenCategory: "have texts that the training file does not have",
	csvfile.CodeOtherSpelling:  "have texts that the training file writes in another way",
	csvfile.CodeChangedKind:    "have another format than in training; values that cannot be parsed are treated as missing, and others may be read wrongly",
	csvfile.CodeMisreadNumbers: "have another decimal separator than in training, so some of their numbers would be read wrongly",
	csvfile.CodeMoreMissing:    "have far more rows without a value than in training",
}

// groupFindings merges findings with the same code and severity if they are about at least
// minGroupedFindings columns. The merged finding takes the position of the first one. A finding
// with OtherSeparators is not merged with a finding without OtherSeparators, because the remedies
// differ.
func (c *comparison) groupFindings() {
	type group struct {
		code               string
		severity           Severity
		hasOtherSeparators bool
	}
	groupOf := func(f *Finding) group { return group{f.Code, f.Severity, f.OtherSeparators != nil} }
	folds := func(f *Finding) bool {
		return mergedPredicates[f.Code] != "" && f.Name != c.train.Schema.ID && f.Name != c.train.Schema.Label
	}
	names := make(map[group][]string) // names of columns
	for i := range c.findings {
		f := &c.findings[i]
		list := names[groupOf(f)]
		if folds(f) && (len(list) == 0 || list[len(list)-1] != f.Name) { // a column may have several findings
			names[groupOf(f)] = append(list, f.Name)
		}
	}
	kept := c.findings[:0]
	for _, f := range c.findings {
		of := groupOf(&f)
		list := names[of]
		switch {
		case !folds(&f) || 0 < len(list) && len(list) < minGroupedFindings:
		case list == nil:
			continue // merged into the first
		default:
			names[of] = nil
			f.Name, f.Column, f.Suggestion, f.Count = "", 0, "", len(list)
			f.Message = fmt.Sprintf("%s %s (%s)", humanize.Count(len(list), "column"), mergedPredicates[f.Code], csvfile.FormatNames(list))
			if f.Code == csvfile.CodeMissingColumn {
				f.Message = csvfile.MissingColumnsMessage(list, mergedPredicates[f.Code])
			}
		}
		kept = append(kept, f)
	}
	c.findings = kept
}
