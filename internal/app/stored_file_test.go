package app_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/app"
)

// damages are functions that return the content of a file after some damage.
var damages = map[string]func(content []byte) []byte{
	"cut":     func(c []byte) []byte { return c[:len(c)/2] },
	"flipped": func(c []byte) []byte { c = slices.Clone(c); c[len(c)/2] ^= 1; return c },
	"longer":  func(c []byte) []byte { return append(slices.Clone(c), '\n') },
}

// damage damages the only file in the folder that is not in before. The returned function undo
// restores the file. It first waits until there is only one such file, because the files that only a
// job needed may still exist for a moment after the job has ended.
func (a *testApp) damage(t *testing.T, before []string, how func([]byte) []byte) (undo func()) {
	t.Helper()
	path := filepath.Join(a.dir, "blobs", a.awaitNewFile(t, before))
	content, was := must(os.ReadFile(path))(t), must(os.Stat(path))(t)
	write := func(content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		// Bit rot does not change the modification time.
		if err := os.Chtimes(path, was.ModTime(), was.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	write(how(content))
	return func() { write(content) }
}

// awaitNewFile waits until exactly one file is not in before, and returns its name.
func (a *testApp) awaitNewFile(t *testing.T, before []string) string {
	t.Helper()
	added := eventually(t, func() ([]string, error) {
		return slices.DeleteFunc(a.files(t), func(name string) bool { return slices.Contains(before, name) }), nil
	}, func(added []string) bool { return len(added) == 1 })
	return added[0]
}

func wantDamage(t *testing.T, status, reason string) {
	t.Helper()
	if status != "FAILED" || !strings.Contains(reason, "damaged: ") || !strings.Contains(reason, "backup") {
		t.Errorf("it is %s, because %q", status, reason)
	}
}

// TestDamagedFiles damages a file of each kind before it is read.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, how := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := t // the jobs run until its end
			b := open(t, t.TempDir())
			t.Run("uploaded CSV", func(t *testing.T) {
				key := b.create(t, "uploaded").DatasetKey
				b.add(t, key, labelled(300))
				b.damage(t, nil, how)
				b.work(whole)
				d := b.awaitDataset(t, key)
				wantDamage(t, d.Status, d.FailureReason)
				if len(b.files(t)) != 1 {
					t.Error("the damaged CSV was deleted")
				}
			})
			t.Run("dataset", func(t *testing.T) {
				before := b.files(t)
				d := b.prepared(t, "prepared", labelled(300))
				b.damage(t, before, how)
				race := b.awaitTraining(t, must(b.CreateTraining(b.ctx, newRace(d.DatasetKey, 0.8)))(t).TrainingJobKey)
				wantDamage(t, race.Status, race.FailureReason)
			})
			t.Run("model", func(t *testing.T) {
				d := b.prepared(t, "trained", labelled(300))
				before := b.files(t)
				race := b.awaitTraining(t, must(b.CreateTraining(b.ctx, newRace(d.DatasetKey, 0.8)))(t).TrainingJobKey)
				undo := b.damage(t, before, how)
				p := b.predicted(t, race.ModelKey, blind(20))
				wantDamage(t, p.Status, p.FailureReason)
				in := &api.ModelInput{ModelKey: race.ModelKey}
				wantCode(t, begin(t, must(b.DownloadModel(b.ctx, in))(t)), api.CodeDamaged)
				undo()
				if err := begin(t, must(b.DownloadModel(b.ctx, in))(t)); err != nil {
					t.Error(err)
				}

				before = b.files(t)
				p = b.predicted(t, race.ModelKey, blind(20))
				result := resultInput(t, p.PredictionResultURL)
				beginResult := func() error { return begin(t, must(b.DownloadResult(t.Context(), result))(t)) }
				undo = b.damage(t, before, how)
				wantCode(t, beginResult(), api.CodeDamaged)
				undo()
				if err := beginResult(); err != nil {
					t.Error(err)
				}
				file := must(b.DownloadResult(t.Context(), result))(t)
				if n := len(must(io.ReadAll(file))(t)); int64(n) != file.Size {
					t.Errorf("%d of %d bytes", n, file.Size)
				}
				file.Close()
				b.damage(t, before, how) // after it was found good
				if err := beginResult(); err != nil {
					t.Errorf("the file is verified again after a moment: %v", err)
				}
			})
		})
	}
}

// begin begins a download and closes the file. It returns the error of File.BeforeSend.
func begin(t *testing.T, file *app.File) error {
	t.Helper()
	defer file.Close()
	return file.BeforeSend(t.Context())
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.work(t)
	race := b.trained(t, "flowers")
	b.awaitFiles(t, 2) // the dataset and the model
	for _, name := range b.files(t) {
		if err := os.Remove(filepath.Join(b.dir, "blobs", name)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := b.DownloadModel(b.ctx, &api.ModelInput{ModelKey: race.ModelKey})
	wantCode(t, err, api.CodeDamaged)
	p := b.predicted(t, race.ModelKey, blind(20))
	if p.Status != api.PredictionFailed || !strings.Contains(p.FailureReason, "missing") {
		t.Errorf("the prediction is %s, because %q", p.Status, p.FailureReason)
	}
}

// TestDamagedBlindFile damages the blind CSV of a queued prediction.
func TestDamagedBlindFile(t *testing.T) {
	t.Parallel()
	for name, how := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, t.TempDir())
			stop := b.work(t)
			race := b.trained(t, "flowers")
			stop()
			before := b.files(t)
			created := must(b.CreatePrediction(b.ctx, &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: race.ModelKey}}, strings.NewReader(blind(40))))(t)
			b.damage(t, before, how)
			b.work(t)
			p := b.awaitPrediction(t, created.PredictionKey)
			wantDamage(t, p.Status, p.FailureReason)
			if p.PredictionResultURL != "" {
				t.Error("it has a result")
			}
		})
	}
}
