package term

import (
	"fmt"
	"time"
)

// FormatBytes formats a number of bytes, such as "12.4 MB".
func FormatBytes(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, prefix := float64(n)/unit, 0
	for value >= unit-0.05 && prefix < 4 { // 999.95 would be rounded to 1000.0
		value /= unit
		prefix++
	}
	return fmt.Sprintf("%.1f %cB", value, "kMGTP"[prefix])
}

// FormatDuration formats a duration, such as "0.8 s" or "2 min 5 s".
func FormatDuration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Truncate(time.Second).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// formatWholeSeconds is like [FormatDuration], but omits fractions of a second.
func formatWholeSeconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return FormatDuration(d)
}

// FormatRelativeTime formats a time relative to now, such as "3 minutes ago" or "in 52 minutes". A
// time at least 60 days ago is a date.
func FormatRelativeTime(t, now time.Time) string {
	const day = 24 * time.Hour
	d, unit, noun := now.Sub(t), day, "day"
	switch {
	case d > -time.Minute && d < 10*time.Second:
		return "just now"
	case d >= 60*day:
		return t.Format("2006-01-02")
	case d >= 0 && d < time.Minute:
		unit, noun = time.Second, "second"
	case d > -2*time.Hour && d < time.Hour:
		unit, noun = time.Minute, "minute"
	case d > -2*day && d < day:
		unit, noun = time.Hour, "hour"
	}
	n := d.Abs() / unit
	if n != 1 {
		noun += "s"
	}
	if d < 0 {
		return fmt.Sprintf("in %d %s", n, noun)
	}
	return fmt.Sprintf("%d %s ago", n, noun)
}

// FormatRelativeTimeShort is like [FormatRelativeTime], but short enough for a narrow column: a time
// of the last 60 days has the form "3 min".
func FormatRelativeTimeShort(then, now time.Time) string {
	d := now.Sub(then)
	for _, unit := range []struct {
		below, of time.Duration
		name      string
	}{
		{time.Minute, time.Second, "s"}, {time.Hour, time.Minute, "min"}, {24 * time.Hour, time.Hour, "h"}, {60 * 24 * time.Hour, 24 * time.Hour, "d"},
	} {
		if d >= 10*time.Second && d < unit.below {
			return fmt.Sprintf("%d %s", d/unit.of, unit.name)
		}
	}
	return FormatRelativeTime(then, now)
}
