package model

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"foretell/internal/learn/text"
	"foretell/internal/table/frame"
)

// TestTextsAreScoredOnce checks that members of a blend with the same text models score
// each text only once.
func TestTextsAreScoredOnce(t *testing.T) {
	m := committedModel(t, "texts.model")
	blind, err := os.ReadFile("testdata/texts.csv")
	if err != nil {
		t.Fatal(err)
	}
	f, err := frame.Load(t.Context(), bytes.NewReader(blind), m.Schema(), frame.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, features := UnwrapFeatures(m.members[0].Predictor)
	other := NewFeatures(features.Columns, features.texts.columns, features.texts.models)
	newMember := func(features *Features) Member { return Member{Predictor: WithFeatures(constant{}, features)} }
	if members := []Member{newMember(features), newMember(other)}; &scoreTextsOnce(members)[0] != &members[0] {
		t.Error("scores are remembered although no models are shared")
	}
	members := scoreTextsOnce([]Member{newMember(features), newMember(other), newMember(features)})
	var memos []*text.Memo
	for _, one := range members {
		_, remembered := UnwrapFeatures(one.Predictor)
		want, got := features.compute(f, 10, 40), remembered.compute(f, 10, 40)
		for i := range want.Columns {
			if !slices.Equal(want.Columns[i].Floats, got.Columns[i].Floats) || !slices.Equal(want.Columns[i].Codes, got.Columns[i].Codes) {
				t.Errorf("column %d differs", i)
			}
		}
		memos = append(memos, remembered.texts.memos[0])
	}
	if memos[0] != memos[2] || memos[0] == memos[1] {
		t.Error("texts are remembered by the wrong models")
	}
	for i, one := range scoreTextsOnce(members) {
		_, before := UnwrapFeatures(members[i].Predictor)
		if _, after := UnwrapFeatures(one.Predictor); after != before {
			t.Error("remembered scores are forgotten")
		}
	}
}
