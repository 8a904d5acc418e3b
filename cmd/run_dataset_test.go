package cmd

import (
	"bytes"
	"testing"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/preflight"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
	"foretell/internal/term"
)

// TestHasOtherForms compares a profile with datasets that this program and others have prepared.
func TestHasOtherForms(t *testing.T) {
	train := &profile.Profile{Columns: []profile.ColumnProfile{
		{Name: "at", Form: inference.FormDate, Epoch: frame.EpochSeconds},
		{Name: "day", Form: inference.FormDate, DateOrder: inference.YearFirst},
		{Name: "n", Form: inference.FormNumeric},
	}}
	at, day := api.Column{Name: "at", Kind: "date", Epoch: "s"}, api.Column{Name: "day", Kind: "date", DateOrder: "year-first"}
	for _, c := range []struct {
		name    string
		id      string
		columns []api.Column
		want    bool
	}{
		{"same", "id", []api.Column{at, day, {Name: "n", Kind: "numeric"}}, false},
		{"unix_times_were_numbers", "id", []api.Column{{Name: "at", Kind: "numeric"}, day}, true},
		{"another_order_of_dates", "id", []api.Column{at, {Name: "day", Kind: "date", DateOrder: "day-first"}}, true},
		{"order_of_dates_is_not_reported", "id", []api.Column{at, {Name: "day", Kind: "date"}}, false},
		{"service_without_these_fields", "", []api.Column{{Name: "at", Kind: "numeric"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := hasOtherForms(&api.Dataset{IDName: c.id, Columns: c.columns}, train); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestNextCommands checks that the next commands are printed on a terminal, but not among JSON events.
func TestNextCommands(t *testing.T) {
	for _, events := range []bool{false, true} {
		var b bytes.Buffer
		f := &cli.Factory{Console: &term.Console{Err: &b, ErrTerminal: true}, NotesAreEvents: events}
		p := &runPipeline{runOptions: &runOptions{factory: f}, files: &preflight.Preflight{}, model: &api.Model{}, dataset: &api.Dataset{}}
		p.printNextCommands()
		if printed := b.Len() > 0; printed == events {
			t.Errorf("with events %v: %q", events, &b)
		}
	}
}
