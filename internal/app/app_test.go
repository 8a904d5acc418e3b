package app_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/blob"
	"foretell/internal/clamav"
	"foretell/internal/store"
)

// testApp is an App on a folder, and the context of an account.
type testApp struct {
	*app.App
	dir string
	ctx context.Context // the account's
}

// open opens the App of a folder, for the account of the embedded service. No jobs run
// until work is called.
func open(t *testing.T, dir string) *testApp {
	t.Helper()
	return openAt(t, dir, time.Now)
}

// openAt is open with the function now as the clock.
func openAt(t *testing.T, dir string, now func() time.Time) *testApp {
	t.Helper()
	b, closeAll, err := openIn(t.Context(), dir, appOptions{log: io.Discard, now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	return b
}

// appOptions configures the App of a test.
type appOptions struct {
	log                 io.Writer
	now                 func() time.Time
	accept              bool // accepts any database
	ownJobsOnly         bool
	memory              int64
	database            string // defaults to a file
	storage             string // defaults to a folder
	minDistributedCells int64
	partClaimTimeout    time.Duration
	preparation         time.Duration
	clamav              string // the address of a clamd; "" scans no files
}

func openIn(ctx context.Context, dir string, h appOptions) (*testApp, func(), error) {
	st, err := store.Open(ctx, cmp.Or(h.database, filepath.Join(dir, "foretell.db")))
	if err != nil {
		return nil, nil, err
	}
	var blobs *blob.Store
	if h.storage == "" {
		blobs, err = blob.OpenFolder(filepath.Join(dir, "blobs"), st.ProcessName())
	} else {
		blobs, err = blob.Open(ctx, h.storage, blob.Options{Process: st.ProcessName(), TempDir: dir, Getenv: os.Getenv})
	}
	if err != nil {
		return nil, nil, err
	}
	var scanner *clamav.Client
	if h.clamav != "" {
		if scanner, err = clamav.New(h.clamav); err != nil {
			return nil, nil, err
		}
	}
	a, err := app.New(app.Config{
		Scanner: scanner, Store: st, Blobs: blobs, TempDir: dir, Now: h.now, Rand: rand.Reader, Log: slog.New(slog.NewTextHandler(h.log, nil)),
		Accounts:       account.Options{PasswordMemory: 64}, // hashes of 19 MiB would take a fifth of the tests' time
		AcceptMismatch: h.accept, OwnJobsOnly: h.ownJobsOnly, PreparationTimeLimit: h.preparation, Memory: h.memory, MinDistributedCells: h.minDistributedCells, PartClaimTimeout: h.partClaimTimeout,
	})
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	session, err := a.OpenLocalSession(ctx)
	if err != nil {
		return nil, nil, err
	}
	ctx, err = signIn(ctx, a, session.AccessToken)
	return &testApp{App: a, dir: dir, ctx: ctx}, func() {
		a.Close()
		_ = st.Close()
	}, err
}

// signIn returns a context whose caller is the account of the token.
func signIn(ctx context.Context, a *app.App, token string) (context.Context, error) {
	c, err := a.Authenticate(ctx, token)
	c.BaseURL = "http://service.test"
	return account.WithCaller(ctx, c), err
}

// work runs jobs until the test ends or the returned function is called.
func (a *testApp) work(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := a.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

// as returns a testApp for the same App, with the context of the account that has this email.
func (a *testApp) as(t *testing.T, email string) *testApp {
	t.Helper()
	if err := a.AddUser(t.Context(), api.NewAccount{Email: email}, "correct horse"); err != nil {
		t.Fatal(err)
	}
	session := must(a.LogIn(t.Context(), logIn(email, "correct horse")))(t)
	return &testApp{App: a.App, dir: a.dir, ctx: must(signIn(t.Context(), a.App, session.AccessToken))(t)}
}

// account returns an input with the key of the account with this email.
func (a *testApp) account(t *testing.T, email string) *api.AccountInput {
	t.Helper()
	return &api.AccountInput{AccountKey: must(a.FindAccount(t.Context(), email))(t).AccountKey}
}

func logIn(email, password string) *api.LogInInput {
	return &api.LogInInput{Body: api.Credentials{Username: email, Password: password}}
}

// must returns a function that returns v, or fails the test if err is not nil.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// wantCode fails unless err is a problem with the code.
func wantCode(t *testing.T, err error, want api.Code) {
	t.Helper()
	if err == nil || api.CodeFromError(err) != want {
		t.Errorf("error %v, want one of code %s", err, want)
	}
}

// eventually calls get repeatedly until ok returns true for the returned value. Then eventually
// returns this value.
func eventually[T any](t *testing.T, get func() (T, error), ok func(T) bool) T {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		v, err := get()
		if err != nil {
			t.Fatal(err)
		}
		if ok(v) {
			return v
		}
		select {
		case <-deadline:
			t.Fatalf("waited long enough: %+v", v)
		case <-tick.C:
		}
	}
}

func (a *testApp) create(t *testing.T, name string) *api.CreatedDataset {
	t.Helper()
	return must(a.CreateDataset(a.ctx, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: name}}))(t)
}

