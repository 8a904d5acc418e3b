package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"foretell/internal/api"
)

// contractTest generates requests from the OpenAPI document, sends them to the service,
// and compares the responses with the document. One account owns an object of each kind,
// another account owns nothing, and there is an administrator.
type contractTest struct {
	*testServer
	doc    *contractDocument
	keys   map[string]string // of the owner's objects, by the name of the parameter
	signed map[string]string // signed URLs, by operation
	tokens map[string]string // by account: owner, other, factor, administrator
	sent   atomic.Int64
}

// TestContract sends valid and invalid requests to each operation of the OpenAPI document. Every
// response must be documented, and none may have the status 500. Invalid requests must be rejected
// and change nothing, and no account may see anything of another.
func TestContract(t *testing.T) {
	t.Parallel()
	c := newContractTest(t, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))) // does not log thousands of requests
	for _, op := range c.doc.operations {
		t.Run(op.ID, func(t *testing.T) {
			c.checkTokens(t, op)
			c.checkMethods(t, op)
			concurrent := 1
			if op.ID == api.RequestAccess.ID { // each response waits a quarter of a second
				concurrent = 32
			}
			var wait sync.WaitGroup
			slots := make(chan struct{}, concurrent)
			for i, r := range c.doc.requests(c.validRequest(op)) {
				if testing.Short() && i%8 != 0 {
					continue
				}
				slots <- struct{}{}
				wait.Go(func() {
					defer func() { <-slots }()
					c.check(t, r, c.accountFor(op))
				})
			}
			wait.Wait()
		})
	}
	t.Run("nothing_was_changed", c.checkUnchanged)
	for _, op := range c.doc.operations {
		if !isLast(op) {
			t.Run("valid_"+op.ID, func(t *testing.T) { c.checkValid(t, op) })
		}
	}
	t.Run("races_end", c.checkRacesEnd)
	for _, id := range lastOperations {
		op := c.doc.operations[slices.IndexFunc(c.doc.operations, func(op *contractOperation) bool { return op.ID == id })]
		t.Run("valid_"+op.ID, func(t *testing.T) { c.checkValid(t, op) })
	}
	t.Logf("%d requests", c.sent.Load())
}

// FuzzContract sends a request that is invalid in up to four ways, as a random account.
func FuzzContract(f *testing.F) {
	c := newContractTest(f, slog.New(slog.DiscardHandler))
	accounts := []string{"owner", "other", "administrator", ""}
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		op := c.doc.operations[rng.IntN(len(c.doc.operations))]
		r := c.validRequest(op)
		var names []string
		for range 1 + rng.IntN(4) {
			variants := c.doc.requests(r)
			r = variants[rng.IntN(len(variants))]
			names = append(names, r.name)
		}
		r.name, r.verdict, r.mayApply = strings.Join(names, " "), unspecified, isLast(op)
		c.check(t, r, accounts[rng.IntN(len(accounts))])
	})
}

// lastOperations are the operations whose valid requests delete or end objects that other requests
// need. Their requests are sent last, in this order.
var lastOperations = []string{
	"endSession", "endOtherSessions", "deletePrediction", "deleteModel", "deleteTraining", "deleteDataset",
	"disableAccount", "deleteAccount", "changePassword", "logOut",
}

func isLast(op *contractOperation) bool { return slices.Contains(lastOperations, op.ID) }

// checkTokens sends a valid request without a token, with invalid tokens, and with the
// token of an account that may not send it.
func (c *contractTest) checkTokens(t *testing.T, op *contractOperation) {
	t.Helper()
	base := c.validRequest(op)
	if op.isPublic() {
		c.checkSignature(t, base)
		return
	}
	for _, token := range []string{
		"", "Bearer", "Bearer ", "Bearer x", "Bearer " + strings.Repeat("A", 43), "Bearer " + strings.Repeat("A", 10_000), "Basic b3duZXI6eA==",
		"Bearer " + c.tokens["owner"] + "x", "Bearer " + strings.ToUpper(c.tokens["owner"]), "Token " + c.tokens["owner"], c.tokens["owner"], "Bearer ' OR 1=1 --",
	} {
		r := base.with(fmt.Sprintf("token/%.20q", token), invalid, func(r *contractRequest) { r.header.Set("Authorization", token) })
		if status := c.check(t, r, ""); status != http.StatusUnauthorized {
			t.Errorf("%s: %d with the token %.20q, want 401", op.ID, status, token)
		}
	}
	if len(base.path) == 0 && !op.isAdministrative() && op.ID != "createPredictionByForm" {
		if op.method == http.MethodGet { // it returns only what the caller owns
			c.check(t, base.with("token/other", unspecified, func(*contractRequest) {}), "other")
		}
		return
	}
	want := http.StatusNotFound
	if op.isAdministrative() {
		want = http.StatusForbidden
	}
	if status := c.check(t, base.with("token/other", invalid, func(*contractRequest) {}), "other"); status != want {
		t.Errorf("%s: %d for another account, want %d", op.ID, status, want)
	}
}

