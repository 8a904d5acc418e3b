package tablefile

import "sort"

// maxRuns bounds the memory of a lineMap, which is 32 bytes per run.
const maxRuns = 1 << 20

// lineMap maps lines of a converted CSV to lines of the original file. Consecutive records
// with equal distances share a run.
type lineMap struct {
	runs []run
	full bool // lines after the last run are unknown
}

// run is a sequence of records. The first starts in line out of the CSV and in line in of the
// file. Each next record starts outStep and inStep lines later.
type run struct{ out, in, outStep, inStep int }

func (m *lineMap) hasRuns() bool { return len(m.runs) > 0 }

// add adds a record that starts in line out of the CSV and in line in of the file. From call
// to call, out must increase, and in must not decrease.
func (m *lineMap) add(out, in int) {
	if m.full {
		return
	}
	if n := len(m.runs); n > 0 {
		last := &m.runs[n-1]
		if last.outStep == 0 {
			last.outStep, last.inStep = out-last.out, in-last.in
			return
		}
		records := (out - last.out) / last.outStep
		if last.out+records*last.outStep == out && last.in+records*last.inStep == in {
			return
		}
	}
	if len(m.runs) == maxRuns {
		m.full = true
		m.runs = append(m.runs, run{out: out})
		return
	}
	m.runs = append(m.runs, run{out: out, in: in})
}

// sourceLine returns the line of the file for a line of the CSV, or 0 if it is unknown. For
// the lines of a record, it returns the record's first line.
func (m *lineMap) sourceLine(line int) int {
	at := sort.Search(len(m.runs), func(i int) bool { return m.runs[i].out > line }) - 1
	if at < 0 || m.runs[at].in == 0 {
		return 0
	}
	r := m.runs[at]
	if r.outStep == 0 {
		return r.in
	}
	return r.in + (line-r.out)/r.outStep*r.inStep
}
