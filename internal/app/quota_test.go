package app_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"foretell/internal/api"
	"foretell/internal/testenv"
)

func TestQuota(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	ann := b.as(t, "ann@example.com")
	limit := func(q api.Quota) {
		t.Helper()
		must(b.SetQuota(t.Context(), &api.SetQuotaInput{AccountInput: *b.account(t, "ann@example.com"), Body: q}))(t)
	}
	limit(api.Quota{Datasets: new(int64(2)), Bytes: new(int64(10_000)), Races: new(int64(1))})
	stop := b.work(t)
	first := ann.prepared(t, "first", labelled(100)) // 1,000 to 2,000 bytes
	second := ann.create(t, "second").DatasetKey
	_, err := ann.CreateDataset(ann.ctx, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "third"}})
	wantCode(t, err, api.CodeQuota)
	if err != nil && !strings.Contains(err.Error(), "for datasets is 2 (used: 2): delete datasets") {
		t.Errorf("the error is %v", err)
	}
	t.Run("a body of unknown size", func(t *testing.T) {
		_, err := ann.AddData(ann.ctx, &api.DatasetInput{DatasetKey: second}, strings.NewReader(labelled(2000)))
		wantCode(t, err, api.CodeQuota)
		d := must(ann.GetDataset(ann.ctx, &api.DatasetInput{DatasetKey: second}))(t)
		if d.Status != api.DatasetPending {
			t.Errorf("the dataset is %s", d.Status)
		}
		b.awaitFiles(t, 1)
	})
	t.Run("a body without an end is not read to the largest size", func(t *testing.T) {
		_, err := ann.AddData(ann.ctx, &api.DatasetInput{DatasetKey: second}, endless{})
		wantCode(t, err, api.CodeQuota)
		b.awaitFiles(t, 1)
	})
	stop()
	t.Run("races that wait count", func(t *testing.T) {
		race := must(ann.CreateTraining(ann.ctx, newRace(first.DatasetKey, 0.8)))(t)
		_, err := ann.CreateTraining(ann.ctx, newRace(first.DatasetKey, 0.8))
		wantCode(t, err, api.CodeQuota)
		must(ann.CancelTraining(ann.ctx, &api.TrainingInput{TrainingJobKey: race.TrainingJobKey}))(t)
		must(ann.CreateTraining(ann.ctx, newRace(first.DatasetKey, 0.8)))(t)
	})
	t.Run("a race needs a byte that is left", func(t *testing.T) {
		used := must(b.GetAccount(t.Context(), b.account(t, "ann@example.com")))(t).Usage.Bytes
		for left := range int64(2) {
			limit(api.Quota{Bytes: new(used + left)})
			race, err := ann.CreateTraining(ann.ctx, newRace(first.DatasetKey, 0.8))
			if left == 0 {
				wantCode(t, err, api.CodeQuota)
				if want := fmt.Sprintf("for stored bytes is %d (used: %[1]d): delete", used); err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v; want %s", err, want)
				}
			} else {
				must(race, err)(t)
			}
		}
	})
	t.Run("without a limit", func(t *testing.T) {
		limit(api.Quota{})
		ann.create(t, "third")
		ann.add(t, second, labelled(2000))
		must(ann.CreateTraining(ann.ctx, newRace(first.DatasetKey, 0.8)))(t)
	})
}

// TestQuotaOfResults predicts with accounts whose quota is used up. The result may exceed the quota,
// but at most by the size of the largest upload.
func TestQuotaOfResults(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	ann := b.as(t, "ann@example.com")
	race := ann.trained(t, "flowers")
	stop()
	create := func() string {
		return must(ann.CreatePrediction(ann.ctx, &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: race.ModelKey}}, strings.NewReader(blind(40))))(t).PredictionKey
	}
	usage := func() int64 { return must(b.GetAccount(t.Context(), b.account(t, "ann@example.com")))(t).Usage.Bytes }
	first := create()
	must(b.SetQuota(t.Context(), &api.SetQuotaInput{AccountInput: *b.account(t, "ann@example.com"), Body: api.Quota{Bytes: new(usage())}}))(t)
	b.execSQL(t, fmt.Sprintf("UPDATE dataset SET bytes = bytes + %d", api.MaxUploadBytes-100_000))
	stop = b.work(t)
	if p := ann.awaitPrediction(t, first); p.Status != api.PredictionCompleted {
		t.Errorf("the prediction is %s, because %q", p.Status, p.FailureReason)
	}
	stop()
	must(b.SetQuota(t.Context(), &api.SetQuotaInput{AccountInput: *b.account(t, "ann@example.com")}))(t)
	second := create()
	must(b.SetQuota(t.Context(), &api.SetQuotaInput{AccountInput: *b.account(t, "ann@example.com"), Body: api.Quota{Bytes: new(usage())}}))(t)
	b.execSQL(t, fmt.Sprintf("UPDATE dataset SET bytes = bytes + %d", api.MaxUploadBytes))
	b.work(t)
	if p := ann.awaitPrediction(t, second); p.Status != api.PredictionFailed || !api.IsQuotaFailure(p.FailureReason) {
		t.Errorf("the prediction is %s, because %q", p.Status, p.FailureReason)
	}
	must(b.SetQuota(t.Context(), &api.SetQuotaInput{AccountInput: *b.account(t, "ann@example.com"), Body: api.Quota{Bytes: new(int64(math.MaxInt64))}}))(t)
	b.execSQL(t, "UPDATE dataset SET bytes = 0")
	if p := ann.awaitPrediction(t, create()); p.Status != api.PredictionCompleted {
		t.Errorf("with the largest quota, the prediction is %s, because %q", p.Status, p.FailureReason)
	}
}

