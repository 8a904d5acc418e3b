package inference_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

// namedColumn returns a training file with a column of the given name.
func namedColumn(name string, cells []string) string {
	return strings.Replace(tabletest.Column(quoted(cells)...), "x", name, 1)
}

func TestUnixTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	moment := func() int64 { return 1_500_000_000 + rng.Int64N(200_000_000) }
	seconds := func(int) string { return strconv.FormatInt(moment(), 10) }
	scaled := func(factor int64) func(int) string {
		return func(int) string { return strconv.FormatInt(moment()*factor+rng.Int64N(factor), 10) }
	}
	minutes := func(int) string { return strconv.FormatInt(moment()/60*60, 10) }
	for _, c := range []struct {
		name, column string
		cells        []string
		want         frame.EpochUnit
	}{
		{"seconds", "timestamp", tabletest.Cells(200, seconds), "s"},
		{"milliseconds", "createdAt", tabletest.Cells(200, scaled(1e3)), "ms"},
		{"microseconds", "event_time_us", tabletest.Cells(200, scaled(1e6)), "us"},
		{"nanoseconds", "ts", tabletest.Cells(200, scaled(1e9)), "ns"},
		{"seconds_with_decimals", "time", tabletest.Cells(200, func(i int) string { return seconds(i) + ".25" }), "s"},
		{"as_pandas_writes_them_beside_empty_cells", "last_login", append(tabletest.Cells(200, func(i int) string { return seconds(i) + ".0" }), "", ""), "s"},
		{"more_numbers_than_are_counted", "time", tabletest.Cells(9_000, seconds), "s"},
		{"zero_and_minus_one_are_missing", "deleted_at", append(tabletest.Cells(200, seconds), "0", "0", "-1", "NULL"), "s"},
		{"one_word", "time", append(tabletest.Cells(200, seconds), "never"), "s"},
		{"whole_minutes_without_a_name", "x", tabletest.Cells(200, minutes), "s"},
		{"words_that_are_levels", "last_login", tabletest.Cells(200, func(i int) string { return []string{seconds(i), "never"}[i%4/3] }), ""},
		{"whole_minutes_in_milliseconds_without_a_name", "x", tabletest.Cells(200, func(i int) string { return minutes(i) + "000" }), "ms"},
		{"whole_seconds_in_milliseconds_without_a_name", "x", tabletest.Cells(200, func(i int) string { return seconds(i) + "000" }), ""},
		{"amounts_in_millions", "gdp", tabletest.Cells(200, func(i int) string { return strconv.FormatInt(moment()/1000, 10) + "000000" }), ""},
		{"a_unit_in_the_name", "time (ms)", tabletest.Cells(200, scaled(1e3)), "ms"},
		{"another_unit_in_the_name", "run_time_us", tabletest.Cells(200, seconds), ""},
		{"seconds_without_a_name", "x", tabletest.Cells(200, seconds), ""},
		{"round_numbers_without_a_name", "x", tabletest.Cells(200, func(int) string { return strconv.FormatInt(moment()/1000*1000, 10) }), ""},
		{"phone_numbers", "phone", tabletest.Cells(200, func(int) string { return strconv.FormatInt(2_012_000_000+rng.Int64N(9_999_999), 10) }), ""},
		{"IDs", "time_id", tabletest.Cells(200, minutes), ""},
		{"IDs_of_posts", "x", tabletest.Cells(200, func(int) string { return strconv.FormatInt(1_200_000_000_000_000_000+rng.Int64N(1e17), 10) }), ""},
		{"dates_with_hours", "date", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("20%02d%02d%02d%02d", i%25, 1+i%12, 1+i%28, i%24) }), ""},
		{"dates_with_hours_of_the_past", "date", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("19%02d%02d%02d%02d", i%100, 1+i%12, 1+i%28, i%24) }), ""},
		{"dates_with_hundredths", "time", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("20%02d%02d%02d101112%02d", i%25, 1+i%12, 1+i%28, i%100) }), ""},
		{"a_word_before_that_of_a_time", "account_created_at", tabletest.Cells(200, seconds), "s"},
		{"a_number_before_2000", "time", append(tabletest.Cells(200, seconds), "99"), ""},
		{"a_number_after_2039", "time", append(tabletest.Cells(9_000, seconds), "4000000000"), ""},
		{"a_few_numbers", "time", tabletest.Cells(200, func(i int) string { return strconv.Itoa(1_500_000_000 + i%10) }), ""},
		{"powers_of_ten", "time", tabletest.Cells(200, func(int) string { return fmt.Sprintf("%.6e", float64(moment())) }), ""},
		{"populations", "population", tabletest.Cells(200, seconds), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := scanText(t, namedColumn(c.column, c.cells), profile.ScanOptions{})
			form, features := inference.FormNumeric, []string{c.column}
			if c.want != "" {
				form, features = inference.FormDate, nil
				for _, part := range []string{"time", "month", "day", "weekday", "hour"} {
					features = append(features, c.column+"."+part)
				}
			}
			column := &p.Columns[0]
			if column.Form != form || column.Epoch != c.want {
				t.Errorf("form %s and unit %q, want %s and %q", column.Form, column.Epoch, form, c.want)
			}
			if got := featuresOf(p); c.want != "" && !cmp.Equal(features, got) {
				t.Errorf("features %v, want %v", got, features)
			}
			if n := column.Numbers; c.want != "" && n != nil && (n.Min < 17_360 || n.Max > 19_677 || n.Median < n.Min || n.Median > n.Max) { // in days
				t.Errorf("from %v to %v, median %v", n.Min, n.Max, n.Median)
			}
		})
	}
}

