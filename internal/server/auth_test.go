package server_test

import (
	"testing"

	"foretell/internal/api"
	"foretell/internal/server"
)

// TestAccounts checks that an account can neither see nor change the data of another account.
func TestAccounts(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	created := w.newDataset(t, "private")
	w.addUser(t)
	var session api.Session
	w.must(t, call{
		method: "POST", path: "/api/login", anonymous: true,
		json: `{"username":"` + testUser + `","password":"` + testPassword + `"}`,
	}, &session)
	if session.TokenType != "Bearer" || session.ExpiresIn != 3600 || session.Username != testUser {
		t.Errorf("session %+v", session)
	}
	other := &testServer{app: w.app, url: w.url, token: session.AccessToken}

	dataset := "/api/v1/datasets/" + created.DatasetKey
	for _, r := range []refusal{
		{"get", call{method: "GET", path: dataset}, 404, api.CodeNotFound, ""},
		{"delete", call{method: "DELETE", path: dataset}, 404, api.CodeNotFound, ""},
		{"add_data", call{method: "POST", path: dataset + "/data", form: "id,a,b\n"}, 404, api.CodeNotFound, ""},
		{"upload", call{method: "PUT", path: created.DatasetUploadInfo.UploadURL, body: "id,a,b\n1,2,3\n"}, 404, api.CodeNotFound, ""},
		{"train", call{
			method: "POST", path: "/api/v1/training/datasets/" + created.DatasetKey,
			json: `{"scalingFactor":4,"performanceThreshold":0.5}`,
		}, 404, api.CodeNotFound, ""},
		{"models", call{method: "GET", path: "/api/v1/models/datasets/" + created.DatasetKey + "?offset=0&limit=1"}, 404, api.CodeNotFound, ""},
	} {
		t.Run(r.name, func(t *testing.T) { other.refused(t, r) })
	}
	t.Run("list", func(t *testing.T) {
		var page struct{ Total int64 }
		other.must(t, call{method: "GET", path: "/api/v1/datasets?offset=0&limit=1"}, &page)
		if page.Total != 0 {
			t.Errorf("sees %d datasets", page.Total)
		}
	})
	t.Run("names_are_taken_within_an_account", func(t *testing.T) { other.newDataset(t, "private") })
}
