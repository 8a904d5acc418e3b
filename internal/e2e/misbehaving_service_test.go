package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"foretell/internal/api"
)

// misbehave responds as the first element of the URL path determines.
func misbehave(w http.ResponseWriter, r *http.Request) {
	mode, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	w.Header().Set("Content-Type", "application/json")
	kind, value, _ := strings.Cut(mode, "-")
	switch kind {
	case "html":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>Welcome</html>")
	case "words":
		fmt.Fprint(w, "no JSON")
	case "garbage":
		fmt.Fprint(w, `{"datasets": 5}`)
	case "cut":
		panic(http.ErrAbortHandler)
	case "redirect":
		http.Redirect(w, r, "http://elsewhere.example.com/", http.StatusFound)
	case "status":
		status, _ := strconv.Atoi(value)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(status)
		fmt.Fprint(w, `{"message":"the service's own words"}`)
	case "code":
		problem := api.NewProblem(api.Code(value), "the service's own words")
		problem.RequestID = "4711"
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(problem.Status)
		_ = json.NewEncoder(w).Encode(problem)
	case "hang":
		if strings.HasSuffix(rest, "/data") {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return
		}
		failJobs(w, r, rest)
	case "full":
		if strings.HasSuffix(rest, "/data") {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"code":"not-ready","detail":"the service is stopping"}`)
			return
		}
		failJobs(w, r, rest)
	case "over": // the file exceeds the quota, which the service notices only after the upload to the object store
		switch {
		case r.Method == http.MethodPost && rest == "api/v1/datasets":
			fmt.Fprint(w, `{"datasetKey":"00000000-0000-4000-8000-000000000011","status":"PENDING"}`)
		case strings.HasSuffix(rest, "/data"):
			fmt.Fprint(w, `{"datasetKey":"00000000-0000-4000-8000-000000000011","status":"PROCESSING"}`)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		default:
			failJobs(w, r, rest)
		}
	case "alike":
		fmt.Fprint(w, `{"datasets":[{"datasetKey":"00000000-0000-4000-8000-000000000001","datasetName":"shop"},`+
			`{"datasetKey":"00000000-0000-4000-8000-000000000002","datasetName":"shop-two"}],"total":2}`)
	default:
		failJobs(w, r, rest)
	}
}

// ends maps the last two characters of a key to the final state of the object with this key.
var ends = map[string]string{
	"01": `"datasetName":"shop","status":"FAILED","failureReason":"every algorithm failed"`,
	"02": `"status":"CANCELLED","modelKey":"00000000-0000-4000-8000-0000000000aa"`,
	"03": `"status":"NOT_COMPLETED","metric":"accuracy","targetPerformance":0.9,"achievedPerformance":0.8,"modelKey":"00000000-0000-4000-8000-0000000000aa"`,
	"04": `"status":"RUNNING"`,
	"05": `"status":"COMPLETED","rows":9,"predictionResultUrl":"/fail/result"`,
	"06": `"status":"COMPLETED","predictionResultUrl":"/fail/damaged"`,
	"07": `"status":"TIMEOUT","failureReason":"it took too long"`,
	"10": `"status":"FAILED","failureReason":"the column size is missing"`,
	"11": `"datasetName":"shop","status":"FAILED","failureReason":"the account's quota for stored bytes is 500 (used: 0, needed by this request: 600): delete datasets, models or predictions, or ask an administrator for a larger quota"`,
	"aa": `"modelKey":"00000000-0000-4000-8000-0000000000aa","datasetKey":"00000000-0000-4000-8000-000000000008","achievedPerformance":"0.8"`,
	"09": `"status":"PENDING"`,
	"08": `"status":"COMPLETED","datasetName":"shop","columns":[{"name":"size"},{"name":"weight"}]`,
}

// failJobs responds like a service whose jobs fail.
func failJobs(w http.ResponseWriter, r *http.Request, path string) {
	found := keyOrName().FindString(path)
	switch {
	case path == "result":
		fmt.Fprint(w, "id,size,prediction\nb1,1,yes\n")
	case path == "damaged":
		fmt.Fprint(w, "id,size\nb1\n")
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/datasets"):
		fmt.Fprint(w, `{"datasetKey":"00000000-0000-4000-8000-000000000001","status":"PENDING"}`)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/data"):
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"code":"invalid","detail":"line 2: expected 4 fields, got 5"}`)
	case r.Method == http.MethodPost && strings.Contains(path, "/predictions"):
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		fmt.Fprint(w, `{"code":"too-large","detail":"at most 5 bytes are taken"}`)
	case found != "":
		fmt.Fprintf(w, `{"trainingJobKey":%q,"predictionKey":%q,"datasetKey":%[1]q,`, found, found)
		fmt.Fprint(w, ends[found[len(found)-2:]]+"}")
	default:
		fmt.Fprint(w, `{"datasets":[],"offset":0,"limit":1000,"total":0}`)
	}
}
