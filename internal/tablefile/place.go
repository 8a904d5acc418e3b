package tablefile

import "sort"

// maxRuns bounds the memory of places: 32 bytes each.
const maxRuns = 1 << 20

// places maps lines of a CSV that was written to lines of the file it was made
// from. Records that follow one another at the same distances share a run.
type places struct {
	runs []run
	full bool // the lines behind the last run are not known
}

// run is a sequence of records: the first begins in line out of the CSV and in
// line in of the file, each next one outStep and inStep later.
type run struct{ out, in, outStep, inStep int }

func (p *places) any() bool { return len(p.runs) > 0 }

// add notes that the record in line out of the CSV begins in line in of the
// file. Both must not decrease, and out must grow.
func (p *places) add(out, in int) {
	if p.full {
		return
	}
	if n := len(p.runs); n > 0 {
		last := &p.runs[n-1]
		if last.outStep == 0 {
			last.outStep, last.inStep = out-last.out, in-last.in
			return
		}
		records := (out - last.out) / last.outStep
		if last.out+records*last.outStep == out && last.in+records*last.inStep == in {
			return
		}
	}
	if len(p.runs) == maxRuns {
		p.full = true
		p.runs = append(p.runs, run{out: out})
		return
	}
	p.runs = append(p.runs, run{out: out, in: in})
}

// source returns the line of the file for a line of the CSV, 0 if it is not
// known. Lines within a record are those of its beginning.
func (p *places) source(line int) int {
	at := sort.Search(len(p.runs), func(i int) bool { return p.runs[i].out > line }) - 1
	if at < 0 || p.runs[at].in == 0 {
		return 0
	}
	r := p.runs[at]
	if r.outStep == 0 {
		return r.in
	}
	return r.in + (line-r.out)/r.outStep*r.inStep
}
