package server_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/server"
)

var update = flag.Bool("update", false, "write the golden files anew")

const noKey = "11111111-2222-4333-8444-555555555555"

// refusal is a rejected request and its problem.
type refusal struct {
	name string
	call call
	want int
	code api.Code
	// field is one of the fields in errors; "" checks none.
	field string
}

// TestProblems sends requests that the operations must reject. Every response
// is problem details with the request ID.
func TestProblems(t *testing.T) {
	t.Parallel()
	w := newTestServer(t, server.Options{})
	w.addUser(t)
	pending := w.newDataset(t, "pending")
	for _, group := range [][]refusal{
		routeRefusals(), loginRefusals(), parameterRefusals(), datasetRefusals(pending),
		trainingRefusals(pending), predictionRefusals(), addressRefusals(pending),
	} {
		for _, r := range group {
			t.Run(r.name, func(t *testing.T) { w.refused(t, r) })
		}
	}
	t.Run("nothing_was_changed", func(t *testing.T) {
		var dataset api.Dataset
		w.must(t, call{method: "GET", path: "/api/v1/datasets/" + pending.DatasetKey}, &dataset)
		if dataset.Status != api.DatasetPending {
			t.Errorf("the dataset is %s", dataset.Status)
		}
	})
}

func (s *testServer) refused(t *testing.T, r refusal) {
	t.Helper()
	resp, body := s.send(t, r.call)
	if resp.StatusCode != r.want {
		t.Fatalf("%d, want %d: %s", resp.StatusCode, r.want, body)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type %q", got)
	}
	if resp.Header.Get("X-Request-Id") == "" {
		t.Error("no X-Request-Id")
	}
	var p api.Problem
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if p.Code != r.code || p.Status != r.want || p.Title == "" || p.Type == "" || p.Detail == "" {
		t.Errorf("code %q, want %q, in %s", p.Code, r.code, body)
	}
	if strings.Contains(p.Detail, "limit=") || strings.Contains(p.Detail, " 1 items") || strings.Contains(p.Detail, "one of [") {
		t.Errorf("not a sentence: %s", p.Detail)
	}
	if strings.Contains(r.call.json, "e400") && strings.Contains(p.Detail, "integer") {
		t.Errorf("the field need not be an integer: %s", p.Detail)
	}
	if r.want == http.StatusUnauthorized && resp.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Error("401 without WWW-Authenticate")
	}
	fields := make([]string, len(p.Errors))
	for i, e := range p.Errors {
		fields[i] = e.Field
	}
	if r.field != "" && !strings.Contains(" "+strings.Join(fields, " ")+" ", " "+r.field+" ") {
		t.Errorf("errors name %q, want %s: %s", fields, r.field, body)
	}
	if strings.Contains(string(body), testPassword) {
		t.Errorf("the password is in the answer: %s", body)
	}
}

func routeRefusals() []refusal {
	return []refusal{
		{"no_such_route", call{method: "GET", path: "/api/v1/nothing"}, 404, api.CodeNoRoute, ""},
		{"no_such_page", call{method: "GET", path: "/index.html", anonymous: true}, 404, api.CodeNoRoute, ""},
		{"a_slash_too_many", call{method: "GET", path: "/api/v1/datasets/"}, 404, api.CodeNoRoute, ""},
		{"another_method", call{method: "PUT", path: "/api/v1/datasets"}, 405, api.CodeMethodNotAllowed, ""},
		{"another_method_of_an_item", call{method: "POST", path: "/api/v1/training/" + noKey + "/cancel"}, 405, api.CodeMethodNotAllowed, ""},
		{"no_token", call{method: "GET", path: "/api/v1/datasets?offset=0&limit=1", anonymous: true}, 401, api.CodeUnauthorized, ""},
		{"no_token_before_bad_parameters", call{method: "GET", path: "/api/v1/datasets", anonymous: true}, 401, api.CodeUnauthorized, ""},
		{"another_scheme", call{
			method: "GET", path: "/api/v1/datasets?offset=0&limit=1",
			header: map[string]string{"Authorization": "Basic YTpi"},
		}, 401, api.CodeUnauthorized, ""},
		{"a_token_of_nobody", call{
			method: "GET", path: "/api/v1/datasets?offset=0&limit=1",
			header: map[string]string{"Authorization": "Bearer nobody"},
		}, 401, api.CodeUnauthorized, ""},
	}
}

