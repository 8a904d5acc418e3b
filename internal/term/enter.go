package term

import "time"

// typedBefore is the time within which a line counts as typed before [Console.ReadEnters].
const typedBefore = 200 * time.Millisecond

// ReadEnters reads lines from In, which must be a terminal, and sends a value for each. A
// line that was typed earlier is ignored. now returns the current time. Reading cannot be
// stopped, so In must not be read otherwise. While the process is in the background,
// nothing is read.
func (c *Console) ReadEnters(now func() time.Time) <-chan struct{} {
	ignoreBackgroundReads()
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
