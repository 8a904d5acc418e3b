package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/server"
)

// withClients runs test twice against the service: with a client in this process, and with one over
// TCP. It is here, and not in package client, because that package has tests in itself: Go would
// then compile this package a second time for them.
func withClients(t *testing.T, test func(t *testing.T, c *client.Client)) {
	t.Helper()
	for _, name := range []string{"in_process", "behind_a_port"} {
		t.Run(name, func(t *testing.T) {
			s := newTestServer(t, server.Options{})
			opts := client.Options{BaseURL: s.url, Token: s.token}
			if name == "in_process" {
				transport, closer := client.NewInProcessTransport(s.handler)
				t.Cleanup(func() {
					if err := closer.Close(); err != nil {
						t.Error(err)
					}
				})
				opts.BaseURL, opts.Transport = "http://foretell.invalid", transport
			}
			c, err := client.New(opts)
			if err != nil {
				t.Fatal(err)
			}
			test(t, c)
		})
	}
}

// source returns a file to upload.
func source(text string) client.Source {
	return client.Source{Name: "a.csv", Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// TestClient runs the whole workflow with the client.
func TestClient(t *testing.T) {
	t.Parallel()
	withClients(t, func(t *testing.T, c *client.Client) {
		t.Helper()
		ctx := t.Context()
		created, err := client.Call(ctx, c, api.CreateDataset, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "flowers"}})
		if err != nil {
			t.Fatal(err)
		}
		var sent int64
		src := source(flowers(200, true))
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
		checkPrediction(t, c, job.ModelKey)
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

// checkPrediction predicts with a model and downloads the result.
func checkPrediction(t *testing.T, c *client.Client, model string) {
	t.Helper()
	prediction, err := c.CreatePrediction(t.Context(), &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: model}}, source(flowers(20, false)), nil)
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

// TestClientUploadInterrupted interrupts uploads: the file cannot be read, the context ends, or the
// size of the file differs. The client must not try again, and the dataset must stay PENDING,
// so that a later upload succeeds.
func TestClientUploadInterrupted(t *testing.T) {
	t.Parallel()
	withClients(t, func(t *testing.T, c *client.Client) {
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
		good := source(flowers(100, true))
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
