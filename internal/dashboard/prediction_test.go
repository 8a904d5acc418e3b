package dashboard

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"foretell/internal/client"
)

// TestRefusedDeletion deletes a prediction that is running, as an open page that is older may do. The response
// must be the page of the prediction, with the reason, and with links and polls that work.
func TestRefusedDeletion(t *testing.T) {
	const key = "3f0c9c5e-0000-4000-8000-000000000001"
	c, err := client.New(client.Options{BaseURL: "http://x", Attempts: 1, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		status, kind, body := 200, "application/json", `{"predictionKey":"`+key+`","modelKey":"`+key+`","datasetKey":"`+key+`","status":"RUNNING"}`
		if r.Method == http.MethodDelete && path.Base(r.URL.Path) == key {
			status, kind, body = 409, "application/problem+json", `{"status":409,"code":"wrong-state","detail":"the prediction is RUNNING"}`
		}
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body))}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/predictions/"+key+"/delete", nil)
	r.SetPathValue("key", key)
	p := New(Options{Now: time.Now})
	if err := p.deletePrediction(&visit{w: w, r: r, client: c}); err != nil {
		t.Fatal(err)
	}
	page := w.Body.String()
	if w.Code != http.StatusConflict || !strings.Contains(page, "The prediction is RUNNING.") || !strings.Contains(page, `data-hx-get="/predictions/`+key+`?part=prediction"`) {
		t.Errorf("%d %s", w.Code, page)
	}
}
