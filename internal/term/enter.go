package term

import "time"

// typeaheadPeriod is how long [Console.ReadEnterKeys] ignores lines after its call. Lines that
// arrive so early were typed before the call.
const typeaheadPeriod = 200 * time.Millisecond

// ReadEnterKeys returns a channel that receives a value whenever the user presses Enter. In must be
// a terminal. Lines that were typed before the call are ignored. The goroutine that reads In cannot be
// stopped, so nothing else may read In afterwards. It ends by itself when the process is in the
// background. now is the clock.
func (c *Console) ReadEnterKeys(now func() time.Time) <-chan struct{} {
	failBackgroundReads()
	enters := make(chan struct{}, 1)
	began := now()
	go func() {
		for {
			if _, err := readLine(c.In); err != nil {
				return
			}
			if now().Sub(began) < typeaheadPeriod {
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
