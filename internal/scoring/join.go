package scoring

import "fmt"

// joinInput is a file whose rows are joined with those of another.
type joinInput struct {
	file File
	name string   // in messages
	ids  []string // nil if the rows are joined in order
	rows []int    // the lines of the rows in the file
}

func (p *predictions) joinInput(file File, name string) joinInput {
	return joinInput{file, name, p.ids, p.rows}
}

func (a *answers) joinInput() joinInput { return joinInput{Answers, "the answers", a.ids, a.rows} }

// joinRows returns the position in b of each row of a. It is a fault if only one of the files
// has an ID.
func joinRows(a, b joinInput) ([]int, error) {
	order := make([]int, len(a.rows))
	if a.ids == nil {
		for i := range order {
			order[i] = i
		}
		if len(a.rows) != len(b.rows) {
			return nil, &Fault{Message: fmt.Sprintf("rows that are joined by their order must be as many: %s have %d, %s %d", a.name, len(a.rows), b.name, len(b.rows))}
		}
		return order, nil
	}
	at, err := b.indexIDs()
	if err != nil {
		return nil, err
	}
	if _, err := a.indexIDs(); err != nil {
		return nil, err
	}
	var extra, missing []string
	seen := make([]bool, len(b.ids))
	for i, id := range a.ids {
		if to, known := at[id]; known {
			seen[to], order[i] = true, to
		} else {
			extra = append(extra, id)
		}
	}
	for i, id := range b.ids {
		if !seen[i] {
			missing = append(missing, id)
		}
	}
	switch {
	case len(extra) > 0 && len(missing) > 0:
		return nil, &Fault{Message: a.describeMissing(extra, b) + "; " + b.describeMissing(missing, a)}
	case len(extra) > 0:
		return nil, &Fault{Message: a.describeMissing(extra, b)}
	case len(missing) > 0:
		return nil, &Fault{Message: b.describeMissing(missing, a)}
	}
	return order, nil
}

// indexIDs returns the position of each ID. A duplicate is a fault.
func (k joinInput) indexIDs() (map[string]int, error) {
	at := make(map[string]int, len(k.ids))
	for i, id := range k.ids {
		if first, again := at[id]; again {
			return nil, &Fault{k.file, k.rows[i], fmt.Sprintf("the ID %s is also in line %d: IDs must be unique", quote(id), k.rows[first])}
		}
		at[id] = i
	}
	return at, nil
}

// describeMissing returns a message about IDs that only this file has.
func (k joinInput) describeMissing(ids []string, other joinInput) string {
	if len(ids) == 1 {
		return fmt.Sprintf("%s have 1 ID that %s do not, %s", k.name, other.name, quote(ids[0]))
	}
	return fmt.Sprintf("%s have %d IDs that %s do not, first %s", k.name, len(ids), other.name, quote(ids[0]))
}
