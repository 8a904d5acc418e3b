package text

import (
	"slices"
	"testing"
)

// TestMemo checks that a memo scores each text only once, and returns the scores of the right text.
func TestMemo(t *testing.T) {
	texts, labels := table(60, 3, 1)
	m, _ := train(t, texts, newTask(labels, 3, 60, 1))
	memo, s, plain := NewMemo(), m.NewScorer(), m.NewScorer()
	want, got := make([]float32, m.Features()), make([]float32, m.Features())
	for range 2 {
		for _, text := range texts[:20] {
			plain.Score(want, text)
			if memo.Score(s, got, text); !slices.Equal(got, want) {
				t.Fatalf("scores %v, want %v", got, want)
			}
		}
		s = nil // scoring a text again needs no scorer
	}
	if (*Memo)(nil).Score(plain, got, texts[0]); len(memo.features) != 20 {
		t.Errorf("%d texts are remembered", len(memo.features))
	}
}
