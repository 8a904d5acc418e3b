package client_test

import (
	"errors"
	"io"
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

// TestURLsBelowPath uploads to and downloads from a service below a path. The proxy before it removes the
// path from requests, so the URLs in responses lack it. URLs of an object store are not changed.
func TestURLsBelowPath(t *testing.T) {
	t.Parallel()
	var path, token string
	record := func(w http.ResponseWriter, r *http.Request) {
		path, token = r.URL.RequestURI(), r.Header.Get("Authorization")
	}
	store := newDeployment(t, record)
	proxy := newDeployment(t, record)
	c := proxy.client(t, client.Options{BaseURL: proxy.URL + "/ml/foretell/"})
	for _, test := range []struct {
		address, path string
		hasToken      bool
	}{
		{proxy.URL + "/api/v1/predictions/1/result?expires=1&signature=a%2Fb", "/ml/foretell/api/v1/predictions/1/result?expires=1&signature=a%2Fb", true},
		{"/api/v1/predictions/1/result", "/ml/foretell/api/v1/predictions/1/result", true},
		{proxy.URL + "/ml/foretell/api/v1/predictions/1/result", "/ml/foretell/api/v1/predictions/1/result", true},
		{proxy.URL + "/bucket/x?X-Amz-Signature=a", "/bucket/x?X-Amz-Signature=a", true},
		{store.URL + "/api/v1/x?X-Amz-Signature=a", "/api/v1/x?X-Amz-Signature=a", false},
	} {
		if _, err := c.Download(t.Context(), test.address, io.Discard); err != nil || path != test.path || (token != "") != test.hasToken {
			t.Errorf("download of %s: %v, requested %s with the token %q", test.address, err, path, token)
		}
		if _, err := c.UploadData(t.Context(), api.UploadInfo{UploadURL: test.address}, text("id,a,b\n"), nil); err != nil || path != test.path || (token != "") != test.hasToken {
			t.Errorf("upload to %s: %v, requested %s with the token %q", test.address, err, path, token)
		}
	}
}

// TestBodyNotSentToOtherHosts redirects requests with a table to another host. Only an upload to an
// upload URL may follow, and never from https to http.
func TestBodyNotSentToOtherHosts(t *testing.T) {
	t.Parallel()
	const csv = "id,a,b\n1,2,3\n"
	for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		other := newDeployment(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
		redirect := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+r.URL.Path, status) }
		plain := newDeployment(t, redirect)
		encrypted := httptest.NewTLSServer(http.HandlerFunc(redirect))
		t.Cleanup(encrypted.Close)
		clients := map[string]*client.Client{
			"http":  plain.client(t, client.Options{}),
			"https": plain.client(t, client.Options{BaseURL: encrypted.URL, Transport: encrypted.Client().Transport}),
		}
		for scheme, c := range clients {
			base := map[string]string{"http": plain.URL, "https": encrypted.URL}[scheme]
			for name, send := range map[string]func() error{
				"data": func() error {
					_, err := c.AddData(t.Context(), key, text(csv), nil)
					return err
				},
				"prediction": func() error {
					_, err := c.CreatePrediction(t.Context(), &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: key}}, text(csv), nil)
					return err
				},
				"upload": func() error {
					_, err := c.UploadData(t.Context(), api.UploadInfo{UploadURL: base + "/upload"}, text(csv), nil)
					return err
				},
			} {
				before := len(other.requests())
				err := send()
				got := other.requests()[before:]
				if follows := name == "upload" && scheme == "http"; follows {
					if err != nil || len(got) != 1 || got[0].Header.Get("Authorization") != "" {
						t.Errorf("%d %s over %s: %d requests to the other host, %v", status, name, scheme, len(got), err)
					}
					continue
				}
				var network *client.NetworkError
				if !errors.As(err, &network) || network.Kind != client.BadRedirect || len(got) != 0 {
					t.Errorf("%d %s over %s: %d requests to the other host, %v", status, name, scheme, len(got), err)
				}
			}
		}
	}
}