// checkSignature sends a request without its signature, and with invalid ones.
func (c *contractTest) checkSignature(t *testing.T, base *contractRequest) {
	t.Helper()
	if base.op.ID != "downloadResult" {
		return
	}
	for i, change := range []func(*contractRequest){
		func(r *contractRequest) { r.query = nil },
		func(r *contractRequest) { r.query[1] += "x" },
		func(r *contractRequest) { r.query[0] = "expires=4102444800" },
		func(r *contractRequest) { r.query[0] = "expires=1" },
		func(r *contractRequest) { r.path["predictionKey"] = noKey },
	} {
		if status := c.check(t, base.with("signature/"+strconv.Itoa(i), invalid, change), ""); status != http.StatusForbidden {
			t.Errorf("%d for the invalid signature %d, want 403", status, i)
		}
	}
}

// checkMethods sends every other method to the path of an operation.
func (c *contractTest) checkMethods(t *testing.T, op *contractOperation) {
	t.Helper()
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "get"} {
		isKnown := method == "OPTIONS" || slices.ContainsFunc(c.doc.operations, func(other *contractOperation) bool {
			return other.path == op.path && (other.method == method || other.method == "GET" && method == "HEAD")
		})
		if isKnown && method != "OPTIONS" {
			continue
		}
		r := c.validRequest(op).with("method/"+method, unspecified, func(r *contractRequest) { r.method = method })
		resp, body := c.sendRequest(t, r, c.accountFor(op))
		want := http.StatusMethodNotAllowed
		if isKnown {
			want = http.StatusNoContent
		}
		if resp.StatusCode != want || !strings.Contains(resp.Header.Get("Allow"), op.method) {
			t.Errorf("%s %s: %d, Allow: %s; %s", method, op.path, resp.StatusCode, resp.Header.Get("Allow"), body)
		}
	}
}

// check sends a request and compares the response with the document. It returns the status. account
// is a name in tokens. If it is "", the only token sent is the token in the request itself, if
// there is one.
func (c *contractTest) check(t *testing.T, r *contractRequest, account string) int {
	t.Helper()
	if r.mayApply && r.method != http.MethodGet {
		c.disarm(r)
	}
	resp, body := c.sendRequest(t, r, account)
	status := resp.StatusCode
	where := fmt.Sprintf("%s as %q, %s: %d", r.op.ID, account, r.name, status)
	if r.op.Responses[strconv.Itoa(status)] == nil {
		t.Errorf("%s is not documented: %.300s", where, body)
	}
	isProblem := status == http.StatusBadRequest || status == http.StatusUnsupportedMediaType || status == http.StatusUnprocessableEntity
	switch {
	case status >= http.StatusInternalServerError:
		t.Errorf("%s: %.300s", where, body)
	case r.verdict == invalid && status < http.StatusBadRequest:
		t.Errorf("%s, although it is invalid: %.300s", where, body)
	case r.verdict == valid && isProblem:
		t.Errorf("%s, although it is valid: %.300s", where, body)
	}
	if !strings.Contains(r.target(), "..") { // which matches another operation
		checkResponse(t, r.method, c.url+r.target(), resp, body)
	}
	if status == http.StatusRequestHeaderFieldsTooLarge {
		return status // net/http responded
	}
	c.checkHeaders(t, where, resp)
	if account != "administrator" && account != "owner" && account != "factor" && r.op.ID != "downloadResult" {
		c.checkSecrets(t, where, r, string(body)+fmt.Sprint(resp.Header))
	}
	for _, secret := range []string{ownerPassword, otherPassword, c.tokens["owner"], c.tokens["other"], c.tokens["administrator"]} {
		if strings.Contains(string(body), secret) && r.op.ID != "logIn" {
			t.Errorf("%s: a password or token is in %.300s", where, body)
		}
	}
	return status
}

// disarm changes a request so that it cannot change objects that other requests need.
func (c *contractTest) disarm(r *contractRequest) {
	for name := range r.path {
		if r.path[name] == c.keys[name] {
			r.path[name] = noKey
		}
	}
	switch r.op.ID {
	case "changePassword":
		r.body = strings.ReplaceAll(r.body, ownerPassword, "not the password")
	case "logOut", "endOtherSessions":
		r.header.Set("Authorization", "Bearer unknown")
	}
}