func loginRefusals() []refusal {
	login := func(body string) call { return call{method: "POST", path: "/api/login", json: body, anonymous: true} }
	return []refusal{
		{"wrong_password", login(`{"username":"` + testUser + `","password":"wrong horse"}`), 401, api.CodeBadCredentials, ""},
		{"unknown_user", login(`{"username":"nobody@example.com","password":"x"}`), 401, api.CodeBadCredentials, ""},
		{"missing_password", login(`{"username":"a@b.c"}`), 422, api.CodeInvalid, "password"},
		{"empty_password", login(`{"username":"a@b.c","password":""}`), 422, api.CodeInvalid, "password"},
		{"a_field_too_many", login(`{"username":"a@b.c","password":"` + testPassword + `","x":1}`), 422, api.CodeInvalid, "x"},
		{"a_field_in_capitals", login(`{"username":"a@b.c","PASSWORD":"` + testPassword + `"}`), 422, api.CodeInvalid, "PASSWORD"},
		{"a_password_that_is_no_string", login(`{"username":"a@b.c","password":["` + testPassword + `"]}`), 422, api.CodeInvalid, "password"},
		{"json_cut_short", login(`{"username":"a@b.c","password":"` + testPassword), 400, api.CodeMalformed, ""},
		{"no_body", call{method: "POST", path: "/api/login", anonymous: true}, 400, api.CodeMalformed, ""},
		{"a_form", call{
			method: "POST", path: "/api/login", body: "username=a&password=b", anonymous: true,
			header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		}, 415, api.CodeWrongMediaType, ""},
		{"a_packed_body", call{
			method: "POST", path: "/api/login", json: "{}", anonymous: true,
			header: map[string]string{"Content-Encoding": "gzip"},
		}, 415, api.CodeWrongMediaType, ""},
		{"a_huge_body", login(`{"username":"` + strings.Repeat("a", 2<<20) + `"}`), 413, api.CodeTooLarge, ""},
	}
}

