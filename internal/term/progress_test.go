package term

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// testProgress is a Progress with a simulated clock.
type testProgress struct {
	*Progress
	text  strings.Builder
	clock time.Time
}

func newTestProgress(mode ProgressMode) *testProgress {
	b := &testProgress{clock: time.Unix(0, 0)}
	b.Progress = &Progress{mode: mode, out: &b.text, unicode: true, width: func() int { return 60 }, height: func() int { return 24 }, now: func() time.Time { return b.clock }}
	return b
}

func TestMeter(t *testing.T) {
	transfer := func(mode ProgressMode, step time.Duration) string {
		b := newTestProgress(mode)
		m := b.StartTransfer("uploading a.csv", 4_000_000)
		for n := range int64(41) {
			b.clock = b.clock.Add(step)
			m.Set(n * 100_000)
		}
		m.Done()
		return b.text.String()
	}
	t.Run("under_a_second_shows_nothing", func(t *testing.T) {
		for _, mode := range []ProgressMode{Bar, Plain, None} {
			if got := transfer(mode, 10*time.Millisecond); got != "" {
				t.Errorf("%s: %q", mode, got)
			}
		}
	})
	t.Run("plain_shows_every_tenth", func(t *testing.T) {
		got := transfer(Plain, time.Second)
		if lines := strings.Count(got, "\n"); lines != 10 || !strings.HasPrefix(got, "uploading a.csv: 10 % of 4.0 MB\n") || strings.Contains(got, "\r") {
			t.Errorf("%d lines:\n%s", lines, got)
		}
	})
	t.Run("bar_leaves_an_empty_line", func(t *testing.T) {
		if got := transfer(Bar, time.Second); !strings.HasSuffix(got, "\r\x1b[K") || strings.Contains(got, "\n") {
			t.Errorf("%q", got)
		}
	})
	t.Run("json_is_one_event_a_line", func(t *testing.T) {
		got := transfer(JSON, time.Millisecond)
		if want := `{"event":"transfer","what":"uploading a.csv","bytes":400000,"total":4000000}` + "\n"; !strings.HasPrefix(got, want) {
			t.Errorf("%q", got)
		}
	})
}

// TestMeterOfUnknownLength checks that the bar of a transfer of unknown size ends its
// goroutine, as synctest requires, and prints only supported characters.
func TestMeterOfUnknownLength(t *testing.T) {
	b := newTestProgress(Bar)
	b.unicode = false
	end := 0
	synctest.Test(t, func(t *testing.T) {
		m := b.StartTransfer("downloading "+strings.Repeat("a", 60), -1)
		b.clock = b.clock.Add(time.Minute)
		m.Set(12_001)
		m.Done()
		end = b.text.Len()
		time.Sleep(time.Second) // simulated time, until the goroutine ends
	})
	got := b.text.String()
	if !strings.Contains(got, "downloading~") || strings.ContainsFunc(got, func(r rune) bool { return r > unicode.MaxASCII }) {
		t.Errorf("%q", got)
	}
	if len(got) > end {
		t.Errorf("%q is drawn when all is done", got[end:])
	}
}

func TestRaceJoinsScores(t *testing.T) {
	b := newTestProgress(Plain)
	r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy"})
	scores := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}
	r.Update([]RunState{{Name: "A", State: "RUNNING", Recent: scores[:2]}}, "")
	r.Update([]RunState{{Name: "A", State: "RUNNING", Recent: scores[:5]}}, "")
	r.Update([]RunState{{Name: "A", State: "RUNNING", Recent: scores[2:7]}}, "")
	r.Update([]RunState{{Name: "A", State: "RUNNING", Recent: scores[2:7]}}, "")
	if diff := cmp.Diff(scores, r.runs["A"].curve); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	same := []float64{0.5, 0.5, 0.5}
	r.Update([]RunState{{Name: "B", State: "RUNNING", Recent: same, Steps: 3}}, "")
	r.Update([]RunState{{Name: "B", State: "RUNNING", Recent: same, Steps: 5}}, "")
	r.Update([]RunState{{Name: "B", State: "RUNNING", Recent: same, Steps: 5}}, "")
	if got := r.runs["B"]; len(got.curve) != 5 || got.steps != 5 {
		t.Errorf("equal scores are counted as %d", len(got.curve))
	}
}

