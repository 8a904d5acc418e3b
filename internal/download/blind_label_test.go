package download

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBlindLabelScoresTheLabelledRows checks that missing and unknown labels do not prevent the score,
// unless the column may not be the label at all.
func TestBlindLabelScoresTheLabelledRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.csv")
	if err := os.WriteFile(path, []byte("id,n,y,prediction\n1,5,a,a\n2,6,,b\n3,6,c,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	label := BlindLabel{Column: "y", Classes: []string{"a", "b"}}
	if err := label.scoreFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if s := label.Score; s == nil || s.Rows != 2 || s.UnlabelledRows != 1 || s.UnknownLabels == nil || s.UnknownLabels.Rows != 1 {
		t.Errorf("score %+v, reason %q", s, label.reason)
	}
	label = BlindLabel{Column: "y", Classes: []string{"a", "b"}, Inferred: true}
	if err := label.scoreFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if label.Score != nil || label.reason == "" {
		t.Errorf("a column that may not be the label was scored: %+v", label.Score)
	}
}
