package server_test

import (
	"net/url"
	"testing"

	"foretell/internal/api"
	"foretell/internal/server"
)

// TestJobs lists the workers and the jobs of all accounts for an administrator, on the API and on
// the page.
func TestJobs(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	admin := s.administrator(t)
	s.addUser(t)
	user := s.as(t, testUser, testPassword)
	const jobsPath = "/api/v1/admin/jobs?offset=0&limit=9"
	for _, path := range []string{jobsPath, "/api/v1/admin/workers"} {
		user.refused(t, refusal{call: call{method: "GET", path: path}, want: 403, code: api.CodeForbidden})
	}
	var jobs api.JobPage
	if admin.must(t, call{method: "GET", path: jobsPath}, &jobs); jobs.Total != 0 {
		t.Errorf("the jobs are %+v", jobs)
	}
	var workers api.WorkerList
	admin.must(t, call{method: "GET", path: "/api/v1/admin/workers"}, &workers)
	if len(workers.Workers) != 1 || workers.Workers[0].Cores < 1 || workers.Workers[0].StartedOn == "" || workers.Workers[0].LastSeenOn == "" {
		t.Fatalf("the workers are %+v", workers)
	}
	b := newBrowser(t, s.url)
	b.expect(t, "/sign-in", url.Values{"username": {"root@example.com"}, "password": {"a long password"}}, 200, "<title>Home")
	b.expect(t, "/admin/jobs", nil, 200, workers.Workers[0].Worker[:8])
}
