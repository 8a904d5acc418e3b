package cells

import (
	"strings"
	"time"
)

// TimeZone returns the zone after the time of day in a cell: Z for UTC, an offset such as -05:00,
// or letters such as EST. zone is "" if the time of day has no zone. hasTime is false if the cell
// contains no time of day or cannot be parsed in the format. The format must not be that of a
// column of Unix times.
func TimeZone(cell []byte, format DateFormat) (zone string, hasTime bool) {
	p := newDateParser(cell, format.DayFirst)
	p.yearFirst = format.YearFirst
	if t, ok := p.parse(); !ok || !t.HasTime {
		return "", false
	}
	if len(p.zone) == 0 {
		return "", true
	}
	if p.zone[0] != '+' && p.zone[0] != '-' {
		switch zone = strings.ToUpper(string(p.zone)); zone {
		case "UTC", "GMT":
			zone = "Z"
		}
		return zone, true
	}
	digits := strings.ReplaceAll(string(p.zone[1:]), ":", "") + "00"
	if zone = string(p.zone[:1]) + digits[:2] + ":" + digits[2:4]; zone[1:] == "00:00" {
		zone = "Z"
	}
	return zone, true
}

// UTCOffset returns the offset from UTC after the time of day in a cell that ParseDateTime can
// parse. ok is false if there is no offset, or only letters such as EST, whose offset is not
// certain.
func UTCOffset(cell []byte, format DateFormat) (offset time.Duration, ok bool) {
	zone, _ := TimeZone(cell, format)
	if zone == "Z" {
		return 0, true
	}
	if zone == "" || zone[0] != '+' && zone[0] != '-' {
		return 0, false
	}
	at, err := time.Parse("-07:00", zone)
	if err != nil {
		return 0, false
	}
	_, seconds := at.Zone()
	return time.Duration(seconds) * time.Second, true
}
