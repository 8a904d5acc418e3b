package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/api"
)

// TestFormIsSentTwice sends a form to start a race twice at the same time, as by a double click in a browser
// without scripts. One race begins, and both responses lead to it. A form with other values, and a new
// form, start another race.
func TestFormIsSentTwice(t *testing.T) {
	var races atomic.Int64
	p := New(Options{
		API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.Method == http.MethodGet {
				_, _ = fmt.Fprint(w, jsonOf(t, api.Dataset{DatasetEntry: api.DatasetEntry{DatasetKey: "d1"}, Classes: []api.Class{{Label: "a"}, {Label: "b"}}}))
				return
			}
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprint(w, jsonOf(t, api.CreatedTraining{TrainingJobKey: fmt.Sprint(races.Add(1))}))
		}),
		BaseURL: func(*http.Request) string { return "http://x" }, Now: time.Now,
	})
	visit := func(do visitFunc, values url.Values) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/datasets/d1/train", http.NoBody)
		r.PostForm = values
		r.SetPathValue("key", "d1")
		v := &visit{w: w, r: r, account: &api.Account{}}
		var err error
		if v.client, err = p.newClient(r, "token"); err == nil {
			err = do(v)
		}
		if err != nil {
			t.Error(err)
		}
		return w
	}
	newForm := func() url.Values {
		field := regexp.MustCompile(`name="formKey" value="([^"]+)"`).FindStringSubmatch(visit(p.showTrainForm, nil).Body.String())
		if field == nil {
			t.Fatal("the form has no key")
		}
		return url.Values{"formKey": field[1:], "scalingFactor": {"0"}, "algorithm": api.Algorithms(2)}
	}
	form, changed := newForm(), newForm()
	changed.Set("formKey", form.Get("formKey"))
	changed.Set("seed", "2")
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			if to := visit(p.startTraining, form).Header().Get("Location"); to != "/training/1" {
				t.Errorf("the form leads to %q", to)
			}
		})
	}
	wait.Wait()
	for i, values := range []url.Values{changed, newForm(), {"scalingFactor": {"0"}, "algorithm": api.Algorithms(2)}} {
		if to := visit(p.startTraining, values).Header().Get("Location"); !strings.HasSuffix(to, fmt.Sprint("/", i+2)) {
			t.Errorf("form %d leads to %q", i, to)
		}
	}
}

// TestSentFormWaits sends a form while the creation for the same form is slow. Forms of others do not wait, and
// a visitor who no longer waits gets no page. After the creation has failed, the form can be sent again.
func TestSentFormWaits(t *testing.T) {
	var forms sentForms
	send := func(ctx context.Context, account, path, key string, create func() (string, error)) (string, error) {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, http.NoBody)
		r.PostForm = url.Values{"formKey": {key}}
		return forms.once(&visit{r: r, account: &api.Account{AccountKey: account}}, create)
	}
	page := func(path string) func() (string, error) { return func() (string, error) { return path, nil } }
	began, fail, failed := make(chan struct{}), make(chan struct{}), errors.New("full")
	var wait sync.WaitGroup
	wait.Go(func() {
		_, err := send(t.Context(), "ann", "/a", "1", func() (string, error) {
			close(began)
			<-fail
			return "", failed
		})
		if !errors.Is(err, failed) {
			t.Error(err)
		}
	})
	<-began
	for i, form := range [][3]string{{"bob", "/a", "1"}, {"ann", "/b", "1"}, {"ann", "/a", "2"}, {"ann", "/a", ""}, {"ann", "/a", ""}} {
		want := fmt.Sprint(i)
		if path, err := send(t.Context(), form[0], form[1], form[2], page(want)); path != want || err != nil {
			t.Errorf("%v leads to %q: %v", form, path, err)
		}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if path, err := send(gone, "ann", "/a", "1", page("second")); !errors.Is(err, context.Canceled) {
		t.Errorf("a visitor who no longer waits gets %q: %v", path, err)
	}
	wait.Go(func() {
		if path, err := send(t.Context(), "ann", "/a", "1", page("second")); path != "second" || err != nil {
			t.Errorf("after the failure, the form leads to %q: %v", path, err)
		}
	})
	close(fail)
	wait.Wait()
	if path, _ := send(t.Context(), "ann", "/a", "1", page("third")); path != "second" {
		t.Errorf("the form leads to %q", path)
	}
}
