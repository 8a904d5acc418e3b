package report

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestLoadWithoutReport loads a model from a service without reports. The document must have the error of
// the service, so that no second request is needed to show the error.
func TestLoadWithoutReport(t *testing.T) {
	t.Parallel()
	requests := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/models/m/report", func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"code":"no-route","detail":"no operation at this path"}`)
	})
	mux.HandleFunc("/api/v1/models/m", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"modelKey":"m","datasetKey":"d","version":3}`)
	})
	mux.HandleFunc("/api/v1/datasets/d", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"datasetKey":"d","datasetName":"shop"}`) })
	s := httptest.NewServer(mux)
	defer s.Close()
	c, err := client.New(client.Options{BaseURL: s.URL, Token: "token", Transport: http.DefaultTransport})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Load(t.Context(), c, "m")
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "shop@v3" || d.Report != nil || api.CodeFromError(d.ReportError) != api.CodeNoRoute || requests != 1 {
		t.Errorf("%s with the report %v and the error %v after %d requests", d.Name, d.Report, d.ReportError, requests)
	}
}
