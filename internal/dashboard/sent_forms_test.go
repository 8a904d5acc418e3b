package dashboard

import (
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