func parameterRefusals() []refusal {
	get := func(path string) call { return call{method: "GET", path: path} }
	list := "/api/v1/datasets?"
	return []refusal{
		{"no_offset", get(list + "limit=1"), 422, api.CodeInvalid, "offset"},
		{"no_limit", get(list + "offset=0"), 422, api.CodeInvalid, "limit"},
		{"offset_below_0", get(list + "offset=-1&limit=1"), 422, api.CodeInvalid, "offset"},
		{"limit_below_1", get(list + "offset=0&limit=0"), 422, api.CodeInvalid, "limit"},
		{"offset_no_number", get(list + "offset=a&limit=1"), 400, api.CodeMalformed, "offset"},
		{"limit_not_whole", get(list + "offset=0&limit=1.5"), 400, api.CodeMalformed, "limit"},
		{"limit_past_64_bits", get(list + "offset=0&limit=9223372036854775808"), 400, api.CodeMalformed, "limit"},
		{"offset_twice", get(list + "offset=0&offset=1&limit=1"), 400, api.CodeMalformed, "offset"},
		{"state_twice", get(list + "offset=0&limit=1&state=FAILED&state=PENDING"), 400, api.CodeMalformed, "state"},
		{"signature_twice", get("/api/v1/predictions/" + noKey + "/result?expires=1&signature=a&signature=b"), 400, api.CodeMalformed, "signature"},
		{"unknown_state", get(list + "offset=0&limit=1&state=DONE"), 422, api.CodeInvalid, "state"},
		{"withModelOnly_no_boolean", get(list + "offset=0&limit=1&withModelOnly=maybe"), 400, api.CodeMalformed, "withModelOnly"},
		{"a_query_that_cannot_be_read", get(list + "offset=0&limit=1&x=%zz"), 400, api.CodeMalformed, ""},
		{"an_unknown_parameter", get(list + "offset=0&limit=1&stat=FAILED"), 400, api.CodeMalformed, "stat"},
		{"a_parameter_in_other_case", get(list + "offset=0&limit=1&State=FAILED"), 400, api.CodeMalformed, "State"},
		{"a_parameter_of_another_operation", get("/api/v1/datasets/" + noKey + "?state=FAILED"), 400, api.CodeMalformed, "state"},
		{"dataset_key_no_uuid", get("/api/v1/datasets/abc"), 400, api.CodeMalformed, "datasetKey"},
		{"dataset_key_in_braces", get("/api/v1/datasets/%7B" + noKey + "%7D"), 400, api.CodeMalformed, "datasetKey"},
		{"training_key_no_uuid", get("/api/v1/training/abc/progress"), 400, api.CodeMalformed, "trainingJobKey"},
		{"unknown_dataset", get("/api/v1/datasets/" + noKey), 404, api.CodeNotFound, ""},
		{"unknown_training", get("/api/v1/training/" + noKey), 404, api.CodeNotFound, ""},
		{"unknown_training_progress", get("/api/v1/training/" + noKey + "/progress"), 404, api.CodeNotFound, ""},
		{"unknown_model", get("/api/v1/models/" + noKey), 404, api.CodeNotFound, ""},
		{"unknown_report", get("/api/v1/models/" + noKey + "/report"), 404, api.CodeNotFound, ""},
		{"unknown_model_file", get("/api/v1/models/" + noKey + "/file"), 404, api.CodeNotFound, ""},
		{"unknown_prediction", get("/api/v1/predictions/" + noKey), 404, api.CodeNotFound, ""},
		{"trainings_of_an_unknown_dataset", get("/api/v1/training/datasets/" + noKey + "?offset=0&limit=1"), 404, api.CodeNotFound, ""},
		{"models_of_an_unknown_dataset", get("/api/v1/models/datasets/" + noKey + "?offset=0&limit=1"), 404, api.CodeNotFound, ""},
		{"predictions_of_an_unknown_model", get("/api/v1/predictions/models/" + noKey + "?offset=0&limit=1"), 404, api.CodeNotFound, ""},
		{"deleting_an_unknown_dataset", call{method: "DELETE", path: "/api/v1/datasets/" + noKey}, 404, api.CodeNotFound, ""},
		{"cancelling_an_unknown_training", call{method: "PATCH", path: "/api/v1/training/" + noKey + "/cancel"}, 404, api.CodeNotFound, ""},
	}
}

