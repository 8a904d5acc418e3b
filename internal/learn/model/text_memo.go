package model

import "foretell/internal/learn/text"

// textMemos maps sets of text models to copies that remember the scores of each text. Members that
// share a set then compute the scores of a text only once.
type textMemos map[*textModels]*textModels

// withMemo returns a copy of a member. The text models of the copy remember their scores.
// Members with the same text models share the remembered scores.
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

// scoreTextsOnce returns copies of members that compute the scores of each text only once. If no
// two members share text models, it returns members.
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

// PredictMembers remembers the scores of texts only if they need at most maxMemoBytes bytes. The
// scores of one text need memoEntryBytes bytes in addition to the numbers.
const (
	maxMemoBytes   = 32 << 20
	memoEntryBytes = 64
)

// newTextMemos returns empty textMemos for a prediction of the given number of rows. It returns nil
// if there are no texts, or if the scores of all rows would need more than maxMemoBytes.
func (m *Model) newTextMemos(rows int) textMemos {
	texts := len(m.schema.TextColumns())
	if texts == 0 || rows*(4*text.NumFeatures(m.classes())+memoEntryBytes)*texts > maxMemoBytes {
		return nil
	}
	return textMemos{}
}