// heldBody is a body that ends only when end is closed. It closes written when all of its text was
// read and stored.
type heldBody struct {
	text    io.Reader
	written chan struct{}
	end     chan struct{}
}

func (h *heldBody) Read(p []byte) (int, error) {
	if n, err := h.text.Read(p); err == nil {
		return n, nil
	}
	close(h.written)
	<-h.end
	return 0, io.EOF
}

// readerFunc is a function that is an io.Reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestQuotaOfConcurrentUploads checks that uploads in progress count towards the quota, and that
// those that have failed or were cancelled do not.
func TestQuotaOfConcurrentUploads(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	ann, csv := b.as(t, "ann@example.com"), labelled(300)
	quota := api.Quota{Bytes: new(int64(len(csv) + 100))}
	must(b.SetQuota(t.Context(), &api.SetQuotaInput{AccountInput: *b.account(t, "ann@example.com"), Body: quota}))(t)
	first, second := ann.create(t, "first").DatasetKey, ann.create(t, "second").DatasetKey
	upload := func(ctx context.Context, key string, body io.Reader) error {
		_, err := ann.AddData(ctx, &api.DatasetInput{DatasetKey: key}, body)
		return err
	}
	wantCode(t, upload(ann.ctx, first, io.MultiReader(strings.NewReader(csv), iotest.ErrReader(io.ErrUnexpectedEOF))), api.CodeMalformed)
	cancelled, cancel := context.WithCancel(ann.ctx)
	if err := upload(cancelled, first, io.MultiReader(strings.NewReader(csv), readerFunc(func([]byte) (int, error) {
		cancel()
		return 1, nil // writing the byte fails
	}))); err == nil {
		t.Error("a cancelled upload succeeded")
	}
	held := &heldBody{text: strings.NewReader(csv), written: make(chan struct{}), end: make(chan struct{})}
	done := make(chan error)
	go func() { done <- upload(ann.ctx, first, held) }()
	select {
	case <-held.written:
	case err := <-done:
		t.Fatalf("the bytes of a failed upload count: %v", err)
	}
	err := upload(ann.ctx, second, strings.NewReader(csv))
	wantCode(t, err, api.CodeQuota)
	if err != nil && !strings.Contains(err.Error(), "exceeds the 100 bytes that are left of the account's quota; other uploads in progress have taken ") {
		t.Errorf("the error is %v", err)
	}
	other := b.create(t, "of another account").DatasetKey
	b.add(t, other, csv)
	close(held.end)
	if err := <-done; err != nil {
		t.Errorf("the upload in progress: %v", err)
	}
	wantCode(t, upload(ann.ctx, second, strings.NewReader(csv)), api.CodeQuota)
	b.awaitFiles(t, 2)
}

// TestQuotaOfTwoServices uploads a file to each of two services on the same database at the same
// time. Only one of the files fits into the quota. Each service counts only its own uploads in
// progress, so the database must refuse one of the files.
func TestQuotaOfTwoServices(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { checkQuotaOfTwoServices(t, "") })
	t.Run("postgres", func(t *testing.T) { checkQuotaOfTwoServices(t, testenv.Postgres(t)) })
}

// checkQuotaOfTwoServices is TestQuotaOfTwoServices on one database. It uses SQLite if database is "".
func checkQuotaOfTwoServices(t *testing.T, database string) {
	t.Helper()
	dir := t.TempDir()
	var services []*testApp
	for range 2 {
		service, closeAll, err := openIn(t.Context(), dir, appOptions{log: io.Discard, now: time.Now, database: database})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(closeAll)
		services = append(services, service)
	}
	ann, csv := services[0].as(t, "ann@example.com"), labelled(300)
	quota := api.Quota{Bytes: new(int64(len(csv) + 100))}
	must(services[0].SetQuota(t.Context(), &api.SetQuotaInput{AccountInput: *services[0].account(t, "ann@example.com"), Body: quota}))(t)
	end, done := make(chan struct{}), make(chan error)
	for i, service := range services {
		in := &api.DatasetInput{DatasetKey: ann.create(t, fmt.Sprintf("dataset %d", i)).DatasetKey}
		held := &heldBody{text: strings.NewReader(csv), written: make(chan struct{}), end: end}
		go func() {
			_, err := service.AddData(ann.ctx, in, held)
			done <- err
		}()
		<-held.written
	}
	close(end)
	stored, refused := 0, 0
	for range services {
		switch err := <-done; {
		case err == nil:
			stored++
		case api.CodeFromError(err) == api.CodeQuota:
			refused++
		default:
			t.Error(err)
		}
	}
	if stored != 1 || refused != 1 {
		t.Errorf("%d files were stored and %d refused", stored, refused)
	}
	ann.awaitFiles(t, 1)
}

// TestQuotaOfRepeatedUpload ends an upload after another upload of the same file, whose bytes count
// towards the quota. The error must not be the quota, because clients then delete a new dataset.
func TestQuotaOfRepeatedUpload(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	ann := b.as(t, "ann@example.com")
	text := labelled(500)
	must(b.SetQuota(t.Context(), &api.SetQuotaInput{
		AccountInput: *b.account(t, "ann@example.com"), Body: api.Quota{Bytes: new(int64(len(text) * 3 / 2))},
	}))(t)
	in := &api.DatasetInput{DatasetKey: ann.create(t, "repeated").DatasetKey}
	r, w := io.Pipe()
	ended := make(chan error)
	go func() {
		_, err := ann.AddData(ann.ctx, in, r)
		ended <- err
	}()
	_, _ = io.WriteString(w, text[:100])
	must(ann.AddData(ann.ctx, in, strings.NewReader(text)))(t)
	_, _ = io.WriteString(w, text[100:])
	_ = w.Close()
	wantCode(t, <-ended, api.CodeWrongState)
}