// checkHeaders checks the headers that every response must have.
func (c *contractTest) checkHeaders(t *testing.T, where string, resp reply) {
	t.Helper()
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Set-Cookie": "", "Server": ""} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %s is %q, want %q", where, name, got, want)
		}
	}
	if !strings.Contains(resp.Header.Get("Cache-Control"), "no-store") && !strings.Contains(resp.Header.Get("Cache-Control"), "private") {
		t.Errorf("%s: Cache-Control is %q", where, resp.Header.Get("Cache-Control"))
	}
	id := resp.Header.Get("X-Request-Id")
	if id == "" || len(id) > 64 || strings.ContainsAny(id, "<>\"'") {
		t.Errorf("%s: X-Request-Id is %q", where, id)
	}
}

// checkSecrets fails if a response to another account contains a key or a secret text of the owner
// that was not in the request.
func (c *contractTest) checkSecrets(t *testing.T, where string, r *contractRequest, text string) {
	t.Helper()
	request := r.target() + r.body
	for _, secret := range append(slices.Sorted(maps.Values(c.keys)), "secret") {
		if strings.Contains(text, secret) && !strings.Contains(request, secret) {
			t.Errorf("%s: %q of another account is in %.300s", where, secret, text)
		}
	}
}

// sendRequest sends a request as an account. Each request comes from another address, so that none
// reaches the limit of an address.
func (c *contractTest) sendRequest(t *testing.T, r *contractRequest, account string) (reply, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.method, c.url, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = r.target() // is sent unchanged
	req.Header = r.header.Clone()
	n := c.sent.Add(1)
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
	if account != "" && req.Header.Get("Authorization") == "" {
		req.Header.Set("Authorization", "Bearer "+c.tokens[account])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", r.op.ID, r.name, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", r.op.ID, r.name, err)
	}
	return reply{resp.StatusCode, resp.Header, resp.ContentLength}, body
}

// checkValid sends the valid request of an operation.
func (c *contractTest) checkValid(t *testing.T, op *contractOperation) {
	t.Helper()
	r := c.validRequest(op)
	if op.ID == "logOut" { // which follows changePassword
		c.tokens["owner"] = c.as(t, ownerEmail, newPassword).token
	}
	status := c.check(t, r, c.accountFor(op))
	success := 0
	for text := range op.Responses {
		if n, _ := strconv.Atoi(text); n < 300 && (success == 0 || n < success) {
			success = n
		}
	}
	switch op.ID { // operations that the state of the objects no longer allows
	case "setPassword", "confirmSecondFactor": // a code that is wrong or was used
		success = http.StatusForbidden
	case "addData", "uploadData", "cancelTraining", "refuseAccessRequest", "createDataset", "createAccount", "requestPassword",
		"removeSecondFactor", "removeSecondFactorOf":
		success = http.StatusConflict
	}
	if op.ID == "confirmSecondFactor" && status == http.StatusTooManyRequests {
		return // earlier requests of this test have sent too many wrong codes
	}
	if status != success {
		t.Errorf("%s: %d, want %d", op.ID, status, success)
	}
}

// checkUnchanged fails if one of the owner's objects was changed.
func (c *contractTest) checkUnchanged(t *testing.T) {
	owner := &testServer{app: c.app, url: c.url, token: c.tokens["owner"]}
	for path, want := range map[string]string{
		"/api/v1/datasets/" + c.keys["datasetKey"]: api.DatasetCompleted, "/api/v1/training/" + c.keys["trainingJobKey"]: api.TrainingCompleted,
		"/api/v1/predictions/" + c.keys["predictionKey"]: "COMPLETED", "/api/v1/models/" + c.keys["modelKey"]: "",
	} {
		_, body := owner.send(t, call{method: "GET", path: path})
		var state struct{ Status string }
		if err := json.Unmarshal(body, &state); err != nil || state.Status != want {
			t.Errorf("%s: %v %s", path, err, body)
		}
	}
}

// checkRacesEnd checks that the owner's races and predictions end.
func (c *contractTest) checkRacesEnd(t *testing.T) {
	owner := &testServer{app: c.app, url: c.url, token: c.tokens["owner"]}
	var trainings api.TrainingPage
	owner.must(t, call{method: "GET", path: "/api/v1/training?offset=0&limit=1000&parentOnly=true"}, &trainings)
	for _, race := range trainings.TrainingJobs {
		owner.poll(t, "/api/v1/training/"+race.TrainingJobKey+"/progress")
	}
	var predictions api.PredictionPage
	owner.must(t, call{method: "GET", path: "/api/v1/predictions/datasets/" + c.keys["datasetKey"] + "?offset=0&limit=1000"}, &predictions)
	for _, prediction := range predictions.Predictions {
		owner.poll(t, "/api/v1/predictions/"+prediction.PredictionKey)
	}
}
