package frame

import (
	"slices"
	"testing"
)

func TestRepeatedHeaderIsReported(t *testing.T) {
	file := "id,size,class\n1,20,yes\n2,30,no\nid,size,class\n3,40,yes\n4,40,no\n5,50,no\n"
	p := scanText(t, file, ScanOptions{})
	told := func(w Warning) bool { return w.Code == CodeRepeatedHeader && w.Line == 4 }
	if !slices.ContainsFunc(p.Warnings, told) || p.Err() != nil {
		t.Error(p.Warnings, p.Err())
	}
}
