package server_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/server"
)

// TestRotateURLKey replaces the key of signed URLs while the service runs. Three seconds later the
// service must refuse an old URL and accept a new one, and sessions must go on.
func TestRotateURLKey(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	s := newTestServer(t, server.Options{Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	created := s.newDataset(t, "flowers")
	upload := func(address string) call {
		return call{method: "PUT", path: strings.TrimPrefix(address, s.url), body: "short", header: map[string]string{"Content-Type": "text/csv"}}
	}
	tooSmall := refusal{call: upload(created.DatasetUploadInfo.UploadURL), want: 422, code: api.CodeTooSmall} // the signature is verified first
	s.refused(t, tooSmall)
	for _, algorithm := range []string{"", "HMAC-SHA3-256"} {
		if _, err := s.app.RotateURLKey(t.Context(), algorithm); err != nil {
			t.Fatal(err)
		}
		ahead.Add(int64(3 * time.Second)) // until then, the old key is accepted
		s.refused(t, refusal{call: tooSmall.call, want: 403, code: api.CodeForbidden})
		var dataset api.Dataset
		s.must(t, call{method: "GET", path: "/api/v1/datasets/" + created.DatasetKey}, &dataset)
		tooSmall.call = upload(dataset.DatasetUploadInfo.UploadURL)
		s.refused(t, tooSmall)
	}
}