func datasetRefusals(pending api.CreatedDataset) []refusal {
	create := func(body string) call { return call{method: "POST", path: "/api/v1/datasets", json: body} }
	data := "/api/v1/datasets/" + pending.DatasetKey + "/data"
	broken, kind := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\nid,a,b\n1,2,3\n", "multipart/form-data; boundary=b"
	return []refusal{
		{"name_of_2", create(`{"datasetName":"ab"}`), 422, api.CodeInvalid, "datasetName"},
		{"name_of_31", create(`{"datasetName":"` + strings.Repeat("ä", 31) + `"}`), 422, api.CodeInvalid, "datasetName"},
		{"no_name", create(`{"description":"a nice one"}`), 422, api.CodeInvalid, "datasetName"},
		{"name_null", create(`{"datasetName":null}`), 422, api.CodeInvalid, "datasetName"},
		{"name_with_a_line_break", create(`{"datasetName":"a\nbc"}`), 422, api.CodeInvalid, "datasetName"},
		{"name_with_an_escape_sequence", create(`{"datasetName":"a\u001b[31mbc"}`), 422, api.CodeInvalid, "datasetName"},
		{"name_written_backwards", create(`{"datasetName":"abc\u202efdp"}`), 422, api.CodeInvalid, "datasetName"},
		{"name_of_blanks", create(`{"datasetName":"    "}`), 422, api.CodeInvalid, "datasetName"},
		{"name_without_width", create(`{"datasetName":"\u200b\u200b\u200b"}`), 422, api.CodeInvalid, "datasetName"},
		{"series_with_a_control_character", create(`{"datasetName":"abc","series":"a\u0000bc"}`), 422, api.CodeInvalid, "series"},
		{"description_with_a_control_character", create(`{"datasetName":"abc","description":"a\u0007bc"}`), 422, api.CodeInvalid, "description"},
		{"name_half_a_surrogate", create(`{"datasetName":"abc\ud800"}`), 400, api.CodeMalformed, "body"},
		{"name_not_utf8", create("{\"datasetName\":\"abc\xff\"}"), 400, api.CodeMalformed, "body"},
		{"name_twice", create(`{"datasetName":"abc","datasetName":"abd"}`), 400, api.CodeMalformed, "body"},
		{"buckets_past_all_numbers", create(`{"datasetName":"abc","numberOfBuckets":1e400}`), 400, api.CodeMalformed, "numberOfBuckets"},
		{"name_taken", create(`{"datasetName":"pending"}`), 409, api.CodeNameTaken, ""},
		{"description_of_2", create(`{"datasetName":"abc","description":"ab"}`), 422, api.CodeInvalid, "description"},
		{"description_of_151", create(`{"datasetName":"abc","description":"` + strings.Repeat("d", 151) + `"}`), 422, api.CodeInvalid, "description"},
		{"buckets_3", create(`{"datasetName":"abc","numberOfBuckets":3}`), 422, api.CodeInvalid, "numberOfBuckets"},
		{"buckets_101", create(`{"datasetName":"abc","numberOfBuckets":101}`), 422, api.CodeInvalid, "numberOfBuckets"},
		{"buckets_4_and_a_half", create(`{"datasetName":"abc","numberOfBuckets":4.5}`), 422, api.CodeInvalid, "numberOfBuckets"},
		{"buckets_in_a_string", create(`{"datasetName":"abc","numberOfBuckets":"8"}`), 422, api.CodeInvalid, "numberOfBuckets"},
		{"a_list_for_an_object", create(`[]`), 422, api.CodeInvalid, ""},
		{"two_documents", create(`{"datasetName":"abc"}{}`), 400, api.CodeMalformed, ""},
		{"data_as_plain_csv", call{method: "POST", path: data, body: "id,a,b\n", header: map[string]string{"Content-Type": "text/csv"}}, 415, api.CodeWrongMediaType, ""},
		{"data_without_a_type", call{method: "POST", path: data, body: "id,a,b\n"}, 415, api.CodeWrongMediaType, ""},
		{"data_without_the_part", call{
			method: "POST", path: data, body: "--b\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\nx\r\n--b--\r\n",
			header: map[string]string{"Content-Type": kind},
		}, 422, api.CodeInvalid, "file"},
		{"data_that_breaks_off", call{method: "POST", path: data, body: broken, header: map[string]string{"Content-Type": kind}}, 400, api.CodeMalformed, ""},
		{"data_that_breaks_off_after_the_part", call{method: "POST", path: data, body: broken + "\r\n--b\r\n", header: map[string]string{"Content-Type": kind}}, 400, api.CodeMalformed, ""},
		{"data_that_is_no_form", call{method: "POST", path: data, body: "id,a,b\n", header: map[string]string{"Content-Type": kind}}, 400, api.CodeMalformed, ""},
		{"data_for_an_unknown_dataset", call{method: "POST", path: "/api/v1/datasets/" + noKey + "/data", form: "id,a,b\n"}, 404, api.CodeNotFound, ""},
	}
}

