package csvfile

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitRecord(t *testing.T) {
	for _, record := range []string{`a,b`, `a,,b,`, `"a,b",c`, `"say ""hi""","",x`, `a,"two` + "\n" + `lines"`, `,`} {
		want, err := csv.NewReader(strings.NewReader(record + "\n")).Read()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, field := range SplitRecord([]byte(record)) {
			got = append(got, string(field))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", record, diff)
		}
	}
}
