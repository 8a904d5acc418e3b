package dashboard

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/htmlreport"
)

// TestRejectedFields renders each form after all its fields were rejected. Each field must be marked
// and described by its message, and the label of the field must be the name in the message above the
// form.
func TestRejectedFields(t *testing.T) {
	t.Parallel()
	dataset := &api.Dataset{}
	for _, tt := range []struct {
		name   string
		fields []formField
		data   any
	}{
		{"train", trainFields, trainPage{Dataset: dataset, Algorithms: api.Algorithms(2)}},
		{"datasets", datasetFields, datasetsPage{}},
		{"model", predictFields, modelPage{&htmlreport.Document{Model: &api.Model{}, Dataset: dataset}, nil, 0, ""}},
		{"request_access", accessFields, requestAccessPage{}},
		{"forgotten_password", forgottenFields, forgottenPasswordPage{}},
		{"password", passwordFields, passwordPage{Code: "code", First: true}},
		{"sign_in", signInFields, signInForm{}},
		{"users", accountFields, usersPage{}},
		{"user", quotaFields, userPage{User: &api.Account{}}},
		{"account", newPasswordFields, accountPage{}},
		{"account", addAuthenticatorFields, accountPage{}},
		{"account", removeAuthenticatorFields, accountPage{}},
	} {
		var invalid []api.FieldError
		for _, field := range tt.fields {
			invalid = append(invalid, api.FieldError{Field: field.Name, Message: "must be another " + field.ID})
		}
		content := &page{Account: &api.Account{SecondFactor: tt.fields[0].ID == "remove-current"}, Data: tt.data}
		content.setProblem(api.NewFieldProblems(invalid), tt.fields)
		var body bytes.Buffer
		if err := parseTemplates(time.Now)[tt.name].ExecuteTemplate(&body, "content", content); err != nil {
			t.Fatal(err)
		}
		for _, field := range tt.fields {
			label, mark := `<label for="`+field.ID+`">`+field.Label, `aria-invalid="true" aria-describedby="`+field.ID+`-error`
			if field.ID == "algorithms" {
				label, mark = "<legend>Algorithms", `aria-invalid="true"`
			}
			for _, want := range []string{
				label, mark, `<a href="#` + field.ID + `">` + field.Label + `</a>: must be another ` + field.ID + ".", ` id="` + field.ID + `"`,
				`<p class="field-error" id="` + field.ID + `-error">Must be another ` + field.ID + ".",
			} {
				if !strings.Contains(body.String(), want) {
					t.Errorf("%s: %s is missing in %s", tt.name, want, body.String())
				}
			}
		}
	}
}

// TestTrainFormRejects sends a form in which each field is wrong, and expects a message about each
// of them. The limits in the messages are those of the API.
func TestTrainFormRejects(t *testing.T) {
	t.Parallel()
	classes := []api.Class{{Label: "no"}, {Label: "yes"}}
	form := trainForm{Threshold: "2", ScalingFactor: "500", Minutes: "0.0001", Seed: "-1", ClassWeights: "maybe=1", Monotone: "age"}
	_, err := form.toRequest(classes)
	var problem *api.Problem
	if !errors.As(err, &problem) {
		t.Fatalf("the form is accepted: %v", err)
	}
	content := &page{Path: "/datasets/key/train"}
	content.setProblem(problem, trainFields)
	for id, want := range map[string]string{
		"threshold": "between 0 and 1", "scaling": "between 0 and 499", "minutes": "between 0.0167 (one second) and 10080", "seed": "at least 0",
		"weights": "unknown class", "monotone": "COLUMN=increasing", "algorithms": "choose at least one",
	} {
		if e := content.Fields.Find(id); e == nil || !strings.Contains(e.Message, want) {
			t.Errorf("the message about %s is %+v", id, e)
		}
	}
	page := trainPage{Dataset: &api.Dataset{}, Form: form, Algorithms: api.Algorithms(2)}
	content.Data = page
	var body bytes.Buffer
	if err := parseTemplates(time.Now)["train"].ExecuteTemplate(&body, "content", content); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<details open>", `data-hx-post="/datasets/key/train" data-hx-target="#form-error"`, `value="2"`, `value="500"`, `value="0.0001"`, `value="-1"`, `value="maybe=1"`, ">age</textarea>", "an integer up to 499"} {
		if !strings.Contains(body.String(), want) {
			t.Errorf("%s is missing in %s", want, body.String())
		}
	}
	if strings.Contains(body.String(), "checked") {
		t.Error("a box is checked that was not")
	}
	neural := trainForm{Monotone: "age=1", Algorithms: []string{"BSEV01", "BSIX01"}}
	if reason := neural.invalidAlgorithms(); !strings.Contains(reason, "BSEV01") {
		t.Errorf("the neural network races with monotone columns: %q", reason)
	}
	for _, factor := range []string{"0", "1", "499", ""} {
		if _, ok := (trainForm{ScalingFactor: factor}).parseScalingFactor(); !ok {
			t.Errorf("the scaling factor %q is rejected", factor)
		}
	}
}

// TestQuotaFormRejects expects a message about each wrong limit, beside what was typed.
func TestQuotaFormRejects(t *testing.T) {
	t.Parallel()
	form := quotaForm{Datasets: "1.5", Megabytes: "x", Races: "-1"}
	_, err := form.parse()
	var problem *api.Problem
	if !errors.As(err, &problem) || len(problem.Errors) != 3 {
		t.Fatalf("the problem is %v", err)
	}
	content := &page{Data: userPage{User: &api.Account{}, Quota: form}}
	content.setProblem(problem, quotaFields)
	var body bytes.Buffer
	if err := parseTemplates(time.Now)["user"].ExecuteTemplate(&body, "content", content); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`value="1.5"`, `value="x"`, `value="-1"`, `<a href="#megabytes">Stored files in MB</a>: must be a number`} {
		if !strings.Contains(body.String(), want) {
			t.Errorf("%s is missing in %s", want, body.String())
		}
	}
}
