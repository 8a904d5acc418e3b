package server_test

import (
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/server"
)

const (
	ownerEmail    = "owner@secret-domain.example"
	ownerPassword = "the owner's own phrase"
	newPassword   = "a phrase that is new"
	otherEmail    = "other@example.com"
	otherPassword = "the other one's phrase"
	loginEmail    = "login@example.com"            // has the password of the other account
	factorEmail   = "factor@secret-domain.example" // has the password of the owner
)

func newContractTest(tb testing.TB, log *slog.Logger) *contractTest {
	tb.Helper()
	s := newTestServer(tb, server.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Log: log})
	c := &contractTest{testServer: s, doc: s.contract(tb), keys: map[string]string{}, signed: map[string]string{}, tokens: map[string]string{}}
	administrator := s.administrator(tb)
	for email, password := range map[string]string{ownerEmail: ownerPassword, otherEmail: otherPassword, loginEmail: otherPassword, factorEmail: ownerPassword} {
		if err := s.app.AddUser(tb.Context(), api.NewAccount{Email: email}, password); err != nil {
			tb.Fatal(err)
		}
	}
	session := s.as(tb, ownerEmail, ownerPassword) // the session that endSession ends
	owner := s.as(tb, ownerEmail, ownerPassword)
	c.tokens = map[string]string{
		"owner": owner.token, "other": s.as(tb, otherEmail, otherPassword).token,
		"factor": s.as(tb, factorEmail, ownerPassword).token, "administrator": administrator.token,
	}
	c.addOwnerObjects(tb, owner)
	c.keys["sessionKey"] = session.sessionKey(tb)
	var invitation api.Invitation
	administrator.must(tb, call{method: "POST", path: "/api/v1/admin/accounts", json: `{"email":"third@example.com"}`}, &invitation)
	administrator.must(tb, call{
		method: "PUT", path: "/api/v1/admin/accounts/" + c.accountKey(tb, administrator, ownerEmail) + "/quota", json: `{"datasets":null,"bytes":null,"races":1}`,
	}, nil)
	s.must(tb, call{method: "POST", path: "/api/account/requests", json: accessRequest, anonymous: true}, nil)
	var requests api.AccessRequestPage
	administrator.must(tb, call{method: "GET", path: "/api/v1/admin/requests?offset=0&limit=1"}, &requests)
	c.keys["accountKey"], c.keys["requestKey"] = invitation.AccountKey, requests.AccessRequests[0].RequestKey
	return c
}

// sessionKey returns the key of the session to which the token belongs.
func (s *testServer) sessionKey(tb testing.TB) string {
	tb.Helper()
	var list api.SessionList
	s.must(tb, call{method: "GET", path: "/api/v1/account/sessions"}, &list)
	return list.Sessions[slices.IndexFunc(list.Sessions, func(e api.SessionEntry) bool { return e.Current })].SessionKey
}

func (c *contractTest) accountKey(tb testing.TB, administrator *testServer, email string) string {
	tb.Helper()
	var page api.AccountPage
	administrator.must(tb, call{method: "GET", path: "/api/v1/admin/accounts?offset=0&limit=100"}, &page)
	i := slices.IndexFunc(page.Accounts, func(a api.Account) bool { return a.Email == email })
	return page.Accounts[i].AccountKey
}

