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
	expired := func(kind string) string {
		return "SELECT key FROM " + kind + " WHERE " + expiredConditions[kind] + " LIMIT 1"
	}
	for _, c := range []struct {
		table, query string
		// index is the name of the index, unless it is that of the primary key.
		index string
	}{
		{"account", "SELECT " + nextTurnSQL, ""},
		{"token", deleteExpiredSessions, "token_expires"},
		{"job", "SELECT " + jobStateColumns + " FROM job WHERE account = ?", "job_account"},
		{"prediction", expired("prediction"), "prediction_updated (updated<?)"},
		{"training", expired("training"), "training_parent (parent=? AND finished<?)"},
		{"training", racesWithDeadlineSQL, "SEARCH t USING INDEX sqlite_autoindex_training_1 (key=?)"},
		{"training", largeRacesSQL, "SEARCH t USING INDEX sqlite_autoindex_training_1 (key=?)"},
		{"dataset", expired("dataset"), "dataset_updated (updated<?)"},
		// The triggers of the audit log have this condition.
		{"audit_event", "SELECT 1 FROM audit_event WHERE expires_before > 0 AND expires_before > ? AND expires_before <= time", "audit_event_expires_before"},
	} {
		if strings.HasSuffix(c.index, ")") && s.IsOnServer() {
			continue // in small tables, PostgreSQL prefers other indexes
		}
		args := make([]any, strings.Count(c.query, "?"))
		for i := range args {
			args[i] = 1
			if c.table == "account" || c.table == "job" {
				args[i] = "ann"
			}
		}
		plan := planOf(t, s.Store, c.query, args...)
		scans := false
		for _, line := range strings.Split(plan, "\n") {
			scans = scans || strings.Contains(line, "Seq Scan on "+c.table) || line == "SCAN "+c.table
		}
		if scans || !strings.Contains(plan, c.index) {
			t.Errorf("the plan of %s does not use the index %s of %s:\n%s", c.query, c.index, c.table, plan)
		}
	}
}
