package client_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/blob"
	"foretell/internal/client"
	"foretell/internal/listen"
	"foretell/internal/server"
	"foretell/internal/store"
)

// newService returns the real service, with its data in a temporary folder.
func newService(t *testing.T) (*app.App, http.Handler) {
	t.Helper()
	dir := t.TempDir()
	rows, err := store.Open(t.Context(), filepath.Join(dir, "foretell.db"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := blob.OpenFolder(filepath.Join(dir, "blobs"), rows.ProcessName())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	a, err := app.New(app.Config{Store: rows, Blobs: files, Now: time.Now, Rand: rand.Reader, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	})
	return a, server.New(a, server.Options{Log: log, Now: time.Now})
}

// inBoth runs test twice against the real service: in this process, and over TCP.
func inBoth(t *testing.T, test func(t *testing.T, c *client.Client)) {
	t.Helper()
	t.Run("in_process", func(t *testing.T) {
		a, handler := newService(t)
		transport, closer := client.NewInProcessTransport(handler)
		t.Cleanup(func() {
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, signedIn(t, a, client.Options{BaseURL: "http://foretell.invalid", Transport: transport}))
	})
	t.Run("behind_a_port", func(t *testing.T) {
		a, handler := newService(t)
		srv := httptest.NewUnstartedServer(nil)
		srv.Config = listen.NewServer(handler, slog.New(slog.DiscardHandler))
		srv.Start()
		t.Cleanup(srv.Close)
		test(t, signedIn(t, a, client.Options{BaseURL: srv.URL}))
	})
}

func signedIn(t *testing.T, a *app.App, opts client.Options) *client.Client {
	t.Helper()
	session, err := a.OpenLocalSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	opts.Token = session.AccessToken
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// flowers is a table that is easy to learn.
func flowers(rows int, labelled bool) string {
	var b strings.Builder
	b.WriteString("id,length,width")
	if labelled {
		b.WriteString(",kind")
	}
	for i := range rows {
		kind := i % 2
		fmt.Fprintf(&b, "\nr%d,%.2f,%.2f", i, float64(kind)*3+float64(i%7)/7, 9-float64(kind)*2+float64(i%11)/11)
		if labelled {
			fmt.Fprintf(&b, ",%s", []string{"iris", "rose"}[kind])
		}
	}
	return b.String() + "\n"
}

// TestService runs the whole workflow against the real service.
func TestService(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client.Client) {
		t.Helper()
		ctx := t.Context()
		created, err := client.Call(ctx, c, api.CreateDataset, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "flowers"}})
		if err != nil {
			t.Fatal(err)
		}
		var sent int64
		src := text(flowers(200, true))
		entry, err := c.Upload(ctx, created, src, func(n int64) { sent = n })
		if err != nil || entry.Status != api.DatasetProcessing || sent != src.Size {
			t.Fatalf("%+v, %d of %d bytes, %v", entry, sent, src.Size, err)
		}
		dataset, err := c.WaitDataset(ctx, created.DatasetKey, nil)
		if err != nil || dataset.Status != api.DatasetCompleted || dataset.Rows != 200 {
			t.Fatalf("%+v, %v", dataset, err)
		}
		if _, err := c.Upload(ctx, created, src, nil); api.CodeFromError(err) != api.CodeWrongState {
			t.Errorf("a second upload: %v", err)
		}
		threshold, seed := 0.8, int64(1)
		race, err := client.Call(ctx, c, api.CreateTraining, &api.CreateTrainingInput{
			DatasetInput: api.DatasetInput{DatasetKey: created.DatasetKey},
			Body:         api.NewTraining{ScalingFactor: 8, PerformanceThreshold: api.NewThreshold(&threshold), Seed: &seed},
		})
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		job, err := c.WaitTraining(ctx, race.TrainingJobKey, func(*api.TrainingProgress) { calls++ })
		if err != nil || job.Status != api.TrainingCompleted || job.ModelKey == "" || calls == 0 {
			t.Fatalf("%+v, %d calls, %v", job, calls, err)
		}
		predict(t, c, job.ModelKey)
		var file bytes.Buffer
		if n, err := c.DownloadModel(ctx, job.ModelKey, &file); err != nil || n != int64(file.Len()) || !strings.HasPrefix(file.String(), "FORETELL") {
			t.Errorf("%d of %d bytes of the model, %v", n, file.Len(), err)
		}
		models := 0
		for m, err := range client.AllModelsOfDataset(ctx, c, created.DatasetKey) {
			if err != nil || m.ModelKey != job.ModelKey {
				t.Errorf("%+v, %v", m, err)
			}
			models++
		}
		if models != 1 {
			t.Errorf("%d models", models)
		}
		if _, err := client.Call(ctx, c, api.DeleteDataset, &api.DatasetInput{DatasetKey: created.DatasetKey}); err != nil {
			t.Error(err)
		}
	})
}

