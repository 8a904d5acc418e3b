package app_test

import (
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"foretell/internal/api"
)

func text(s string) *string { return &s }
func number[T any](n T) *T  { return &n }

func TestCreateDatasetBounds(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	for _, tt := range []struct {
		name string
		in   api.NewDataset
		want api.Code // empty: created
	}{
		{"three characters are a name", api.NewDataset{DatasetName: "äöü"}, ""},
		{"two are too few", api.NewDataset{DatasetName: "äö"}, api.CodeInvalid},
		{"thirty characters are a name", api.NewDataset{DatasetName: strings.Repeat("é", 30)}, ""},
		{"thirty-one are too many", api.NewDataset{DatasetName: strings.Repeat("é", 31)}, api.CodeInvalid},
		{"a name is taken once", api.NewDataset{DatasetName: "äöü"}, api.CodeNameTaken},
		{"an empty description", api.NewDataset{DatasetName: "empty", Description: text("")}, api.CodeInvalid},
		{"a long description", api.NewDataset{DatasetName: "long", Description: text(strings.Repeat("x", 150))}, ""},
		{"too long a description", api.NewDataset{DatasetName: "longer", Description: text(strings.Repeat("x", 151))}, api.CodeInvalid},
		{"three buckets", api.NewDataset{DatasetName: "few", NumberOfBuckets: number(3)}, api.CodeInvalid},
		{"a hundred buckets", api.NewDataset{DatasetName: "many", NumberOfBuckets: number(100)}, ""},
		{"a hundred and one", api.NewDataset{DatasetName: "more", NumberOfBuckets: number(101)}, api.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := b.CreateDataset(b.ctx, &api.CreateDatasetInput{Body: tt.in})
			if tt.want != "" {
				wantCode(t, err, tt.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("another account may use the name", func(t *testing.T) {
		b.as(t, "other@example.com").create(t, "äöü")
	})
}

// uploadInput returns the input of UploadData for the upload URL of a dataset.
func uploadInput(t *testing.T, d *api.CreatedDataset) *api.UploadInput {
	t.Helper()
	u := must(url.Parse(d.DatasetUploadInfo.UploadURL))(t)
	return &api.UploadInput{
		DatasetInput: api.DatasetInput{DatasetKey: d.DatasetKey},
		Expires:      must(strconv.ParseInt(u.Query().Get("expires"), 10, 64))(t),
		Signature:    u.Query().Get("signature"),
	}
}

// endless is a body without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestRejectedUploadsStoreNothing(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	created := b.create(t, "flowers")
	in := uploadInput(t, created)
	csv := labelled(10)
	broken := errors.New("connection reset")
	for _, tt := range []struct {
		name string
		body io.Reader
		size int64
		want api.Code
	}{
		{"declared too large", strings.NewReader(csv), api.MaxUploadBytes + 1, api.CodeTooLarge},
		{"declared too small", strings.NewReader(csv), 9, api.CodeTooSmall},
		{"too small", strings.NewReader("id,a,b\n1\n"), -1, api.CodeTooSmall},
		{"empty", strings.NewReader(""), -1, api.CodeTooSmall},
		{"shorter than declared", strings.NewReader(csv), int64(len(csv)) + 1, api.CodeMalformed},
		{"broken off", io.MultiReader(strings.NewReader(csv), iotest.ErrReader(broken)), -1, api.CodeMalformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := b.UploadData(b.ctx, in, tt.body, tt.size)
			wantCode(t, err, tt.want)
		})
	}
	t.Run("more than 32 MB added", func(t *testing.T) {
		_, err := b.AddData(b.ctx, &in.DatasetInput, endless{})
		wantCode(t, err, api.CodeTooLarge)
	})
	t.Run("a forged address", func(t *testing.T) {
		forged := *in
		forged.Expires++
		_, err := b.UploadData(b.ctx, &forged, strings.NewReader(csv), -1)
		wantCode(t, err, api.CodeForbidden)
	})
	t.Run("another account", func(t *testing.T) {
		_, err := b.UploadData(b.as(t, "other@example.com").ctx, in, strings.NewReader(csv), -1)
		wantCode(t, err, api.CodeNotFound)
	})
	d := must(b.GetDataset(b.ctx, &in.DatasetInput))(t)
	if left := b.files(t); len(left) > 0 || d.Status != api.DatasetPending {
		t.Errorf("files %v are left, the dataset is %s", left, d.Status)
	}
}

func TestDeleteWhileProcessing(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	in := &api.DatasetInput{DatasetKey: b.create(t, "flowers").DatasetKey}
	b.add(t, in.DatasetKey, labelled(300))
	if d := must(b.GetDataset(b.ctx, in))(t); d.Status != api.DatasetProcessing {
		t.Fatalf("the dataset is %s", d.Status)
	}
	must(b.DeleteDataset(b.ctx, in))(t)
	b.awaitFiles(t, 0)
	for _, w := range must(b.JobCounts(b.ctx))(t) {
		if w.Queued+w.Running > 0 {
			t.Errorf("work is left: %+v", w)
		}
	}
}

// TestPreparationTimeLimit prepares a dataset for longer than its time limit.
func TestPreparationTimeLimit(t *testing.T) {
	t.Parallel()
	b, closeAll, err := openIn(t.Context(), t.TempDir(), appOptions{log: io.Discard, now: time.Now, preparation: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	defer b.work(t)()
	d := b.prepared(t, "flowers", labelled(300))
	if d.Status != api.DatasetFailed || !strings.Contains(d.FailureReason, "time limit of 1ns: upload fewer rows or columns") {
		t.Errorf("it is %s, because %q", d.Status, d.FailureReason)
	}
	b.awaitFiles(t, 0)
}

func TestDisabledAccountWaits(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	ann := b.as(t, "ann@example.com")
	key := ann.create(t, "flowers").DatasetKey
	ann.add(t, key, labelled(300))
	must(b.DisableAccount(t.Context(), b.account(t, "ann@example.com")))(t)
	b.work(t)
	if d := b.prepared(t, "others", labelled(300)); d.Status != api.DatasetCompleted {
		t.Fatalf("the other dataset is %+v", d)
	}
	get := func() (*api.Dataset, error) { return ann.GetDataset(ann.ctx, &api.DatasetInput{DatasetKey: key}) }
	if d := must(get())(t); d.Status != api.DatasetProcessing { // it would have been first, because it is older and its account was never served
		t.Errorf("the dataset of the disabled account is %s", d.Status)
	}
	must(b.EnableAccount(t.Context(), b.account(t, "ann@example.com")))(t)
	if d := ann.awaitDataset(t, key); d.Status != api.DatasetCompleted {
		t.Errorf("the dataset of the enabled account is %+v", d)
	}
}

func TestConcurrentUploads(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	in := &api.DatasetInput{DatasetKey: b.create(t, "flowers").DatasetKey}
	const uploads = 8
	errs := make([]error, uploads)
	var all sync.WaitGroup
	for i := range uploads {
		all.Go(func() { _, errs[i] = b.AddData(b.ctx, in, strings.NewReader(labelled(300))) })
	}
	all.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			wantCode(t, err, api.CodeWrongState)
		}
	}
	if won != 1 || len(b.files(t)) != 1 {
		t.Errorf("%d uploads won, the files are %v", won, b.files(t))
	}
	b.work(t)
	if d := b.awaitDataset(t, in.DatasetKey); d.Status != api.DatasetCompleted {
		t.Errorf("the dataset is %+v", d)
	}
}

func TestDefectHasLineAndColumn(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.work(t)
	d := b.prepared(t, "ragged", "id,a,y\n1,2,yes\n2,3\n3,1,no\n")
	if d.Status != api.DatasetFailed || !strings.Contains(d.FailureReason, "line 3") {
		t.Errorf("the dataset is %+v", d)
	}
	b.awaitFiles(t, 0)
	_, err := b.CreateTraining(b.ctx, newRace(d.DatasetKey, 0.9))
	wantCode(t, err, api.CodeWrongState)
	_, err = b.AddData(b.ctx, &api.DatasetInput{DatasetKey: d.DatasetKey}, strings.NewReader(labelled(10)))
	wantCode(t, err, api.CodeWrongState)
}

// TestAllKindsOfDefectsReported prepares a file with several kinds of defects. The reason of the
// failure must have each kind with its number of rows.
func TestAllKindsOfDefectsReported(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.work(t)
	d := b.prepared(t, "several", "id,a,y\n1,2,\n2,3\n3,1,\n4,1,no\n")
	const want = "2 rows have no label, in lines 2 and 4; line 3, column 3 (y): expected 3 fields, got 2"
	if d.Status != api.DatasetFailed || d.FailureReason != want {
		t.Errorf("the dataset is %s: %s", d.Status, d.FailureReason)
	}
}

func TestListDatasets(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.work(t)
	var names []string
	for _, name := range []string{"one", "two", "three"} {
		b.create(t, name)
		names = append([]string{name}, names...)
	}
	b.prepared(t, "four", labelled(10))
	list := func(in api.ListDatasetsInput) *api.DatasetPage {
		t.Helper()
		return must(b.ListDatasets(b.ctx, &in))(t)
	}
	page := list(api.ListDatasetsInput{PageInput: api.PageInput{Offset: 1, Limit: 2}})
	if got := page.Datasets.Items; len(got) != 2 || got[0].DatasetName != names[0] || got[1].DatasetName != names[1] ||
		*page.NextOffset != 3 || page.Total != 4 || !page.Datasets.Quoted {
		t.Errorf("the second page is %+v", page)
	}
	if page := list(api.ListDatasetsInput{PageInput: api.PageInput{Limit: 5000}}); page.Limit != 1000 || page.NextOffset != nil {
		t.Errorf("a page of 5000 is %+v", page.Page)
	}
	if page := list(api.ListDatasetsInput{PageInput: api.PageInput{Limit: 9}, State: api.DatasetPending}); page.Total != 3 {
		t.Errorf("%d are PENDING", page.Total)
	}
	if page := list(api.ListDatasetsInput{PageInput: api.PageInput{Limit: 9}, WithModelOnly: true}); page.Total != 0 {
		t.Errorf("%d have a model", page.Total)
	}
	for _, in := range []api.ListDatasetsInput{
		{}, {PageInput: api.PageInput{Offset: -1, Limit: 1}}, {PageInput: api.PageInput{Limit: 1}, State: "LOST"},
	} {
		_, err := b.ListDatasets(b.ctx, &in)
		wantCode(t, err, api.CodeInvalid)
	}
}

// atEnd is a reader that calls fn once before it returns io.EOF.
type atEnd struct {
	io.Reader
	fn func()
}

func (r *atEnd) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, io.EOF) && r.fn != nil {
		r.fn()
		r.fn = nil
	}
	return n, err
}

