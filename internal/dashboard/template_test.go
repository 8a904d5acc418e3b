package dashboard

import (
	"io"
	"net/url"
	"reflect"
	"testing"
	"time"

	"foretell/internal/api"
)

// TestTemplatesWithFilledData executes each page with data in which every field has a value, and with data in
// which none has, so that values of a wrong type are found in parts that are rarely shown. Many parts depend on
// a state or a role.
func TestTemplatesWithFilledData(t *testing.T) {
	t.Parallel()
	pages := map[string]any{
		"account": accountPage{}, "admin": administrationPage{}, "compare": comparePage{}, "dataset": datasetPage{}, "datasets": datasetsPage{}, "error": &api.Problem{},
		"events": eventsPage{}, "forgotten_password": forgottenPasswordPage{}, "home": homePage{}, "jobs": jobsPage{}, "model": modelPage{}, "models": modelsPage{},
		"password": passwordPage{}, "prediction": predictionPage{}, "predictions": predictionsPage{}, "request_access": requestAccessPage{}, "series": seriesPage{}, "sign_in": signInForm{},
		"train": trainPage{}, "training": trainingPage{}, "trainings": trainingsPage{}, "user": userPage{}, "users": usersPage{}, "verify": verifyPage{},
	}
	for name, templates := range parseTemplates(time.Now) {
		empty, known := pages[name]
		if !known {
			t.Errorf("the test does not know the data of the page %s", name)
			continue
		}
		for _, text := range []string{"x", "PENDING", "PROCESSING", "RUNNING", "COMPLETED", "FAILED", "INVITED", "DISABLED", "BLEND", "administrator", "large", "unknown"} {
			for _, isSet := range []bool{true, false} {
				filled := reflect.New(reflect.TypeOf(empty)).Elem()
				fillValue(filled, text, isSet, 12)
				data := filled.Interface()
				if compared, is := data.(comparePage); is {
					compared.A.TestRows = 0 // an entry with test rows has a report in a field that is not exported
				}
				content := &page{Title: "x", Data: data, query: url.Values{}, Account: &api.Account{Role: text}, Local: !isSet}
				content.setProblem(api.NewFieldProblem("x", "is wrong"), nil)
				if err := templates.ExecuteTemplate(io.Discard, "page", content); err != nil {
					t.Errorf("%s, text %s, flags %v: %v", name, text, isSet, err)
				}
			}
		}
	}
}

// fillValue sets every exported field, element and pointer in v, up to a depth: texts to text, flags to isSet,
// and numbers to 3. Lists have two elements.
func fillValue(v reflect.Value, text string, isSet bool, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(isSet)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), text, isSet, depth-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillValue(v.Index(i), text, isSet, depth-1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(key, text, isSet, depth-1)
		fillValue(value, text, isSet, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(v.Field(i), text, isSet, depth-1)
		}
	}
}
