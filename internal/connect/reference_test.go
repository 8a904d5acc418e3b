package connect

import (
	"maps"
	"testing"

	"foretell/internal/api"
	"foretell/internal/client"
)

// TestNewestObject checks that @last is the object that was created last, in whatever order the
// objects are listed.
func TestNewestObject(t *testing.T) {
	const earlier, later = "2026-11-25T04:00:00Z", "2026-11-25T04:00:01Z"
	for name, c := range map[string]struct{ first, second creationTime }{
		"first":                         {creationTime{later, 5}, creationTime{earlier, 9}},
		"first of one second":           {creationTime{later, 9}, creationTime{later, 5}},
		"first if the order is unknown": {creationTime{later, 0}, creationTime{later, 0}},
		"second":                        {creationTime{earlier, 9}, creationTime{later, 5}},
		"second of one second":          {creationTime{later, 5}, creationTime{later, 9}},
	} {
		t.Run(name, func(t *testing.T) {
			want := "first"
			if name[0] == 's' {
				want = "second"
			}
			key, err := resolveReference("model", "@last", maps.All(map[refCandidate]error{}))
			if err == nil {
				t.Errorf("without objects, @last is %q", key)
			}
			key, err = resolveReference("model", "@last", func(yield func(refCandidate, error) bool) {
				_ = yield(refCandidate{key: "first", created: c.first}, nil) && yield(refCandidate{key: "second", created: c.second}, nil)
			})
			if err != nil || key != want {
				t.Errorf("@last is %q (%v), want %q", key, err, want)
			}
			model := func(key string, created creationTime) client.SeriesModel {
				return client.SeriesModel{ModelEntry: api.ModelEntry{ModelKey: key, CreatedOn: created.seconds, CreatedMicros: created.micros}}
			}
			if newest := NewestModel([]client.SeriesModel{model("first", c.first), model("second", c.second)}); newest.ModelKey != want {
				t.Errorf("the newest model is %q, want %q", newest.ModelKey, want)
			}
		})
	}
}
