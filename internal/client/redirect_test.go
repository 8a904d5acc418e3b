package client_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestUploadURLOfHTTPSService uploads with http URLs that a service with an https URL has returned.
// A URL of the service must be requested with https. A URL of another port of the same host must
// not be changed: it is signed, and belongs to the object store.
func TestUploadURLOfHTTPSService(t *testing.T) {
	t.Parallel()
	var uploads atomic.Int32
	service := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { uploads.Add(1) }))
	t.Cleanup(service.Close)
	store := newDeployment(t, func(http.ResponseWriter, *http.Request) {})
	base, err := url.Parse(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := store.client(t, client.Options{BaseURL: service.URL, Transport: service.Client().Transport})
	for _, test := range []struct {
		name, address      string
		toService, toStore int
	}{
		{"no_port", "http://" + base.Hostname(), 1, 0},
		{"default_port_of_http", "http://" + base.Hostname() + ":80", 1, 0},
		{"port_of_the_service", "http://" + base.Host, 1, 0},
		{"port_of_the_store", store.URL, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, beforeStore := int(uploads.Load()), len(store.requests())
			info := api.UploadInfo{UploadURL: test.address + "/bucket/x?X-Amz-Signature=abc"}
			if _, err := c.UploadData(t.Context(), info, text("id,a,b\n"), nil); err != nil {
				t.Fatal(err)
			}
			toService, toStore := int(uploads.Load())-before, len(store.requests())-beforeStore
			if toService != test.toService || toStore != test.toStore {
				t.Errorf("requests: %d to the service, %d to the store; want %d and %d", toService, toStore, test.toService, test.toStore)
			}
		})
	}
}
