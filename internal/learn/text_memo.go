package learn

import "foretell/internal/learn/text"

// textMemos holds copies of models of texts that remember the scores of each text. Members
// that use the same models then score a text once.
type textMemos map[*textModels]*textModels

// remember returns a copy of the member one whose text models remember their scores.
func (t textMemos) remember(one member) member {
	inner, features := unwrapFeatures(one.predictor)
	if features == nil || features.texts == nil || features.texts.memos != nil { // or it remembers already
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
	one.predictor = foldModel{inner, &foldFeatures{columns: features.columns, texts: copied}}
	return one
}

// rememberAll is remember for each member.
func (t textMemos) rememberAll(members []member) []member {
	list := make([]member, len(members))
	for i, one := range members {
		list[i] = t.remember(one)
	}
	return list
}

// scoreTextsOnce returns members that score each text once. If no models of texts are used
// by two members, it returns members.
func scoreTextsOnce(members []member) []member {
	used := map[*textModels]bool{}
	for _, one := range members {
		_, features := unwrapFeatures(one.predictor)
		if features == nil || features.texts == nil {
			continue
		}
		if used[features.texts] {
			return textMemos{}.rememberAll(members)
		}
		used[features.texts] = true
	}
	return members
}

// maxMemoBytes is the memory that predictMembers may use to remember the scores of texts, for
// each set of models. memoEntry is the memory of an entry without its scores.
const (
	maxMemoBytes = 32 << 20
	memoEntry    = 64
)

// newTextMemos returns memos for the members of m that predict the given number of rows, or
// nil if they would need too much memory or there are no texts.
func (m *Model) newTextMemos(rows int) textMemos {
	texts := len(m.schema.TextColumns())
	if texts == 0 || rows*(4*text.NumFeatures(m.classes())+memoEntry)*texts > maxMemoBytes {
		return nil
	}
	return textMemos{}
}
