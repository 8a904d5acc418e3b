package tablefile

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// isTrue reports whether an attribute of a workbook has a value that means true.
func isTrue(value string) bool { return value == "1" || value == "true" }

// addHiddenColumns adds the columns that the element e describes to s.hiddenRanges, if they are hidden.
func (s *sheetReader) addHiddenColumns(e xml.StartElement) {
	first, err := strconv.Atoi(attribute(e, "min"))
	last, err2 := strconv.Atoi(attribute(e, "max"))
	if err == nil && err2 == nil && isTrue(attribute(e, "hidden")) {
		s.hiddenRanges = append(s.hiddenRanges, [2]int{first, last})
	}
}

// hiddenWarnings returns a warning about the hidden rows and columns of the table, if there are any.
func (s *sheetReader) hiddenWarnings() []csvfile.Warning {
	var names, parts []string
	for i, name := range s.names {
		for _, hidden := range s.hiddenRanges {
			if hidden[0] <= i+1 && i+1 <= hidden[1] {
				names = append(names, strconv.Quote(cmp.Or(name, "column_"+strconv.Itoa(i+1))))
				break
			}
		}
	}
	if s.hiddenRows > 0 {
		parts = append(parts, humanize.Count(s.hiddenRows, "hidden row"))
	}
	if len(names) > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s)", humanize.Count(len(names), "hidden column"), humanize.List(names, 5)))
	}
	if len(parts) == 0 {
		return nil
	}
	return []csvfile.Warning{{Code: CodeHiddenCells, Message: fmt.Sprintf(
		"the sheet has %s; hidden cells are read like all others", strings.Join(parts, " and "))}}
}
