package rescue

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestRethrow catches a panic of a goroutine and checks the panic of the waiting goroutine.
func TestRethrow(t *testing.T) {
	var c Catcher
	c.Call(func() {})
	if c.Caught() {
		t.Error("a panic was caught without one")
	}
	c.Rethrow() // nothing to rethrow
	var group sync.WaitGroup
	group.Go(func() { c.Call(breakDown) })
	group.Wait()
	if !c.Caught() {
		t.Error("no panic was caught")
	}
	defer func() {
		reason := recover()
		if text := fmt.Sprint(reason); text != "broken" {
			t.Errorf("the reason is %s", text)
		}
		if stack := string(Stack(reason)); !strings.Contains(stack, "breakDown") {
			t.Errorf("the stack is not that of the goroutine: %s", stack)
		}
	}()
	c.Rethrow()
}

func breakDown() { panic("broken") }