func (a *testApp) add(t *testing.T, key, csv string) {
	t.Helper()
	must(a.AddData(a.ctx, &api.DatasetInput{DatasetKey: key}, strings.NewReader(csv)))(t)
}

// prepared creates a dataset and waits until it is prepared.
func (a *testApp) prepared(t *testing.T, name, csv string) *api.Dataset {
	t.Helper()
	key := a.create(t, name).DatasetKey
	a.add(t, key, csv)
	return a.awaitDataset(t, key)
}

func (a *testApp) awaitDataset(t *testing.T, key string) *api.Dataset {
	t.Helper()
	return eventually(t, func() (*api.Dataset, error) { return a.GetDataset(a.ctx, &api.DatasetInput{DatasetKey: key}) },
		func(d *api.Dataset) bool { return d.Status == api.DatasetCompleted || d.Status == api.DatasetFailed })
}

func newRace(dataset string, threshold float64) *api.CreateTrainingInput {
	seconds := 60
	return &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: dataset},
		Body: api.NewTraining{
			ScalingFactor: 8, PerformanceThreshold: api.NewThreshold(&threshold), TimeLimitSeconds: &seconds, Algorithms: []string{"BSIX01"},
		},
	}
}

func (a *testApp) awaitTraining(t *testing.T, key string) *api.Training {
	t.Helper()
	return eventually(t, func() (*api.Training, error) { return a.GetTraining(a.ctx, &api.TrainingInput{TrainingJobKey: key}) },
		func(r *api.Training) bool { return r.Status != api.TrainingPending && r.Status != api.TrainingRunning })
}

// trained returns a race that trained a model on an easy dataset.
func (a *testApp) trained(t *testing.T, name string) *api.Training {
	t.Helper()
	d := a.prepared(t, name, labelled(300))
	created := must(a.CreateTraining(a.ctx, newRace(d.DatasetKey, 0.8)))(t)
	return a.awaitTraining(t, created.TrainingJobKey)
}

func (a *testApp) predicted(t *testing.T, model, blind string) *api.Prediction {
	t.Helper()
	created := must(a.CreatePrediction(a.ctx, &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: model}}, strings.NewReader(blind)))(t)
	return a.awaitPrediction(t, created.PredictionKey)
}

func (a *testApp) awaitPrediction(t *testing.T, key string) *api.Prediction {
	t.Helper()
	return eventually(t, func() (*api.Prediction, error) {
		return a.GetPrediction(a.ctx, &api.PredictionInput{PredictionKey: key})
	}, func(p *api.Prediction) bool {
		return p.Status != api.PredictionPending && p.Status != api.PredictionRunning
	})
}

// labelled returns a training file whose label follows from its columns. blind returns a blind file
// with the same columns.
func labelled(rows int) string { return table(rows, true) }
func blind(rows int) string    { return table(rows, false) }

func table(rows int, labels bool) string {
	var b bytes.Buffer
	b.WriteString("id,size,colour")
	if labels {
		b.WriteString(",kind")
	}
	b.WriteString("\n")
	for i := range rows {
		x := (i * 7919) % 1000
		fmt.Fprintf(&b, "r%d,%d,%s", i, x, []string{"red", "green", ""}[i%3])
		if labels {
			b.WriteString([]string{",small", ",large"}[x/500])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// noisy returns the file of labelled with every fifth label wrong.
func noisy(rows int) string {
	lines := strings.Split(labelled(rows), "\n")
	for i := 5; i < len(lines)-1; i += 5 {
		head, label := lines[i][:len(lines[i])-5], lines[i][len(lines[i])-5:]
		lines[i] = head + map[string]string{"small": "large", "large": "small"}[label]
	}
	return strings.Join(lines, "\n")
}

// files returns the names of all blobs in the folder, including incomplete
// ones.
func (a *testApp) files(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, e := range must(os.ReadDir(filepath.Join(a.dir, "blobs")))(t) {
		if strings.Contains(e.Name(), "-") { // the other files are no blobs
			names = append(names, e.Name())
		}
	}
	return names
}

// awaitFiles waits until the number of stored files is n. Files are deleted after the end of a job.
func (a *testApp) awaitFiles(t *testing.T, n int) {
	t.Helper()
	eventually(t, func() ([]string, error) { return a.files(t), nil }, func(names []string) bool { return len(names) == n })
}