func trainingRefusals(pending api.CreatedDataset) []refusal {
	create := func(body string) call {
		return call{method: "POST", path: "/api/v1/training/datasets/" + pending.DatasetKey, json: body}
	}
	return []refusal{
		{"dataset_not_completed", create(`{"scalingFactor":0,"performanceThreshold":0.5}`), 409, api.CodeWrongState, ""},
		{"no_scaling_factor", create(`{"performanceThreshold":0.5}`), 422, api.CodeInvalid, "scalingFactor"},
		{"scaling_factor_below_0", create(`{"scalingFactor":-1,"performanceThreshold":0.5}`), 422, api.CodeInvalid, "scalingFactor"},
		{"scaling_factor_500", create(`{"scalingFactor":500,"performanceThreshold":0.5}`), 422, api.CodeInvalid, "scalingFactor"},
		{"no_threshold", create(`{"scalingFactor":4}`), 422, api.CodeInvalid, "performanceThreshold"},
		{"threshold_below_0", create(`{"scalingFactor":4,"performanceThreshold":-0.1}`), 422, api.CodeInvalid, "performanceThreshold"},
		{"threshold_above_1", create(`{"scalingFactor":4,"performanceThreshold":1.01}`), 422, api.CodeInvalid, "performanceThreshold"},
		{"two_thresholds", create(`{"scalingFactor":4,"performanceThreshold":0.5,"targetPerformance":0.6}`), 422, api.CodeInvalid, "targetPerformance"},
		{"no_threshold_and_one", create(`{"scalingFactor":4,"performanceThreshold":null,"targetPerformance":0.6}`), 422, api.CodeInvalid, "targetPerformance"},
		{"threshold_of_text", create(`{"scalingFactor":4,"performanceThreshold":"0.6"}`), 422, api.CodeInvalid, "performanceThreshold"},
		{"no_threshold_on_a_pending_dataset", create(`{"scalingFactor":4,"performanceThreshold":null}`), 409, api.CodeWrongState, ""},
		{"integers_with_a_point_or_an_exponent", create(`{"scalingFactor":4.0,"performanceThreshold":null,"seed":1e1}`), 409, api.CodeWrongState, ""},
		{"half_a_leaf", create(`{"scalingFactor":4.5,"performanceThreshold":0.5}`), 422, api.CodeInvalid, "scalingFactor"},
		{"unknown_metric", create(`{"scalingFactor":4,"performanceThreshold":0.5,"metric":"luck"}`), 422, api.CodeInvalid, "metric"},
		{"no_time", create(`{"scalingFactor":4,"performanceThreshold":0.5,"timeLimitSeconds":0}`), 422, api.CodeInvalid, "timeLimitSeconds"},
		{"no_finite_threshold", create(`{"scalingFactor":4,"performanceThreshold":1e400}`), 400, api.CodeMalformed, "performanceThreshold"},
		{"seed_past_64_bits", create(`{"scalingFactor":4,"performanceThreshold":0.5,"seed":1e30}`), 422, api.CodeInvalid, ""},
		{"no_algorithm", create(`{"scalingFactor":4,"performanceThreshold":0.5,"algorithms":[]}`), 422, api.CodeInvalid, "algorithms"},
		{"unknown_dataset_to_train", call{
			method: "POST", path: "/api/v1/training/datasets/" + noKey,
			json: `{"scalingFactor":4,"performanceThreshold":0.5}`,
		}, 404, api.CodeNotFound, ""},
	}
}

func predictionRefusals() []refusal {
	const kind = "multipart/form-data; boundary=b"
	part := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	byForm := func(body string) call {
		return call{method: "POST", path: "/api/v1/predictions", body: body + "--b--\r\n", header: map[string]string{"Content-Type": kind}}
	}
	otherInQuery := byForm(part("modelKey", noKey) + part("file", "id,a\n"))
	otherInQuery.path += "?modelKey=" + strings.Replace(noKey, "1", "9", 1)
	badInQuery, repeatedInQuery := byForm(part("file", "id,a\n")), byForm(part("file", "id,a\n"))
	badInQuery.path += "?modelKey=abc"
	repeatedInQuery.path += "?modelKey=" + noKey + "&modelKey=" + noKey
	return []refusal{
		{"query_with_a_bad_key", badInQuery, 400, api.CodeMalformed, "modelKey"},
		{"query_with_two_keys", repeatedInQuery, 400, api.CodeMalformed, "modelKey"},
		{"predict_with_an_unknown_model", call{method: "POST", path: "/api/v1/predictions/models/" + noKey, form: "id,a\n"}, 404, api.CodeNotFound, ""},
		{"predict_with_json", call{method: "POST", path: "/api/v1/predictions/models/" + noKey, json: "{}"}, 415, api.CodeWrongMediaType, ""},
		{"form_without_a_key", byForm(part("file", "id,a\n")), 422, api.CodeInvalid, "modelKey"},
		{"form_without_a_file", byForm(part("modelKey", noKey)), 422, api.CodeInvalid, "file"},
		{"form_with_a_bad_key", byForm(part("modelKey", "abc") + part("file", "id,a\n")), 400, api.CodeMalformed, "modelKey"},
		{"form_with_two_keys", otherInQuery, 400, api.CodeMalformed, "modelKey"},
		{"form_with_an_unknown_key", byForm(part("modelKey", noKey) + part("file", "id,a\n")), 404, api.CodeNotFound, ""},
		{"form_with_an_unknown_key_after", byForm(part("file", "id,a\n") + part("modelKey", noKey)), 404, api.CodeNotFound, ""},
		{"result_without_a_signature", call{method: "GET", path: "/api/v1/predictions/" + noKey + "/result", anonymous: true}, 403, api.CodeForbidden, ""},
	}
}

