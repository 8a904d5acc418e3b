package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// zonesTable returns a table with a column of times whose zones are the given ones in turn.
func zonesTable(label bool, zones ...string) string {
	text := "id,at\n"
	if label {
		text = "id,at,y\n"
	}
	for row := range 48 {
		text += fmt.Sprintf("r%d,2024-01-%02dT%02d:00:00%s", row, 1+row%28, row%24, zones[row%len(zones)])
		if label {
			text += []string{",a", ",b"}[row%2]
		}
		text += "\n"
	}
	return text
}

func TestCompareTimeZones(t *testing.T) {
	for _, c := range []struct {
		train, blind []string
		want         string
	}{
		{[]string{""}, []string{""}, ""},
		{[]string{"-05:00"}, []string{"-05:00"}, ""},
		{[]string{"-05"}, []string{"-0500", "-04:00"}, ""}, // daylight saving time
		{[]string{"Z"}, []string{"+00:00"}, ""},
		{[]string{"-05:00", "-04:00"}, []string{"Z"}, "the times have the time zone Z here, but the time zones -04:00 and -05:00 in training; times are read without their time zone, so the same moment may have another hour or date than in training"},
		{[]string{"-05:00"}, []string{""}, "the times have no time zone here, but the time zone -05:00 in training; times are read without their time zone, so the same moment may have another hour or date than in training"},
		{[]string{""}, []string{"Z"}, "the times have the time zone Z here, but no time zone in training; times are read without their time zone, so the same moment may have another hour or date than in training"},
		{[]string{"-05:00"}, []string{"-05:00", "Z"}, "the times have the time zones -05:00 and Z here, but the time zone -05:00 in training; times are read without their time zone, so the same moment may have another hour or date than in training"},
	} {
		train := scanText(t, zonesTable(true, c.train...), profile.ScanOptions{})
		blind := scanText(t, zonesTable(false, c.blind...), profile.ScanOptions{Blind: true, ID: "id"})
		known := []profile.TrainingColumn{{Name: "at", Form: inference.FormDate, TimeZones: train.Columns[0].TimeZones}}
		for _, found := range [][]Finding{Profiles(train, blind), TrainingColumns(known, blind)} {
			found = slices.DeleteFunc(found, func(f Finding) bool { return f.Code != csvfile.CodeOtherTimeZone })
			var got []string
			for _, f := range found {
				got = append(got, f.Message)
			}
			if text := strings.Join(got, "\n"); text != c.want {
				t.Errorf("%q and %q: %s", c.train, c.blind, text)
			}
		}
	}
}

func TestCompareTimesOfDay(t *testing.T) {
	// table returns a table of dates in the given layout.
	table := func(label bool, layout string) string {
		text := "id,at\n"
		if label {
			text = "id,at,y\n"
		}
		for row := range 60 {
			text += fmt.Sprintf("r%d,%s", row, time.Date(2024, 1, 1, 7*row, 5, 0, 0, time.UTC).Format(layout))
			if label {
				text += []string{",a", ",b"}[row%2]
			}
			text += "\n"
		}
		return text
	}
	for _, c := range []struct {
		name, train, blind string
		warns              bool
	}{
		{"both_have_times", "2006-01-02 15:04", "2006-01-02 15:04", false},
		{"the_blind_file_has_none", "2006-01-02 15:04", "2006-01-02", true},
		{"no_file_has_times", "2006-01-02", "2006-01-02", false},
		{"all_times_are_midnight", "2006-01-02 00:00", "2006-01-02", false},
		{"only_the_blind_file_has_times", "2006-01-02", "2006-01-02 15:04", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			train := scanText(t, table(true, c.train), profile.ScanOptions{})
			blind := scanText(t, table(false, c.blind), profile.ScanOptions{Blind: true, ID: "id"})
			column := &train.Columns[0]
			known := []profile.TrainingColumn{{Name: "at", Form: inference.FormDate, TimeZones: column.TimeZones, HasRange: true, Min: column.Numbers.Min, Max: column.Numbers.Max}}
			// Only the schema says whether the hour is then missing.
			effects := []string{"the hour of a date without a time is missing", "the hour of a date without a time is missing, or 0 for a model of an earlier version"}
			for i, found := range [][]Finding{Profiles(train, blind), TrainingColumns(known, blind)} {
				warns := slices.ContainsFunc(found, func(f Finding) bool {
					return f.Code == csvfile.CodeNoTimeOfDay && strings.HasSuffix(f.Message, effects[i])
				})
				if warns != c.warns {
					t.Errorf("warns is %t: %v", warns, found)
				}
			}
		})
	}
}
