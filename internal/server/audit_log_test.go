package server_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/server"
)

// TestLoggedAuditEvents checks that the log has a copy of each event of the audit log, even if the
// log omits requests, and no secret.
func TestLoggedAuditEvents(t *testing.T) {
	t.Parallel()
	var log logs
	s := newTestServer(t, server.Options{Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))})
	admin := s.administrator(t)
	s.addUser(t)
	s.send(t, call{method: "POST", path: "/api/login", json: `{"username":"\"x\\\u001b[31m\u202e","password":"a secret"}`, anonymous: true})
	user := s.as(t, testUser, testPassword)
	user.send(t, call{method: "GET", path: "/api/v1/admin/accounts?offset=0&limit=9"}) // refused
	dataset := user.newDataset(t, "flowers")
	user.must(t, call{method: "DELETE", path: "/api/v1/datasets/" + dataset.DatasetKey}, nil)
	user.must(t, call{method: "DELETE", path: "/api/v1/account/session"}, nil)

	var stored api.AuditEventPage
	admin.must(t, call{method: "GET", path: "/api/v1/admin/events?offset=0&limit=99"}, &stored)
	want, got := map[string]api.AuditEvent{}, map[string]api.AuditEvent{}
	for _, e := range stored.Events {
		want[e.EventKey] = e
	}
	for line := range strings.Lines(log.String()) {
		var copied struct {
			Msg, Level, EventTime string
			api.AuditEvent
		}
		if err := json.Unmarshal([]byte(line), &copied); err != nil || copied.Msg != "audit" || copied.Level != "INFO" {
			t.Errorf("%v in %s", err, line)
			continue
		}
		copied.Time = copied.EventTime
		got[copied.EventKey] = copied.AuditEvent
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 6 {
		t.Errorf("%d events (-stored +logged):\n%s", len(want), diff)
	}
	for _, secret := range []string{"a secret", testPassword, user.token, admin.token} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%s is logged", secret)
		}
	}
}

// TestAuditEventsInTextLog checks that the log has no control characters that a terminal would
// interpret, and not the name of a failed log-in that is not an email.
func TestAuditEventsInTextLog(t *testing.T) {
	t.Parallel()
	var log logs
	s := newTestServer(t, server.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	s.send(t, call{method: "POST", path: "/api/login", json: `{"username":"x\u001b[31m\u202e\u009b","password":"a secret"}`, anonymous: true})
	if text := log.String(); !strings.Contains(text, `action=login object=""`) || strings.Contains(text, "[31m") || strings.ContainsAny(text, "\x1b\u202e\u009b") {
		t.Errorf("the log is %q", text)
	}
}
