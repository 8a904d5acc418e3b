package dashboard

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/htmlreport"
	"foretell/internal/leaderboard"
)

// TestParseQuota parses the form with the limits that the page shows, and expects the same limits.
func TestParseQuota(t *testing.T) {
	three := int64(3)
	for _, bytes := range []int64{0, 1, 500_000, 1 << 30, 20_000_000_000} {
		quota, err := newQuotaForm(api.Quota{Datasets: &three, Bytes: &bytes}).parse()
		if err != nil || *quota.Bytes != bytes || *quota.Datasets != 3 || quota.Races != nil {
			t.Errorf("%d bytes become %+v, %v", bytes, quota, err)
		}
	}
	for _, text := range []string{"-1", "x", "NaN", "Inf", "1e300", "1.5"} {
		if _, err := (quotaForm{Datasets: text}).parse(); err == nil {
			t.Errorf("%s datasets are accepted", text)
		}
	}
}

// TestTrainForm refuses a time limit that is not a number of minutes.
func TestTrainForm(t *testing.T) {
	for text, want := range map[string]int{"0,5": 30, "60": 3600, "": 0, "0.0167": 1, "8.2": 492, "10080": 604_800, "NaN": -1, "Inf": -1, "0": -1, "0.0001": -1, "10081": -1, "1e9": -1} {
		body, err := trainForm{Minutes: text, Algorithms: api.Algorithms(2)}.toRequest(nil)
		switch {
		case want < 0:
			if err == nil {
				t.Errorf("%q minutes are accepted", text)
			}
		case err != nil || (body.TimeLimitSeconds == nil) != (want == 0) || want > 0 && *body.TimeLimitSeconds != want:
			t.Errorf("%q minutes: %+v, %v", text, body, err)
		}
	}
}

// TestTrainFormClassWeights reads class weights and rejects invalid ones.
func TestTrainFormClassWeights(t *testing.T) {
	classes := []api.Class{{Label: "no", Rows: 1}, {Label: "yes", Rows: 1}}
	for text, want := range map[string]string{"": "", " balanced ": "balanced", "yes=5,no=2": "no=2,yes=5", "yes": "error", "maybe=2": "error"} {
		body, err := trainForm{ClassWeights: text, Algorithms: api.Algorithms(2)}.toRequest(classes)
		if (err != nil) != (want == "error") || err == nil && body.ClassWeights.String() != want {
			t.Errorf("%q: %+v, %v", text, body, err)
		}
	}
}

// TestTrainFormMonotone reads monotone columns, one a line, and rejects invalid ones.
func TestTrainFormMonotone(t *testing.T) {
	for text, want := range map[string]string{"": "", " income=increasing\r\n\r\nage=-1\r\n": "age=decreasing, income=increasing", "income": "error"} {
		body, err := trainForm{Monotone: text, Algorithms: api.Algorithms(2)}.toRequest(nil)
		if (err != nil) != (want == "error") || err == nil && body.Monotone.String() != want {
			t.Errorf("%q: %+v, %v", text, body, err)
		}
	}
}

// TestNamesWithLineBreaks chooses columns whose names have line breaks, which browsers send as CR and LF.
func TestNamesWithLineBreaks(t *testing.T) {
	for _, lineBreak := range []string{"\n", "\r\n"} {
		text := "\"row" + lineBreak + "key\",\"kind" + lineBreak + "of plant\",size\n" + strings.Repeat("a,rose,1\nb,lily,2\n", 20)
		sample, err := readSample(t.Context(), []byte(text), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		var form datasetForm
		form.setColumnsFromForm(&fileForm{values: map[string]string{"id": "row\r\nkey", "label": "kind\r\nof plant"}})
		chosen, err := sample.chooseColumns(&form)
		if err != nil || chosen.ID != sample.names[0] || chosen.Label != sample.names[1] || form.Label != chosen.Label {
			t.Errorf("%q: %+v, %v", lineBreak, chosen, err)
		}
	}
	d := &api.Dataset{Classes: []api.Class{{Label: "a"}, {Label: "b\nc"}}}
	for sent, want := range map[string]string{"f1[b\r\nc]": "f1[b\nc]", "f1[a]": "f1[a]", "accuracy": "accuracy", "": "", "f1[x\r\n]": "f1[x\r\n]"} {
		if got := knownName(sent, trainMetrics(d)); got != want {
			t.Errorf("%q becomes %q", sent, got)
		}
	}
}

// TestUploadFields rejects forms whose fields besides the file would take much memory.
func TestUploadFields(t *testing.T) {
	for name, c := range map[string]struct {
		fields, bytes int
		want          api.Code
	}{
		"some":          {3, 10, ""},
		"many":          {maxFields + 1, 1, api.CodeTooLarge},
		"one long":      {1, 2000, api.CodeTooLarge},
		"long together": {3, 400, api.CodeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			for i := range c.fields {
				if err := form.WriteField(strconv.Itoa(i), strings.Repeat("x", c.bytes)); err != nil {
					t.Fatal(err)
				}
			}
			if err := form.Close(); err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodPost, "/verify", &body)
			r.Header.Set("Content-Type", form.FormDataContentType())
			if _, err := readFileForm(r, 1000); (err != nil || c.want != "") && api.CodeFromError(err) != c.want {
				t.Errorf("%v, want the code %q", err, c.want)
			}
		})
	}
}

