package term

import "time"

// typedBefore is how long [Console.ReadEnters] ignores lines after its call, because they were
// typed before the call.
const typedBefore = 200 * time.Millisecond

// ReadEnters reads lines from In, which must be a terminal, and sends a value on the channel
// for each. Lines that were typed before the call are ignored. The function now returns the
// current time. Reading cannot be stopped, so nothing else may read In afterwards. While the
// process is in the background, nothing is read.
func (c *Console) ReadEnters(now func() time.Time) <-chan struct{} {
	failBackgroundReads()
	enters := make(chan struct{}, 1)
	began := now()
	go func() {
		for {
			if _, err := readLine(c.In); err != nil {
				return
			}
			if now().Sub(began) < typedBefore {
				continue
			}
			select {
			case enters <- struct{}{}:
			default:
			}
		}
	}()
	return enters
}
