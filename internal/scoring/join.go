package scoring

import "fmt"

// join returns the position of the answer of each prediction. IDs that only one
// of the files has are a fault, with their number.
func join(p *predictions, a *answersFile) ([]int, error) {
	order := make([]int, len(p.labels))
	if p.ids == nil {
		for i := range order {
			order[i] = i
		}
		if len(p.labels) != len(a.labels) {
			return nil, &Fault{Message: fmt.Sprintf("there are %d predictions and %d answers, which are joined by their order", len(p.labels), len(a.labels))}
		}
		return order, nil
	}
	at := make(map[string]int, len(a.ids))
	for i, id := range a.ids {
		if first, again := at[id]; again {
			return nil, &Fault{Answers, a.rows[i], fmt.Sprintf("the ID %s of line %d again: IDs must be unique", quoted(id), a.rows[first])}
		}
		at[id] = i
	}
	var extra []string
	seen := make([]bool, len(a.ids))
	for i, id := range p.ids {
		answer, known := at[id]
		switch {
		case !known:
			extra = append(extra, id)
			continue
		case seen[answer]:
			return nil, &Fault{Predictions, 0, fmt.Sprintf("the ID %s is there twice: IDs must be unique", quoted(id))}
		}
		seen[answer], order[i] = true, answer
	}
	var missing []string
	for i, id := range a.ids {
		if !seen[i] {
			missing = append(missing, id)
		}
	}
	switch {
	case len(extra) > 0 && len(missing) > 0:
		return nil, &Fault{Message: fmt.Sprintf("%s; %s", without("the predictions have", extra, "the answers do not"), without("the answers have", missing, "the predictions do not"))}
	case len(extra) > 0:
		return nil, &Fault{Message: without("the predictions have", extra, "the answers do not")}
	case len(missing) > 0:
		return nil, &Fault{Message: without("the answers have", missing, "the predictions do not")}
	}
	return order, nil
}

// without says how many IDs only one file has.
func without(has string, ids []string, hasNot string) string {
	if len(ids) == 1 {
		return fmt.Sprintf("%s 1 ID that %s, %s", has, hasNot, quoted(ids[0]))
	}
	return fmt.Sprintf("%s %d IDs that %s, first %s", has, len(ids), hasNot, quoted(ids[0]))
}
