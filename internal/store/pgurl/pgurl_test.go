package pgurl

import (
	"errors"
	"strings"
	"testing"
)

// TestPasswordIsNotShown checks that neither a redacted URL nor an error contains the password.
func TestPasswordIsNotShown(t *testing.T) {
	for _, tt := range []struct {
		location, redacted string
		err                error
	}{
		{"postgres://ann:s3cret@db.example.com:5433/rows?sslmode=require", "postgres://ann@db.example.com:5433/rows", nil},
		{"postgres://db.example.com/rows?user=ann&password=s3cret", "postgres://db.example.com/rows", nil},
		{"postgresql://ann:s3cret#@127.0.0.1:1/rows", "postgres://…", ErrInvalid},
		{"postgres://ann:s3cret@127.0.0.1:1/rows", "postgres://ann@127.0.0.1:1/rows", nil},
		{"postgres://ann:s3cret@127.0.0.1:1/rows?sslmode=s3cret", "postgres://ann@127.0.0.1:1/rows", ErrInvalidParameter},
		{"postgres://ann:s3cret@127.0.0.1:1/rows?sslrootcert=/nowhere/s3cret", "postgres://ann@127.0.0.1:1/rows", ErrInvalidParameter},
		{"postgres://ann:s3cret@127.0.0.1:1/rows?connect_timeout=s3cret%20abc", "postgres://ann@127.0.0.1:1/rows", ErrInvalidParameter},
	} {
		if got := Redact(tt.location); got != tt.redacted {
			t.Errorf("%s is shown as %s", tt.location, got)
		}
		_, err := Parse(tt.location)
		if !errors.Is(err, tt.err) || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: error %v, want %v", tt.location, err, tt.err)
		}
	}
}
