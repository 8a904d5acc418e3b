package profile

import (
	"slices"
	"testing"

	"foretell/internal/table/csvfile"
)

func TestRepeatedHeaderIsReported(t *testing.T) {
	file := "id,size,class\n1,20,yes\n2,30,no\nid,size,class\n3,40,yes\n4,40,no\n5,50,no\n"
	p := scanText(t, file, ScanOptions{})
	isRepeated := func(w csvfile.Warning) bool { return w.Code == csvfile.CodeRepeatedHeader && w.Line == 4 }
	if !slices.ContainsFunc(p.Warnings, isRepeated) || p.Err() != nil {
		t.Error(p.Warnings, p.Err())
	}
}
