package store

import (
	"path/filepath"
	"slices"
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
		query, _, err := ExpiredQuery{Kind: kind, After: &ExpiredPosition{}}.sql("")
		if err != nil {
			t.Fatal(err)
		}
		return query
	}
	activeJobs, _ := activeJobsQuery("dataset", "ann", "ann")
	claim, _ := (&JobClaim{Kind: "kind"}).sql()
	for _, c := range []struct {
		table, query string
		// index is the name of the index, unless it is that of the primary key.
		index string
	}{
		{"account", "SELECT " + nextTurnSQL, ""},
		{"token", deleteExpiredSessions, "token_expires"},
		{"job", "SELECT " + nextTurnSQL, "job_account (account>?)"},
		{"job", jobStatesSQL(1), "sqlite_autoindex_job_2 (subject=?)"},
		{"job", claim, ""},
		{"job", claim, "COVERING INDEX job_next (kind=? AND owner=? AND account>?)"},
		{"job", claim, "COVERING INDEX job_next (kind=? AND owner=? AND account=?)"},
		{"job", queuedBeforeSQL, "COVERING INDEX job_next (kind=? AND owner=? AND account=? AND created<?)"},
		{"job", queuedBeforeSQL, "job_lease"},
		{"job", waitingAccountsSQL, "COVERING INDEX job_next (kind=? AND owner=?)"},
		{"prediction", expired("prediction"), "prediction_updated (updated>? AND updated<?)"},
		{"training", expired("training"), "training_parent (parent=? AND finished>? AND finished<?)"},
		{"training", racesWithDeadlineSQL, "SEARCH t USING INDEX training_deadline (parent=? AND finished=? AND deadline>?)"},
		{"job", leasesSQL, "job_lease"},
		{"job", activeJobs, "SEARCH prediction USING INDEX sqlite_autoindex_prediction_1 (key=?)"},
		{"training", largeRacesSQL, "SEARCH t USING INDEX sqlite_autoindex_training_1 (key=?)"},
		{"dataset", expired("dataset"), "dataset_updated (updated>? AND updated<?)"},
		{"dataset", championSQL, ""},
		{"model", championSQL, "model_champion"},
		{"outbox", "DELETE FROM outbox WHERE account = ? AND kind = ?", "outbox_account"},
		// The triggers of the audit log have this condition.
		{"audit_event", "SELECT 1 FROM audit_event WHERE expires_before > 0 AND expires_before > ? AND expires_before <= time", "audit_event_expires_before"},
	} {
		if s.IsOnServer() && (strings.HasSuffix(c.index, ")") || c.query == queuedBeforeSQL) {
			continue // in small tables, PostgreSQL prefers other indexes
		}
		args := make([]any, strings.Count(c.query, "?"))
		for i := range args {
			args[i] = 1
			if c.table == "account" || c.table == "job" || c.table == "outbox" || c.query == championSQL {
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

// TestListPlans checks which indexes SQLite uses to count the rows of a list, and to find the keys of a
// page.
func TestListPlans(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "rows.db"))
	trainings := func(dataset string, parentOnly, activeOnly bool) listQuery {
		return TrainingQuery{Account: "ann", Dataset: dataset, ParentOnly: parentOnly, ActiveOnly: activeOnly}.toListQuery()
	}
	for _, c := range []struct {
		name  string
		list  listQuery
		index string
	}{
		{"trainings", trainings("", false, false), "training_created (account=?)"},
		{"races", trainings("", true, false), "COVERING INDEX training_race (account=?)"}, // it has no runs
		{"active trainings", trainings("", false, true), "training_active (account=?)"},
		{"active races", trainings("", true, true), "training_active (account=?)"},
		{"trainings of a dataset", trainings("d1", false, false), "training_dataset (dataset=? AND account=?)"},
		{"races of a dataset", trainings("d1", true, false), "training_dataset (dataset=? AND account=?)"},
		{"active races of a dataset", trainings("d1", true, true), "training_dataset (dataset=? AND account=?)"},
		{"audit events", AuditQuery{}.toListQuery(), "audit_event_time"},
		{"audit events of an actor", AuditQuery{Actor: "ann"}.toListQuery(), "audit_event_actor (actor=?)"},
		{"audit events of an action", AuditQuery{Action: "login"}.toListQuery(), "audit_event_action (action=?)"},
		{"audit events of an actor and an action", AuditQuery{Actor: "ann", Action: "login"}.toListQuery(), "audit_event_actor (actor=?)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			count, args := c.list.countQuery()
			plan := planOf(t, s, c.list.pageQuery(count, 0), slices.Concat(args, c.list.args, []any{20, 0})...)
			if strings.Count(plan, c.index) != 2 || strings.Contains(plan, "SCAN t\n") {
				t.Errorf("the plan does not use the index %s twice:\n%s", c.index, plan)
			}
		})
	}
}
