package dashboard

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestUploadOutcomesAreBounded begins and ends many uploads. Only the last ones of an account are
// remembered, uploads in progress remain, and old ones are removed.
func TestUploadOutcomesAreBounded(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	u := uploadOutcomes{byAccount: map[string][]*uploadOutcome{}}
	begin := func(account, id string) (end func()) {
		r := httptest.NewRequest(http.MethodPost, "/datasets", http.NoBody)
		r.Header.Set(uploadHeader, id)
		return u.begin(&visit{r: r, account: &api.Account{AccountKey: account}}, func() time.Time { return now })
	}
	knows := func(account, id string, want bool) {
		t.Helper()
		if got := u.find(account, id) != nil; got != want {
			t.Errorf("the upload %s of %s is known: %t", id, account, got)
		}
	}
	endSlow := begin("ann", "slow")
	begin("bob", "x")()
	for i := range 1000 {
		begin("ann", fmt.Sprint(i))()
	}
	if n := len(u.byAccount["ann"]); n > maxUploadOutcomes+1 {
		t.Errorf("%d uploads are remembered", n)
	}
	knows("ann", "slow", true)
	knows("ann", "999", true)
	knows("ann", "900", false)
	knows("bob", "x", true)
	knows("bob", "999", false)
	now = now.Add(uploadOutcomeAge + time.Second)
	endSlow()
	begin("ann", "later")
	knows("bob", "x", false)
	knows("ann", "999", false)
	knows("ann", "slow", true)
	if len(u.byAccount) != 1 {
		t.Errorf("%d accounts are remembered", len(u.byAccount))
	}
}

// TestDatasetThatIsLeft sends a file that the service rejects, and whose dataset cannot be deleted.
// The page must not say that the whole file has arrived.
func TestDatasetThatIsLeft(t *testing.T) {
	respond := func(r *http.Request) (*http.Response, error) {
		status, body := http.StatusInternalServerError, "{}"
		if r.Method == http.MethodPost {
			status, body = http.StatusCreated, `{"datasetKey":"k","datasetUploadInfo":{"uploadUrl":"http://x/upload"}}`
		}
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
	c, err := client.New(client.Options{BaseURL: "http://x", Attempts: 1, Transport: roundTripper(respond)})
	if err != nil {
		t.Fatal(err)
	}
	var body strings.Builder
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", "train.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(file, "id,x,y\n"+strings.Repeat("1,2,a\n2,3,b\n", 20))
	_ = form.Close()
	r := httptest.NewRequest(http.MethodPost, "/datasets", strings.NewReader(body.String()))
	r.Header.Set("Content-Type", form.FormDataContentType())
	sent, err := readFileForm(r, maxFormBytes)
	if err != nil {
		t.Fatal(err)
	}
	v := &visit{r: r, client: c}
	p := &Pages{}
	if err := p.uploadDataset(v, sent, &datasetForm{Name: "left"}); err == nil || !strings.Contains(err.Error(), "could not be deleted") {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := parseTemplates(time.Now)["error"].ExecuteTemplate(&text, "upload-end", v.created); err != nil {
		t.Fatal(err)
	}
	if want := `The upload was cancelled, but the dataset could not be deleted. You can delete it on <a href="/datasets/k">its page</a>.`; !strings.Contains(text.String(), want) {
		t.Error(text.String())
	}
}
