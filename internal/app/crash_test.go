//go:build !windows

package app_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// crashVariable is the environment variable with the folder of TestCrashChild.
const crashVariable = "FORETELL_TEST_CRASH_DIR"

// TestCrashChild is not a test. It is the process that other tests start and kill: it opens the App
// of a folder, and prints what it does.
func TestCrashChild(t *testing.T) {
	dir := os.Getenv(crashVariable)
	if dir == "" {
		t.Skip("runs as the child of other tests only")
	}
	b, closeAll, err := openIn(t.Context(), dir, appOptions{log: os.Stdout, now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	key := os.Getenv(crashVariable + "_UPLOAD")
	if key == "" {
		t.Fatal(b.Run(t.Context()))
	}
	_, err = b.AddData(b.ctx, &api.DatasetInput{DatasetKey: key}, &stuckBody{head: strings.NewReader(labelled(100_000))})
	t.Fatal(err)
}

// stuckBody is an upload that stops in the middle.
type stuckBody struct{ head io.Reader }

func (s *stuckBody) Read(p []byte) (int, error) {
	if n, err := s.head.Read(p); err == nil {
		return n, nil
	}
	fmt.Println("stuck")
	select {}
}

// child is an App in another process.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startChild(t *testing.T, dir string, env ...string) *child {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
	cmd.Env = append(append(os.Environ(), crashVariable+"="+dir), env...)
	out := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd, bufio.NewScanner(out)}
	t.Cleanup(c.kill)
	return c
}

// await reads lines from the child's output until a line contains all the words.
func (c *child) await(t *testing.T, words ...string) {
	t.Helper()
	var seen []string
next:
	for c.lines.Scan() {
		seen = append(seen, c.lines.Text())
		for _, w := range words {
			if !strings.Contains(c.lines.Text(), w) {
				continue next
			}
		}
		return
	}
	t.Fatalf("the child ended without saying %q:\n%s", words, strings.Join(seen, "\n"))
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func TestKilledWhileUploading(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	key := b.create(t, "flowers").DatasetKey
	c := startChild(t, b.dir, crashVariable+"_UPLOAD="+key)
	c.await(t, "stuck")
	if len(b.files(t)) != 1 {
		t.Fatalf("during the upload the files are %v", b.files(t))
	}
	c.kill()
	b.work(t)
	b.awaitFiles(t, 0)
	d := must(b.GetDataset(b.ctx, &api.DatasetInput{DatasetKey: key}))(t)
	if d.Status != api.DatasetPending {
		t.Errorf("the dataset is %s", d.Status)
	}
	b.add(t, key, labelled(300))
	if d := b.awaitDataset(t, key); d.Status != api.DatasetCompleted {
		t.Errorf("the dataset is %+v after another upload", d)
	}
}

// TestKilledWhileRunningJobs kills a process during each kind of job. Another
// process on the same folder takes over each time.
func TestKilledWhileRunningJobs(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())

	dataset := b.create(t, "flowers").DatasetKey
	b.add(t, dataset, noisy(60_000))
	c := startChild(t, b.dir)
	c.await(t, "job begins", "kind=prepare")
	c.kill()
	stop := b.work(t)
	if d := b.awaitDataset(t, dataset); d.Status != api.DatasetCompleted {
		t.Fatalf("the dataset is %+v", d)
	}
	stop()

	race := must(b.CreateTraining(b.ctx, newRace(dataset, 0)))(t).TrainingJobKey
	c = startChild(t, b.dir)
	c.await(t, "job begins", "kind=train")
	eventually(t, func() (*api.Training, error) { return b.GetTraining(b.ctx, &api.TrainingInput{TrainingJobKey: race}) },
		func(r *api.Training) bool { return r.Status == api.TrainingRunning })
	c.kill()
	stop = b.work(t)
	r := b.awaitTraining(t, race)
	if r.Status != api.TrainingCompleted || r.ModelKey == "" {
		t.Fatalf("the race is %+v", r)
	}
	stop()

	created := must(b.CreatePrediction(b.ctx, &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: r.ModelKey}}, strings.NewReader(blind(100_000))))(t)
	c = startChild(t, b.dir)
	c.await(t, "job begins", "kind=predict")
	c.kill()
	b.work(t)
	if p := b.awaitPrediction(t, created.PredictionKey); p.Status != api.PredictionCompleted || p.Rows != 100_000 {
		t.Fatalf("the prediction is %+v", p)
	}
	// There are three files: the CSV, the model and the result.
	b.awaitFiles(t, 3)
}

// TestKilledWhileCancelling kills a process after the request to cancel its race, before that
// process has noticed the request. The race must end and not be trained again.
func TestKilledWhileCancelling(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	dataset := b.prepared(t, "flowers", noisy(20_000)).DatasetKey
	stop()
	race := must(b.CreateTraining(b.ctx, newRace(dataset, 1)))(t).TrainingJobKey
	c := startChild(t, b.dir)
	c.await(t, "job begins", "kind=train")
	eventually(t, func() (*api.Training, error) { return b.GetTraining(b.ctx, &api.TrainingInput{TrainingJobKey: race}) },
		func(r *api.Training) bool { return r.Status == api.TrainingRunning })
	c.kill() // the request is stored below, as if it had come just before the kill
	rows := must(store.Open(t.Context(), filepath.Join(b.dir, "foretell.db")))(t)
	defer func() { _ = rows.Close() }()
	if err := rows.Write(t.Context(), func(tx *store.Tx) error { return tx.RequestCancel(t.Context(), race) }); err != nil {
		t.Fatal(err)
	}
	b.work(t)
	if r := b.awaitTraining(t, race); r.Status != api.TrainingCancelled || r.ModelKey != "" {
		t.Errorf("the race is %s with the model %q", r.Status, r.ModelKey)
	}
}