// addOwnerObjects creates the owner's objects. Some of their texts begin with "secret". No response
// to another account may contain these texts.
func (c *contractTest) addOwnerObjects(tb testing.TB, owner *testServer) {
	tb.Helper()
	csv := strings.NewReplacer("length", "secretLength", "width", "secretWidth", "iris", "secretIris", "rose", "secretRose").Replace(flowers(150, true))
	created := owner.newDataset(tb, "secret flowers")
	c.keys["datasetKey"] = created.DatasetKey
	owner.must(tb, call{method: "POST", path: "/api/v1/datasets/" + created.DatasetKey + "/data", form: csv}, nil)
	owner.poll(tb, created.DatasetCreationProgressURL)
	var job api.CreatedTraining
	owner.must(tb, call{
		method: "POST", path: "/api/v1/training/datasets/" + created.DatasetKey,
		json: `{"scalingFactor":8,"performanceThreshold":0.6,"algorithms":["MSIX01"],"seed":1}`,
	}, &job)
	owner.poll(tb, job.TrainingJobProgressURL)
	var race api.Training
	owner.must(tb, call{method: "GET", path: "/api/v1/training/" + job.TrainingJobKey}, &race)
	c.keys["trainingJobKey"], c.keys["modelKey"] = job.TrainingJobKey, race.ModelKey
	var predicted api.CreatedPrediction
	blind := strings.NewReplacer("length", "secretLength", "width", "secretWidth").Replace(flowers(30, false))
	owner.must(tb, call{method: "POST", path: "/api/v1/predictions/models/" + race.ModelKey, form: blind}, &predicted)
	owner.poll(tb, "/api/v1/predictions/"+predicted.PredictionKey)
	var prediction api.Prediction
	owner.must(tb, call{method: "GET", path: "/api/v1/predictions/" + predicted.PredictionKey}, &prediction)
	c.keys["predictionKey"] = predicted.PredictionKey
	c.signed["downloadResult"] = prediction.PredictionResultURL
	c.signed["uploadData"] = created.DatasetUploadInfo.UploadURL
}

// accountFor returns the account that sends the valid requests of an operation, or "" if these
// requests need no account.
func (c *contractTest) accountFor(op *contractOperation) string {
	switch {
	case op.isPublic():
		return ""
	case op.isAdministrative():
		return "administrator"
	case strings.HasSuffix(op.ID, "SecondFactor"): // of its own, because wrong passwords are limited
		return "factor"
	}
	return "owner"
}

// validRequest returns a request that the operation accepts, unless a name or an email address is
// taken or the state of an object does not allow it.
func (c *contractTest) validRequest(op *contractOperation) *contractRequest {
	r := &contractRequest{name: "valid", op: op, method: op.method, path: map[string]string{}, header: http.Header{}, verdict: valid}
	signed, _ := url.Parse(c.signed[op.ID])
	for _, p := range op.Parameters {
		switch {
		case p.In == "path" && c.keys[p.Name] == "":
			panic("newContractTest creates no object for the parameter " + p.Name)
		case p.In == "path":
			r.path[p.Name] = c.keys[p.Name]
		case signed.Query().Has(p.Name):
			r.query = append(r.query, p.Name+"="+url.QueryEscape(signed.Query().Get(p.Name)))
		case p.Required:
			r.query = append(r.query, p.Name+"="+c.doc.validJSON(&p.Schema))
		}
	}
	r.body, r.members = c.validBody(op)
	if media := op.mediaType(); media == "multipart/form-data" {
		r.header.Set("Content-Type", media+"; boundary=abc")
	} else if media != "" {
		r.header.Set("Content-Type", media)
	}
	return r
}

// validBody returns a valid body, and its members if it is JSON.
func (c *contractTest) validBody(op *contractOperation) (string, []member) {
	const file = "--abc\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\nid,secretLength,secretWidth\nr1,1,2\n\r\n--abc--\r\n"
	switch {
	case op.ID == "createPredictionByForm":
		return "--abc\r\nContent-Disposition: form-data; name=\"modelKey\"\r\n\r\n" + c.keys["modelKey"] + "\r\n" + file, nil
	case op.mediaType() == "multipart/form-data":
		return file, nil
	case op.mediaType() == "text/csv":
		return "id,a,y\n1,2,3\n", nil
	}
	schema := c.doc.body(op)
	if schema == nil {
		return "", nil
	}
	known := map[string]string{ // what the schema does not say
		"username": loginEmail, "logIn.password": otherPassword, "currentPassword": ownerPassword, "newPassword": newPassword,
		"createAccount.email": "fourth@example.com", "requestAccess.email": "fifth@example.com", "requestPassword.email": "sixth@example.com",
	}
	var members []member
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		text := known[op.ID+"."+name] + known[name]
		if text != "" {
			text = quoteJSON(text)
		} else {
			text = c.doc.validJSON(schema.Properties[name])
		}
		if slices.Contains(schema.Required, name) || name == "performanceThreshold" {
			members = append(members, member{name, text})
		}
	}
	return joinMembers(members), members
}
