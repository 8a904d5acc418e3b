package tablefile

import "sort"

// maxLineRuns limits the memory of a lineMap, which is 32 bytes for each run.
const maxLineRuns = 1 << 20

// lineMap maps lines of a converted CSV to lines of the original file. It stores consecutive
// records as one run if they are equally far apart in the CSV, and also in the file.
type lineMap struct {
	runs []lineRun
	full bool // whether records were dropped, so that lines from the last run on are unknown
}

// lineRun is a sequence of records. The first record starts in line csvLine of the CSV
// and in line fileLine of the file. Each further record starts csvStep lines later in the
// CSV and fileStep lines later in the file.
type lineRun struct{ csvLine, fileLine, csvStep, fileStep int }

func (m *lineMap) hasRuns() bool { return len(m.runs) > 0 }

// add adds a record that starts in line csvLine of the CSV and line fileLine of the file.
// From call to call, csvLine must increase, and fileLine must not decrease.
func (m *lineMap) add(csvLine, fileLine int) {
	if m.full {
		return
	}
	if n := len(m.runs); n > 0 {
		last := &m.runs[n-1]
		if last.csvStep == 0 {
			last.csvStep, last.fileStep = csvLine-last.csvLine, fileLine-last.fileLine
			return
		}
		records := (csvLine - last.csvLine) / last.csvStep
		if last.csvLine+records*last.csvStep == csvLine && last.fileLine+records*last.fileStep == fileLine {
			return
		}
	}
	if len(m.runs) == maxLineRuns {
		m.full = true
		m.runs = append(m.runs, lineRun{csvLine: csvLine})
		return
	}
	m.runs = append(m.runs, lineRun{csvLine: csvLine, fileLine: fileLine})
}

// sourceLine returns the line of the file for a line of the CSV, or 0 if it is unknown.
// For each line of a record, it returns the line in which the record starts.
func (m *lineMap) sourceLine(line int) int {
	at := sort.Search(len(m.runs), func(i int) bool { return m.runs[i].csvLine > line }) - 1
	if at < 0 || m.runs[at].fileLine == 0 {
		return 0
	}
	r := m.runs[at]
	if r.csvStep == 0 {
		return r.fileLine
	}
	return r.fileLine + (line-r.csvLine)/r.csvStep*r.fileStep
}