// TestUploadFieldOrder rejects a form with a field after its file, which would be ignored.
func TestUploadFieldOrder(t *testing.T) {
	for _, after := range []bool{false, true} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		file, err := form.CreateFormFile("file", "train.csv")
		if err == nil {
			_, err = io.WriteString(file, "id,label\n")
		}
		if err == nil && after {
			err = form.WriteField("name", "flowers")
		}
		if err := errors.Join(err, form.Close()); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/datasets", &body)
		r.Header.Set("Content-Type", form.FormDataContentType())
		sent, err := readFileForm(r, 1000)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(sent.file)
		if string(content) != "id,label\n" || (err != nil) != after || after && !strings.Contains(err.Error(), `"name" is after the file`) {
			t.Errorf("a field after the file: %v: %q, %v", after, content, err)
		}
	}
}

// TestPreview shows the prediction next to the row ID, and no incomplete record.
func TestPreview(t *testing.T) {
	header := "id" + strings.Repeat(",c", maxPreviewColumns) + ",prediction,probability\n"
	row := "7" + strings.Repeat(",x", maxPreviewColumns) + ",yes,0.9\n"
	shown := parsePreview(csv.NewReader(strings.NewReader(header+row+row)), false)
	if len(shown.Rows) != 1 || len(shown.Header) != maxPreviewColumns || shown.Header[1].Text != "prediction" || !shown.Header[2].IsProbability || shown.Header[3].Text != "c" {
		t.Fatalf("the preview is %+v", shown)
	}
	if cells := shown.Rows[0]; cells[0].Text != "7" || cells[1].Text != "yes" || !cells[1].IsPrediction || cells[3].IsPrediction {
		t.Errorf("the row is %+v", cells)
	}
}

// TestPreviewOfTruncatedResult shows a result whose last row was read only in part. This row must not
// be shown, even if a preview may have as many rows.
func TestPreviewOfTruncatedResult(t *testing.T) {
	row := "7,yes,0.9\n"
	shown := parsePreview(csv.NewReader(strings.NewReader("id,prediction,probability\n"+strings.Repeat(row, maxPreviewRows-1)+"7,yes,0.")), false)
	if len(shown.Rows) != maxPreviewRows-1 {
		t.Errorf("%d rows are shown, want %d", len(shown.Rows), maxPreviewRows-1)
	}
	shown = parsePreview(csv.NewReader(strings.NewReader("id,prediction,probability\n"+strings.Repeat(row, maxPreviewRows+1))), false)
	if len(shown.Rows) != maxPreviewRows {
		t.Errorf("%d rows are shown, want %d", len(shown.Rows), maxPreviewRows)
	}
}

// TestPreviewOfRenamedColumns shows the result of a blind file that has columns called prediction and
// probability_yes. The columns of the prediction have other names and must be marked.
func TestPreviewOfRenamedColumns(t *testing.T) {
	text := "id,prediction,probability_yes,prediction_2,probability,probability_no,probability_yes_2,reason_1\n1,old,0.7,yes,0.9,0.1,0.9,a\n"
	shown := parsePreview(csv.NewReader(strings.NewReader(text)), true)
	var names []string
	for i, c := range shown.Header {
		if c.IsPrediction != (c.Text == "prediction_2") || c.IsPrediction != shown.Rows[0][i].IsPrediction {
			t.Errorf("the column %s is marked as the prediction: %t", c.Text, c.IsPrediction)
		}
		if isProbability := c.Text == "probability" || c.Text == "probability_no" || c.Text == "probability_yes_2"; c.IsProbability != isProbability {
			t.Errorf("the column %s is marked as a probability: %t", c.Text, c.IsProbability)
		}
		names = append(names, c.Text)
	}
	if got := strings.Join(names, " "); got != "id prediction_2 probability probability_no probability_yes_2 reason_1 prediction probability_yes" {
		t.Errorf("the columns are %s", got)
	}
}

