package model

import "foretell/internal/learn/text"

// textMemos maps text models to copies of them that remember the scores of each text.
// With these copies, members that use the same text models score each text only once.
type textMemos map[*textModels]*textModels

// withMemo returns the member one with text models that remember their scores. It does
// not change the text models of the argument.
func (t textMemos) withMemo(one Member) Member {
	inner, features := UnwrapFeatures(one.Predictor)
	if features == nil || features.texts == nil || features.texts.memos != nil { // no texts, or remembered already
		return one
	}
	copied := t[features.texts]
	if copied == nil {
		copied = &textModels{columns: features.texts.columns, models: features.texts.models}
		for range copied.models {
			copied.memos = append(copied.memos, text.NewMemo())
		}
		t[features.texts] = copied
	}
	one.Predictor = WithFeatures(inner, &Features{Columns: features.Columns, texts: copied})
	return one
}

// withMemos returns the result of withMemo for each member.
func (t textMemos) withMemos(members []Member) []Member {
	list := make([]Member, len(members))
	for i, one := range members {
		list[i] = t.withMemo(one)
	}
	return list
}

// scoreTextsOnce returns the members with text models that remember their scores, so
// that each text is scored only once. If no two members use the same text models, it
// returns members unchanged.
func scoreTextsOnce(members []Member) []Member {
	used := map[*textModels]bool{}
	for _, one := range members {
		_, features := UnwrapFeatures(one.Predictor)
		if features == nil || features.texts == nil {
			continue
		}
		if used[features.texts] {
			return textMemos{}.withMemos(members)
		}
		used[features.texts] = true
	}
	return members
}

// maxMemoBytes is the memory, in bytes, that PredictMembers may use for each set of text
// models to remember scores. memoEntryBytes is the size of an entry without its scores,
// in bytes.
const (
	maxMemoBytes   = 32 << 20
	memoEntryBytes = 64
)

// newTextMemos returns empty textMemos for a prediction of the given number of rows. It
// returns nil if the scores of these rows would need too much memory or if there are no
// texts.
func (m *Model) newTextMemos(rows int) textMemos {
	texts := len(m.schema.TextColumns())
	if texts == 0 || rows*(4*text.NumFeatures(m.classes())+memoEntryBytes)*texts > maxMemoBytes {
		return nil
	}
	return textMemos{}
}
