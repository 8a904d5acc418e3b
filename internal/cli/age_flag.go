package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// AgeFlag is the value of a flag that takes a duration in days, such as 30d, or in the units
// of [time.ParseDuration].
type AgeFlag time.Duration

func (f *AgeFlag) String() string {
	if *f == 0 {
		return ""
	}
	return time.Duration(*f).String()
}

// Set parses a number of days such as 30d, or a duration in the format of [time.ParseDuration].
func (f *AgeFlag) Set(text string) error {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err == nil && n >= 0 && n <= 36500 {
			*f = AgeFlag(time.Duration(n) * 24 * time.Hour)
			return nil
		}
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return fmt.Errorf("must be an age such as 30d or 12h")
	}
	*f = AgeFlag(age)
	return nil
}

// Type returns the name of the type for pflag.
func (f *AgeFlag) Type() string { return "age" }
