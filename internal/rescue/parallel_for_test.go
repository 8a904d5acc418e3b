package rescue

import (
	"fmt"
	"testing"
)

// TestParallelForPanic checks that the caller gets the panic of any goroutine.
func TestParallelForPanic(t *testing.T) {
	t.Parallel()
	for at := range 20 {
		func() {
			defer func() {
				if reason := fmt.Sprint(recover()); reason != "broken" {
					t.Errorf("recovered %s", reason)
				}
			}()
			_ = ParallelFor(t.Context(), 20, func(i int) {
				if i == at {
					panic("broken")
				}
			})
		}()
	}
}
