package term

import (
	"fmt"
	"strconv"
	"time"
)

// FormatBytes formats a number of bytes, such as "12.4 MB".
func FormatBytes(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, prefix := float64(n)/unit, 0
	for value >= unit && prefix < 4 {
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

// FormatAgo formats the time from then to now, such as "3 minutes ago".
func FormatAgo(then, now time.Time) string {
	d := now.Sub(then)
	switch {
	case d < 0 && d > -time.Minute, d >= 0 && d < 10*time.Second:
		return "just now"
	case d < 0:
		return then.Format("2006-01-02 15:04")
	case d < time.Minute:
		return formatUnitAgo(int(d.Seconds()), "second")
	case d < time.Hour:
		return formatUnitAgo(int(d.Minutes()), "minute")
	case d < 24*time.Hour:
		return formatUnitAgo(int(d.Hours()), "hour")
	case d < 60*24*time.Hour:
		return formatUnitAgo(int(d.Hours()/24), "day")
	}
	return then.Format("2006-01-02")
}

// FormatAgoShort is like [FormatAgo], but short enough for a narrow column, such as "3 min".
func FormatAgoShort(then, now time.Time) string {
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
	return FormatAgo(then, now)
}

func formatUnitAgo(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return strconv.Itoa(n) + " " + unit + " ago"
}
