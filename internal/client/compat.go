package client

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"foretell/internal/api"
)

// decodeLenient unmarshals JSON into the value that out points to. Other implementations of the
// service may send numbers and lists as strings, and keys as numbers. If unmarshalling fails,
// decodeLenient converts such values and tries again.
func decodeLenient(data []byte, out any) error {
	strict := json.Unmarshal(data, out)
	if strict == nil {
		return nil
	}
	var tree any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return strict
	}
	coerced, err := json.Marshal(coerce(tree, reflect.TypeOf(out)))
	if err != nil {
		return strict
	}
	if err := json.Unmarshal(coerced, out); err != nil {
		return strict
	}
	return nil
}

var unmarshalerType = reflect.TypeFor[json.Unmarshaler]()

// coerce returns a decoded JSON value in a form that can be unmarshalled into type t.
func coerce(value any, t reflect.Type) any {
	switch {
	case t == reflect.TypeFor[api.DatasetEntries](): // an array, or a string with an array
		t = reflect.TypeFor[[]api.DatasetEntry]()
	case reflect.PointerTo(t).Implements(unmarshalerType):
		return value
	}
	switch t.Kind() {
	case reflect.Pointer:
		return coerce(value, t.Elem())
	case reflect.Struct:
		if object, ok := parseJSONString(value).(map[string]any); ok {
			coerceFields(object, t)
			return object
		}
	case reflect.Slice:
		if list, ok := parseJSONString(value).([]any); ok {
			for i := range list {
				list[i] = coerce(list[i], t.Elem())
			}
			return list
		}
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return parseJSONString(value)
	case reflect.String:
		if n, ok := value.(json.Number); ok {
			return n.String()
		}
	}
	return value
}

func coerceFields(object map[string]any, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			coerceFields(object, field.Type)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value, ok := object[name]; ok {
			object[name] = coerce(value, field.Type)
		}
	}
}

// parseJSONString decodes a string that contains JSON. It returns nil for an empty string. Any
// other value is returned unchanged.
func parseJSONString(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var inner any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&inner); err != nil || dec.More() {
		return value
	}
	return inner
}

// normalizeStatesAndOutcomes replaces state names of other implementations of the service by the
// names of package api, and adds missing outcomes.
func normalizeStatesAndOutcomes(out any) {
	switch v := out.(type) {
	case *api.Training:
		v.Status = canonicalTrainingState(v.Status)
		fillOutcome(v, "")
	case *api.CreatedTraining:
		v.Status = canonicalTrainingState(v.Status)
	case *api.TrainingPage:
		for i := range v.TrainingJobs {
			v.TrainingJobs[i].Status = canonicalTrainingState(v.TrainingJobs[i].Status)
		}
		fillOutcomes(v.TrainingJobs)
	case *api.TrainingProgress:
		v.Status = canonicalTrainingState(v.Status)
		for i := range v.Jobs {
			v.Jobs[i].Status = canonicalTrainingState(v.Jobs[i].Status)
		}
		fillRunOutcomes(v)
	case *api.Prediction:
		v.Status = canonicalPredictionState(v.Status)
	case *api.PredictionProgress:
		v.Status = canonicalPredictionState(v.Status)
	case *api.PredictionPage:
		for i := range v.Predictions {
			v.Predictions[i].Status = canonicalPredictionState(v.Predictions[i].Status)
		}
	}
}

func canonicalTrainingState(s string) string {
	switch s {
	case "PROCESSING":
		return api.TrainingRunning
	case "TIMEOUT":
		return api.TrainingTimedOut
	}
	return s
}

func canonicalPredictionState(s string) string {
	switch s {
	case "PROCESSING":
		return api.PredictionRunning
	case "TIMED_OUT":
		return api.PredictionTimeout
	}
	return s
}