// TestNamesOfUnixTimes checks which names say that numbers are times. IDs and amounts may look the same.
func TestNamesOfUnixTimes(t *testing.T) {
	cells := tabletest.Cells(100, func(i int) string { return strconv.Itoa(1_400_000_000 + 1_234_567*i) })
	times := "time timestamp date_created createdAt CreatedAt created_utc first_seen lastLogin event_ts eventTS sent_at startTime START_DATE registered_on price_updated_at"
	others := "created_by updatedBy sent_to posted_by login candidate sentiment lifetime_gross registered_capital consolidated_assets day_volume timestep uptime_ns " +
		"runtime_us elapsed_time start_position end_byte ip_start start timestamp_count time_value x on"
	for names, want := range map[string]frame.EpochUnit{times: frame.EpochSeconds, others: ""} {
		for _, name := range strings.Fields(names) {
			if got := scanText(t, namedColumn(name, cells), profile.ScanOptions{}).Columns[0].Epoch; got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

// TestMissingUnixTimes scans columns in which some times are missing, and which may have more
// numbers than are counted.
func TestMissingUnixTimes(t *testing.T) {
	for _, rows := range []int{300, 9_000} {
		cells := tabletest.Cells(rows, func(i int) string {
			return []string{"0", strconv.Itoa(1_600_000_000 + 7_777*i), strconv.Itoa(1_650_000_000 + 7_777*i)}[i%3]
		})
		p := scanText(t, namedColumn("time", cells), profile.ScanOptions{})
		if c := &p.Columns[0]; c.Epoch != frame.EpochSeconds || c.Missing != rows/3 || !c.Estimate && c.Distinct != rows-rows/3 {
			t.Errorf("%d rows: %+v", rows, c)
		}
		for _, w := range p.Warnings {
			if w.Code != "time-column" {
				t.Errorf("%d rows: %s", rows, w.String())
			}
		}
	}
}

// TestBlindUnixTimesAreReadAsInTraining scans blind files whose few numbers prove nothing.
func TestBlindUnixTimesAreReadAsInTraining(t *testing.T) {
	for _, trained := range []frame.EpochUnit{"", frame.EpochSeconds, frame.EpochMilliseconds} {
		training := &frame.Schema{ID: "id", Columns: []frame.ColumnSchema{{Name: "time"}}}
		if trained != "" {
			training.Columns[0] = frame.ColumnSchema{Name: "time.time", Source: "time", Feature: frame.ExtractTime, Epoch: trained}
		}
		for unit, cells := range map[frame.EpochUnit][]string{
			"":                      tabletest.Cells(50, strconv.Itoa),
			frame.EpochSeconds:      tabletest.Cells(3, func(i int) string { return strconv.Itoa(1_700_000_000 + i) }),
			frame.EpochMilliseconds: tabletest.Cells(300, func(i int) string { return strconv.Itoa(1_700_000_000_123 + 1_000_000*i) }),
		} {
			file := "id,time\n"
			for i, cell := range cells {
				file += fmt.Sprintf("%d,%s\n", i, cell)
			}
			want := unit
			if unit != trained {
				want = ""
			}
			if got := scanText(t, file, profile.ScanOptions{Blind: true, Training: training}).Columns[0].Epoch; got != want {
				t.Errorf("trained with %q: read %q as %q", trained, unit, got)
			}
		}
	}
}
