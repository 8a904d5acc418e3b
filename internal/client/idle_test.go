package client_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestIdleResponse checks that a call ends with an error if its response stops.
func TestIdleResponse(t *testing.T) {
	t.Parallel()
	d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"datasetKey":`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	_, err := client.Call(t.Context(), d.client(t, client.Options{IdleTimeout: 100 * time.Millisecond}), api.GetDataset, &api.DatasetInput{DatasetKey: key})
	var network *client.NetworkError
	if !errors.As(err, &network) || network.Kind != client.ConnectionLost || !strings.Contains(err.Error(), "no data arrived for 100ms") {
		t.Errorf("got %v", err)
	}
}

// TestIdleDownload checks that a download continues with another request if its response
// stops.
func TestIdleDownload(t *testing.T) {
	t.Parallel()
	file, requests := strings.Repeat("id,prediction\n", 1000), 0
	d := newDeployment(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if requests++; requests > 1 {
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(file))
			return
		}
		_, _ = io.WriteString(w, file[:5000])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	var got bytes.Buffer
	_, err := d.client(t, client.Options{IdleTimeout: 100 * time.Millisecond}).Download(t.Context(), d.URL+"/result", &got)
	if err != nil || got.String() != file || requests < 2 { // on a busy machine, also the second response may pause
		t.Errorf("%d of %d bytes after %d requests, %v", got.Len(), len(file), requests, err)
	}
}