// TestDeletedDuringUpload deletes the dataset, or the account, while the dataset is uploaded.
func TestDeletedDuringUpload(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	ann := b.as(t, "ann@example.com")
	for i, remove := range []func(*api.DatasetInput){
		func(in *api.DatasetInput) { must(ann.DeleteDataset(ann.ctx, in))(t) },
		func(*api.DatasetInput) { must(b.DeleteAccount(t.Context(), b.account(t, "ann@example.com")))(t) },
	} {
		in := uploadInput(t, ann.create(t, "upload "+strconv.Itoa(i)))
		_, err := ann.UploadData(ann.ctx, in, &atEnd{strings.NewReader(labelled(10)), func() { remove(&in.DatasetInput) }}, -1)
		wantCode(t, err, api.CodeNotFound)
	}
	b.awaitFiles(t, 0)
	_, err := ann.CreateDataset(ann.ctx, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "late"}})
	wantCode(t, err, api.CodeUnauthorized)
}

// TestNewerSchema reads and trains on a dataset that a newer version has prepared, as happens during an upgrade of
// several services.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.work(t)
	d := b.prepared(t, "flowers", labelled(300))
	b.execSQL(t, "UPDATE dataset SET schema = '[[[' || schema || ']]]'")
	_, err := b.GetDataset(b.ctx, &api.DatasetInput{DatasetKey: d.DatasetKey})
	_, trainErr := b.CreateTraining(b.ctx, &api.CreateTrainingInput{DatasetInput: api.DatasetInput{DatasetKey: d.DatasetKey}, Body: api.NewTraining{PerformanceThreshold: api.NewThreshold(nil)}})
	for _, err := range []error{err, trainErr} {
		var p *api.Problem
		if !errors.As(err, &p) || p.Code != api.CodeNotReady || p.RetryAfter == 0 || !strings.Contains(p.Detail, "newer version") {
			t.Errorf("the error is %v", err)
		}
	}
}