func addressRefusals(pending api.CreatedDataset) []refusal {
	address := pending.DatasetUploadInfo.UploadURL
	put := func(address, body, kind string) call {
		return call{method: "PUT", path: address, body: body, header: map[string]string{"Content-Type": kind}}
	}
	return []refusal{
		{"upload_of_9_bytes", put(address, "id,a,b\n1,", "text/csv"), 422, api.CodeTooSmall, ""},
		{"upload_of_nothing", put(address, "", "text/csv"), 422, api.CodeTooSmall, ""},
		{"upload_with_a_parameter_of_a_proxy", put(address+"&trace=1", "", "text/csv"), 422, api.CodeTooSmall, ""},
		{"upload_as_json", put(address, "{\"a\": \"bcdefgh\"}", "application/json"), 415, api.CodeWrongMediaType, ""},
		{"upload_with_a_forged_signature", put(address+"x", "id,a,b\n1,2,3\n", "text/csv"), 403, api.CodeForbidden, ""},
		{"upload_at_another_time", put(strings.Replace(address, "expires=", "expires=9", 1), "id,a,b\n1,2,3\n", "text/csv"), 403, api.CodeForbidden, ""},
		{"upload_without_a_token", call{method: "PUT", path: address, body: "id,a,b\n1,2,3\n", anonymous: true}, 401, api.CodeUnauthorized, ""},
	}
}

// TestProblemBodies compares the bodies of some errors byte for byte.
func TestProblemBodies(t *testing.T) {
	w := newTestServer(t, server.Options{})
	for name, c := range map[string]call{
		"no-route":           {method: "GET", path: "/api/v1/nothing"},
		"method-not-allowed": {method: "PUT", path: "/api/v1/datasets"},
		"unauthorized":       {method: "GET", path: "/api/v1/datasets?offset=0&limit=1", anonymous: true},
		"not-found":          {method: "GET", path: "/api/v1/datasets/" + noKey},
		"malformed-json":     {method: "POST", path: "/api/v1/datasets", json: `{"datasetName":`},
		"malformed-query":    {method: "GET", path: "/api/v1/datasets?offset=x&limit=y"},
		"unknown-parameter":  {method: "GET", path: "/api/v1/datasets?offset=0&limit=1&sate=FAILED&%0Ax=1"},
		"without-parameters": {method: "DELETE", path: "/api/v1/datasets/" + noKey + "?force=true"},
		"invalid":            {method: "POST", path: "/api/v1/datasets", json: `{"description":"d","numberOfBuckets":101,"colour":"red"}`},
		"invalid-direction":  {method: "POST", path: "/api/v1/training/datasets/" + noKey, json: `{"performanceThreshold":null,"monotone":{"size":"up"}}`},
		"class-weights":      {method: "POST", path: "/api/v1/training/datasets/" + noKey, json: `{"scalingFactor":0,"performanceThreshold":null,"classWeights":{"yes":"5"}}`},
		"wrong-media-type":   {method: "POST", path: "/api/v1/datasets", body: "a=b", header: map[string]string{"Content-Type": "text/plain"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := w.send(t, c)
			golden := filepath.Join("testdata", "problem", name+".json")
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
