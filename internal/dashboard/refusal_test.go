package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestRetryAfterOfDownload downloads a file while the service is busy. The problem has the time of the
// header Retry-After.
func TestRetryAfterOfDownload(t *testing.T) {
	busy := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"status":503,"detail":"busy"}`))
	})
	p := New(Options{API: busy, BaseURL: func(*http.Request) string { return "http://foretell.example.com" }, Now: time.Now})
	recorder := httptest.NewRecorder()
	v := &visit{w: recorder, r: httptest.NewRequest(http.MethodGet, "/predictions/1/result", http.NoBody), token: "token"}
	var problem *api.Problem
	if err := p.forwardToAPI(v, "/api/v1/predictions/1/result"); !errors.As(err, &problem) || problem.RetryAfter != 7 || problem.Status != http.StatusServiceUnavailable {
		t.Errorf("%+v", err)
	}
	if recorder.Body.Len() > 0 || recorder.Header().Get("Retry-After") != "" {
		t.Errorf("written before the page: %v, %s", recorder.Header(), recorder.Body)
	}
}

// TestRefusedDeletionOfWideDataset refuses to delete a dataset with more columns than a page shows. The
// links to the other columns must be those of the page of the dataset, not of its deletion.
func TestRefusedDeletionOfWideDataset(t *testing.T) {
	const key = "3f0c9c5e-0000-4000-8000-000000000001"
	dataset := api.Dataset{DatasetEntry: api.DatasetEntry{DatasetKey: key, DatasetName: "wide", Status: api.DatasetCompleted}}
	for i := range columnsPerPage + 1 {
		dataset.Columns = append(dataset.Columns, api.Column{Name: fmt.Sprint("c", i), Kind: "numeric"})
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var body any = dataset
		switch {
		case r.Method == http.MethodDelete:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusConflict)
			body = api.Problem{Status: http.StatusConflict, Code: api.CodeWrongState, Detail: "a race is running"}
		case !strings.HasSuffix(r.URL.Path, key):
			body = api.TrainingPage{TrainingJobs: []api.Training{}}
		}
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(service.Close)
	caller, err := client.New(client.Options{BaseURL: service.URL, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, "/datasets/"+key+"/delete", http.NoBody)
	request.SetPathValue("key", key)
	recorder := httptest.NewRecorder()
	p := New(Options{BaseURL: func(*http.Request) string { return service.URL }, Now: time.Now})
	if err := p.deleteDataset(&visit{w: recorder, r: request, client: caller, account: &api.Account{}}); err != nil {
		t.Fatal(err)
	}
	text := recorder.Body.String()
	if !strings.Contains(text, "is running") || !strings.Contains(text, `href="/datasets/`+key+`?offset=100`) || strings.Contains(text, "/delete?offset") {
		t.Errorf("status %d: %s", recorder.Code, text)
	}
}