func predict(t *testing.T, c *client.Client, model string) {
	t.Helper()
	prediction, err := c.CreatePrediction(t.Context(), &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: model}}, text(flowers(20, false)), nil)
	if err != nil {
		t.Fatal(err)
	}
	done, err := c.WaitPrediction(t.Context(), prediction.PredictionKey, nil)
	if err != nil || done.Status != api.PredictionCompleted {
		t.Fatalf("%+v, %v", done, err)
	}
	var result bytes.Buffer
	n, err := c.Download(t.Context(), done.PredictionResultURL, &result)
	if err != nil || n != int64(result.Len()) || strings.Count(result.String(), "\n") != 21 {
		t.Errorf("%d bytes, %v:\n%s", n, err, result.String())
	}
	_, err = c.Download(t.Context(), strings.Replace(done.PredictionResultURL, "signature=", "signature=x", 1), io.Discard)
	if api.CodeFromError(err) != api.CodeForbidden || strings.Contains(err.Error(), "signature=") {
		t.Errorf("a forged address: %v", err)
	}
}

// TestUploadInterrupted interrupts uploads: the file cannot be read, the context ends, or the
// size of the file differs. The client must not try again, and the dataset must stay PENDING,
// so that a later upload succeeds.
func TestUploadInterrupted(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client.Client) {
		t.Helper()
		ctx := t.Context()
		created, err := client.Call(ctx, c, api.CreateDataset, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "cut"}})
		if err != nil {
			t.Fatal(err)
		}
		big := client.Source{Size: api.MaxAddDataBytes + 1}
		unreadable := errors.New("the disk is gone")
		big.Open = func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader(flowers(1000, true)), failing{unreadable})), nil
		}
		if _, err := c.Upload(ctx, created, big, nil); !errors.Is(err, unreadable) {
			t.Errorf("a file that cannot be read: %v", err)
		}
		ctx2, cancel := context.WithCancel(ctx)
		big.Open = func() (io.ReadCloser, error) { return io.NopCloser(endless{}), nil }
		_, err = c.Upload(ctx2, created, big, func(sent int64) {
			if sent > 1<<20 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ends: %v", err)
		}
		opens := 0
		good := text(flowers(100, true))
		src := client.Source{Size: -1, Open: func() (io.ReadCloser, error) {
			if opens++; opens == 1 {
				return io.NopCloser(failing{&net.OpError{Op: "write", Err: errors.New("broken pipe")}}), nil
			}
			return good.Open()
		}}
		if _, err := c.Upload(ctx, created, src, nil); err == nil {
			t.Error("a file that fails is not the network's failure, and not sent again")
		}
		good.Size--
		if _, err := c.Upload(ctx, created, good, nil); err == nil || !strings.Contains(err.Error(), "changed during the upload") {
			t.Errorf("a file that grew: %v", err)
		}
		good.Size++
		dataset, err := client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: created.DatasetKey})
		if err != nil || dataset.Status != api.DatasetPending {
			t.Fatalf("%+v, %v", dataset, err)
		}
		if _, err := c.Upload(ctx, created, good, nil); err != nil {
			t.Errorf("after all that: %v", err)
		}
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "1,2\n"[i%4]
	}
	return len(p), nil
}

// TestInProcess tests the transport that passes requests to a handler through a pipe.
func TestInProcess(t *testing.T) {
	t.Parallel()
	t.Run("answers_stream", func(t *testing.T) {
		next := make(chan struct{})
		transport, closer := client.NewInProcessTransport(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for _, word := range []string{"one", "two"} {
				_, _ = io.WriteString(w, word)
				_ = http.NewResponseController(w).Flush()
				<-next
			}
		}))
		defer closer.Close()
		resp := get(t, transport, t.Context())
		defer resp.Body.Close()
		for _, want := range []string{"one", "two"} {
			word := make([]byte, 3)
			if _, err := io.ReadFull(resp.Body, word); err != nil || string(word) != want {
				t.Errorf("read %q, %v", word, err)
			}
			next <- struct{}{}
		}
	})
	t.Run("cancellation_carries", func(t *testing.T) {
		begun, ended := make(chan struct{}), make(chan struct{})
		transport, closer := client.NewInProcessTransport(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			close(ended)
		}))
		defer closer.Close()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://x/", nil)
		if resp, err := transport.RoundTrip(req); err == nil {
			_ = resp.Body.Close()
			t.Error("answered")
		}
		<-ended
	})
	t.Run("close_waits_for_handlers", func(t *testing.T) {
		begun, finished := make(chan struct{}), false
		transport, closer := client.NewInProcessTransport(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			finished = true
		}))
		go func() {
			req, _ := http.NewRequestWithContext(context.Background(), "GET", "http://x/", nil)
			if resp, err := transport.RoundTrip(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
		<-begun
		if err := closer.Close(); err != nil || !finished {
			t.Errorf("finished %v, %v", finished, err)
		}
		if err := closer.Close(); err != nil {
			t.Errorf("twice: %v", err)
		}
	})
	t.Run("closed_means_unreachable", func(t *testing.T) {
		transport, closer := client.NewInProcessTransport(http.NotFoundHandler())
		_ = closer.Close()
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://x/", nil)
		if resp, err := transport.RoundTrip(req); err == nil {
			_ = resp.Body.Close()
			t.Error("answered")
		}
	})
}

func get(t *testing.T, transport http.RoundTripper, ctx context.Context) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", "http://x/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}
