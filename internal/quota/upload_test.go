package quota

import (
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestUploadsShareTheQuota writes two uploads of an account whose quota allows only one of them.
func TestUploadsShareTheQuota(t *testing.T) {
	t.Parallel()
	all := NewUploads()
	begin := func(account string) *Upload { return &Upload{all: all, account: account, left: 100} }
	first, second, other := begin("ann"), begin("ann"), begin("bob")
	for _, u := range []*Upload{first, other} {
		if err := u.Grow(60); err != nil {
			t.Fatal(err)
		}
	}
	err := second.Grow(60)
	if api.CodeFromError(err) != api.CodeQuota || !strings.Contains(err.Error(), "other uploads in progress have taken 60 bytes") {
		t.Errorf("the second upload: %v", err)
	}
	first.End()
	if err := second.Grow(60); err != nil {
		t.Errorf("after the end of the first: %v", err)
	}
	second.End()
	other.End()
	if len(all.written) > 0 {
		t.Errorf("%v is left", all.written)
	}
}