func TestRaceLooks(t *testing.T) {
	lanes := []RunState{
		{Name: "BSIX01", State: "COMPLETED", StateLabel: "reached 0.70", Done: true, Recent: []float64{0.5, 0.75}, BestScore: new(0.75), LogLoss: new(0.5)},
		{Name: "BSEV01", State: "RUNNING", StateLabel: "learning"},
	}
	t.Run("redrawn_in_place_and_within_the_width", func(t *testing.T) {
		b := newTestProgress(Bar)
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy", Threshold: new(0.7), Limit: time.Minute})
		b.clock = b.clock.Add(2 * time.Second)
		r.Update(lanes, "")
		first := b.text.String()
		for line := range strings.Lines(first) {
			if width := len([]rune(strings.TrimSuffix(strings.TrimPrefix(line, "\r"), "\x1b[K\n"))); width >= 60 {
				t.Errorf("a line of %d columns: %q", width, line)
			}
		}
		want := "\rshop · accuracy · 2 s · at most 58 s left\x1b[K\n" +
			"\r                      latest  kept    logLoss\x1b[K\n" +
			"\r          ┄┄┄┄┄┄┄┄┄┄          0.7000           threshold\x1b[K\n" +
			"\r› BSIX01  ██          0.7500  0.7500  0.5000   reached 0.70\x1b[K\n" +
			"\r  BSEV01              –       –       –        learning\x1b[K\n\x1b[J"
		if diff := cmp.Diff(want, first); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		r.Done()
		if got := b.text.String()[len(first):]; !strings.HasPrefix(got, "\x1b[5A\r") {
			t.Errorf("the picture is not drawn over the last one: %q", got)
		}
	})
	t.Run("a_terminal_made_narrower_has_wrapped_the_lines", func(t *testing.T) {
		b := newTestProgress(Bar)
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy", Threshold: new(0.7), Limit: time.Minute})
		b.clock = b.clock.Add(2 * time.Second)
		r.Update(lanes, "")
		first := b.text.Len()
		b.width = func() int { return 40 }
		r.Done()
		if got := b.text.String()[first:]; !strings.HasPrefix(got, "\x1b[10A\r\x1b[J\r") {
			t.Errorf("wrapped rows are left standing: %q", got)
		}
	})
	t.Run("a_locale_without_other_signs_has_ascii", func(t *testing.T) {
		b := newTestProgress(Bar)
		b.unicode = false
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy", Threshold: new(0.7), Limit: time.Minute, Replay: true})
		r.Update(lanes, "")
		want := "\rshop - accuracy - 0 s - at most 1 min 0 s left\x1b[K\n" +
			"\r                      latest  kept    logLoss\x1b[K\n" +
			"\r          ----------          0.7000           threshold\x1b[K\n" +
			"\r> BSIX01  @@          0.7500  0.7500  0.5000   reached 0.70\x1b[K\n" +
			"\r  BSEV01              -       -       -        learning\x1b[K\n\x1b[J"
		if diff := cmp.Diff(want, b.text.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		r.Done()
	})
	t.Run("what_follows_the_last_algorithm_is_named", func(t *testing.T) {
		b := newTestProgress(Bar)
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy", Limit: time.Minute, Replay: true})
		r.Update(lanes[:1], "building the model")
		if first, _, _ := strings.Cut(b.text.String(), "\n"); !strings.Contains(first, "building the model") {
			t.Errorf("%q", first)
		}
		b.text.Reset()
		r.Done()
		if first, _, _ := strings.Cut(b.text.String(), "\n"); strings.Contains(first, "building the model") || strings.Contains(first, "left") {
			t.Errorf("when all is done: %q", first)
		}
	})
	t.Run("the_kept_step_is_the_figure_and_the_model_is_marked", func(t *testing.T) {
		b := newTestProgress(Bar)
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy", Replay: true})
		r.Update([]RunState{
			{Name: "BSIX01", State: "COMPLETED", StateLabel: "done", Done: true, Recent: []float64{0.7, 0.8, 0.75}, BestScore: new(0.75), LogLoss: new(0.4)},
			{Name: "BFIF01", State: "COMPLETED", StateLabel: "done", Done: true, Recent: []float64{0.7}, BestScore: new(0.7), LogLoss: new(0.45)},
		}, "")
		if got := b.text.String(); !strings.Contains(got, "› BSIX01") || strings.Contains(got, "0.8000") {
			t.Errorf("before the end:\n%s", got)
		}
		b.text.Reset()
		r.SetWinner(RunState{Name: "BLEND", StateLabel: "kept", Done: true, BestScore: new(0.76), LogLoss: new(0.39)})
		r.Done()
		if got := b.text.String(); strings.Contains(got, "› BSIX01") || !strings.Contains(got, "› BLEND               –       0.7600  0.3900   kept") {
			t.Errorf("with a blend:\n%s", got)
		}
	})
	t.Run("a_service_that_does_not_tell_the_kept_step_has_the_peak", func(t *testing.T) {
		b := newTestProgress(Bar)
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy", Replay: true})
		r.Update([]RunState{{Name: "BSIX01", State: "RUNNING", StateLabel: "learning", Recent: []float64{0.7, 0.8, 0.75}}}, "")
		if got := b.text.String(); !strings.Contains(got, "latest  peak\x1b") || !strings.Contains(got, "0.7500  0.8000  learning") {
			t.Errorf("\n%s", got)
		}
		r.Done()
	})
	t.Run("plain_lines_say_what_follows_the_last_algorithm", func(t *testing.T) {
		b := newTestProgress(Plain)
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy"})
		running := lanes[1]
		ended := RunState{Name: "BSEV01", State: "TIMED_OUT", StateLabel: "time limit", Done: true}
		for range 40 {
			b.clock = b.clock.Add(time.Second)
			r.Update([]RunState{running}, "")
		}
		for range 40 {
			b.clock = b.clock.Add(time.Second)
			r.Update([]RunState{ended}, "building the model")
		}
		r.Update([]RunState{ended}, "")
		r.Done()
		want := `race 1.0 s: BSEV01 – (not scored yet)
race 31 s: BSEV01 –
race 41 s: BSEV01 time limit
race 41 s: building the model
race 1 min 11 s: building the model
`
		if diff := cmp.Diff(want, b.text.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a_low_terminal_has_one_line", func(t *testing.T) {
		b := newTestProgress(Bar)
		b.height = func() int { return 5 }
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy", Threshold: new(0.7), Replay: true})
		r.Update(lanes, "")
		r.Done()
		if got := strings.Count(b.text.String(), "BSIX01"); got != 0 {
			t.Errorf("%q", b.text.String())
		}
	})
	t.Run("an_event_for_each_score", func(t *testing.T) {
		b := newTestProgress(JSON)
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy", Threshold: new(0.7)})
		state := lanes[0]
		state.Steps = 9
		r.Update([]RunState{state}, "")
		want := `{"event":"score","algorithm":"BSIX01","step":8,"performance":0.5}
{"event":"score","algorithm":"BSIX01","step":9,"performance":0.75}
{"event":"race","seconds":0,"target":0.7,"jobs":[{"algorithm":"BSIX01","status":"COMPLETED","latestPerformance":0.75,"keptPerformance":0.75,"logLoss":0.5}]}
`
		if diff := cmp.Diff(want, b.text.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("told_once_in_plain_lines", func(t *testing.T) {
		b := newTestProgress(Plain)
		r := b.StartRace(RaceOptions{Name: "shop", Metric: "accuracy"})
		for range 20 {
			b.clock = b.clock.Add(time.Second)
			r.Update(lanes, "")
		}
		r.Done()
		want := "race 1.0 s: BSIX01 reached 0.70, kept 0.7500, log loss 0.5000 before calibration\nrace 1.0 s: BSIX01 0.7500 (log loss 0.5000), BSEV01 – (not scored yet)\n"
		if diff := cmp.Diff(want, b.text.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestUnits(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	got := []string{
		FormatBytes(999), FormatBytes(12_400_000), FormatBytes(999_949), FormatBytes(999_950), FormatBytes(999_999_999), FormatDuration(800 * time.Millisecond), FormatDuration(125 * time.Second), FormatDuration(2*time.Hour + time.Minute),
		FormatRelativeTime(now.Add(-2*time.Second), now), FormatRelativeTime(now.Add(-90*time.Second), now), FormatRelativeTime(now.Add(-50*time.Hour), now), FormatRelativeTime(now.Add(-100*24*time.Hour), now),
		FormatRelativeTime(now.Add(59*time.Second), now), FormatRelativeTime(now.Add(time.Minute), now), FormatRelativeTime(now.Add(119*time.Minute), now), FormatRelativeTime(now.Add(2*time.Hour), now), FormatRelativeTime(now.Add(49*time.Hour), now),
	}
	want := []string{
		"999 B", "12.4 MB", "999.9 kB", "1.0 MB", "1.0 GB", "0.8 s", "2 min 5 s", "2 h 1 min", "just now", "1 minute ago", "2 days ago", "2025-09-24",
		"just now", "in 1 minute", "in 119 minutes", "in 2 hours", "in 2 days",
	}
	for _, ago := range []time.Duration{2 * time.Second, 90 * time.Second, 50 * time.Hour, 100 * 24 * time.Hour} {
		got = append(got, FormatRelativeTimeShort(now.Add(-ago), now))
	}
	want = append(want, "just now", "1 min", "2 d", "2025-09-24")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
