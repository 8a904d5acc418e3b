package store

import (
	"strings"
	"testing"
)

// planOf returns how the database executes a query. PostgreSQL reads a whole table only if no index
// can be used, although the table is small.
func planOf(t *testing.T, s *Store, query string, args ...any) string {
	t.Helper()
	var steps []string
	err := s.Read(t.Context(), func(tx *Tx) error {
		explain := "EXPLAIN QUERY PLAN "
		if s.IsOnServer() {
			explain = "EXPLAIN "
			if err := tx.exec(t.Context(), "SET LOCAL enable_seqscan = off"); err != nil {
				return err
			}
		}
		rows, err := tx.tx.QueryContext(t.Context(), explain+query, args...)
		if err != nil {
			return err
		}
		_, err = scanAllAndClose(rows, func(row rowScanner) (*string, error) {
			var id, parent, unused int64
			var step string
			columns := []any{&id, &parent, &unused, &step}
			if s.IsOnServer() {
				columns = columns[3:]
			}
			err := row.Scan(columns...)
			steps = append(steps, step)
			return &step, err
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

// plans checks that frequent statements use indexes. Each would otherwise read a whole table.
func (s suite) plans(t *testing.T) {
	for name, c := range map[string]struct {
		query string
		args  []any
		// indexes must all be in the plan.
		indexes []string
	}{
		"the next turn of an account": {"SELECT " + nextTurn, []any{"ann"}, []string{"account"}},
	} {
		plan := planOf(t, s.Store, c.query, c.args...)
		if s.IsOnServer() {
			for _, line := range strings.Split(plan, "\n") {
				if strings.Contains(line, "Seq Scan on account") {
					t.Errorf("%s reads a whole table:\n%s", name, plan)
				}
			}
		}
		for _, index := range c.indexes {
			if !strings.Contains(plan, index) {
				t.Errorf("%s does not use the index %s:\n%s", name, index, plan)
			}
		}
	}
}