// TestFileNameOfBrowser decodes the file names that browsers send.
func TestFileNameOfBrowser(t *testing.T) {
	for sent, want := range map[string]string{`bl%22ind.csv`: `bl"ind.csv`, `100%.csv`: `100%.csv`, `a%20b.csv`: `a%20b.csv`, `C:\\data\\blind.csv`: `blind.csv`} {
		part := &multipart.Part{Header: textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="` + sent + `"`}}}
		if got := partFileName(part); got != want {
			t.Errorf("%s is called %q, want %q", sent, got, want)
		}
	}
}

// TestRejectedPrediction shows the page of a model at the address of its form, as the answer to a
// rejected file. The links and forms of this page must be those of the page of the model.
func TestRejectedPrediction(t *testing.T) {
	document := &htmlreport.Document{Model: &api.Model{ModelKey: "key"}, Dataset: &api.Dataset{}}
	var body bytes.Buffer
	content := &page{Path: "/models/key/predict", Error: "the file has only 3 bytes", Data: modelPage{document, nil, 0, "5"}}
	if err := parseTemplates(time.Now)["model"].ExecuteTemplate(&body, "content", content); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The file has only 3 bytes.", `<option selected>5</option>`, `action="/models/key/predict"`, `action="/models/key/delete"`, `href="/models/key/file"`} {
		if !strings.Contains(body.String(), want) {
			t.Errorf("%s is missing in %s", want, body.String())
		}
	}
}

// TestRaceState renders the button and the outcome of races in three states.
func TestRaceState(t *testing.T) {
	for _, tt := range []struct{ status, model, want, unwanted string }{
		{api.TrainingPending, "", "Cancel the race", "keep the best"},
		{api.TrainingRunning, "", "Stop and keep the best", "Cancel the race"},
		{api.TrainingCancelled, "key", ">stopped</span>", "cancelled"},
	} {
		race := &api.Training{TrainingJobKey: "key", Status: tt.status, ModelKey: tt.model}
		content := &page{Path: "/training/key", query: url.Values{}, Data: trainingPage{Race: race, IsRacing: tt.model == "", Plot: htmlreport.RacePlot("accuracy", nil, nil, nil)}}
		var body bytes.Buffer
		if err := parseTemplates(time.Now)["training"].ExecuteTemplate(&body, "content", content); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(body.String(), tt.want) || strings.Contains(body.String(), tt.unwanted) {
			t.Errorf("%s: %q is missing in, or %q is part of %s", tt.status, tt.want, tt.unwanted, body.String())
		}
	}
}

// TestRaceWaitsForSpace renders a race that cannot store its model because the disk is full.
func TestRaceWaitsForSpace(t *testing.T) {
	race := &api.Training{TrainingJobKey: "key", Status: api.TrainingRunning, WaitingFor: api.WaitingForSpace}
	text := renderPage(t, "training", trainingPage{Race: race, IsRacing: true, Plot: htmlreport.RacePlot("accuracy", nil, nil, nil)})
	if !strings.Contains(text, "The disk of the service is full.") || strings.Contains(text, "No worker is running.") {
		t.Error(text)
	}
}

// TestLeaderboardSelection renders a leaderboard after one model was chosen to be compared.
func TestLeaderboardSelection(t *testing.T) {
	entries := []*leaderboard.Entry{{}, {}}
	entries[0].ModelKey, entries[1].ModelKey = "first", "second"
	content := &page{Error: "choose two models to compare, not 1", Data: seriesPage{Name: "iris", Metric: "accuracy", Entries: entries, Chosen: []string{"second"}}}
	var body bytes.Buffer
	if err := parseTemplates(time.Now)["series"].ExecuteTemplate(&body, "content", content); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Choose two models to compare, not 1.", `value="first" aria-label`, `value="second" checked`, `name="name" value="iris"`} {
		if !strings.Contains(body.String(), want) {
			t.Errorf("%s is missing in %s", want, body.String())
		}
	}
}
