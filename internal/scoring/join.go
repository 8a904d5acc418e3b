package scoring

import (
	"cmp"
	"fmt"
	"strings"
)

// joinInput is one of two files whose rows are joined.
type joinInput struct {
	file FileRole
	name string   // its name in messages, such as "the answers"
	ids  []string // nil if the rows are joined by their order
	key  idKey
	rows []int // the line of each row

	id     string       // the name of the column of IDs
	shared *sharedCells // nil if the cells of joined rows need not be compared
}

func (p *predictions) asJoinInput(file FileRole, name string) joinInput {
	return joinInput{file, name, p.ids, p.idKey, p.rows, p.id, p.shared}
}

func (a *answers) asJoinInput() joinInput {
	return joinInput{Answers, "the answers", a.ids, a.idKey, a.rows, a.id, a.shared}
}

// joinRows returns, for each row of the file first, the position of its row in the file second. It
// returns a *Fault if the files differ in their IDs or, without IDs, in their number of rows.
// partialHint is the hint of this fault if some IDs, but not all, are in both files; it may be "".
func joinRows(first, second joinInput, partialHint string) (secondRows []int, err error) {
	order := make([]int, len(first.rows))
	if first.ids == nil {
		for i := range order {
			order[i] = i
		}
		if len(first.rows) != len(second.rows) {
			return nil, &Fault{Message: fmt.Sprintf("without IDs, both files must have the same number of rows: %s have %d, %s have %d", first.name, len(first.rows), second.name, len(second.rows))}
		}
		return order, nil
	}
	at, err := second.indexIDs()
	if err != nil {
		return nil, err
	}
	if _, err := first.indexIDs(); err != nil {
		return nil, err
	}
	var extra, missing []string
	seen := make([]bool, len(second.ids))
	for i, id := range first.ids {
		if to, known := at[first.key.of(id)]; known {
			seen[to], order[i] = true, to
		} else {
			extra = append(extra, id)
		}
	}
	for i, id := range second.ids {
		if !seen[i] {
			missing = append(missing, id)
		}
	}
	fault := &Fault{Hint: zerosHint(extra, missing)}
	if len(extra) < len(first.ids) {
		fault.Hint = cmp.Or(fault.Hint, partialHint)
	}
	switch {
	case len(extra) > 0 && len(missing) > 0:
		fault.Message = first.describeMissing(extra, second) + "; " + second.describeMissing(missing, first)
	case len(extra) > 0:
		fault.Message = first.describeMissing(extra, second)
	case len(missing) > 0:
		fault.Message = second.describeMissing(missing, first)
	default:
		return order, nil
	}
	return nil, fault
}

// indexIDs returns the position of each ID by its key. It returns a *Fault if an ID occurs twice.
func (k joinInput) indexIDs() (map[string]int, error) {
	at := make(map[string]int, len(k.ids))
	for i, id := range k.ids {
		key := k.key.of(id)
		if first, again := at[key]; again {
			return nil, &Fault{File: k.file, Line: k.rows[i], Message: fmt.Sprintf("the ID %s is also in line %d: IDs must be unique", quote(id), k.rows[first])}
		}
		at[key] = i
	}
	return at, nil
}

// describeMissing returns a message about the given IDs, which k has and other lacks, such as `2
// IDs of the answers are missing from the predictions; the first is "r7"`.
func (k joinInput) describeMissing(ids []string, other joinInput) string {
	if len(ids) == 1 {
		return fmt.Sprintf("1 ID of %s is missing from %s: %s", k.name, other.name, quote(ids[0]))
	}
	return fmt.Sprintf("%d IDs of %s are missing from %s; the first is %s", len(ids), k.name, other.name, quote(ids[0]))
}

// zerosHint returns the hint about IDs that differ only in leading zeros, as after a spreadsheet has
// read them as numbers. It returns "" if there are no such IDs.
func zerosHint(ids, others []string) string {
	if !haveCommonLabel(ids, others, func(id string) string { return strings.TrimLeft(id, "0") }) {
		return ""
	}
	return "some IDs differ only in leading zeros, such as 0012 and 12: use the same form in both files"
}
