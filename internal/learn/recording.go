package learn

import (
	"errors"
	"fmt"
	"io"
	"time"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/model"
	"foretell/internal/learn/smooth"
	"foretell/internal/learn/text"
)

// A recording is a file that describes a run that another machine has trained. It holds the scores
// of the run, their times on the scheduler's virtual clock, and how the run ended. For the best
// step it holds the validation probabilities, the fold models and their text models. It also holds
// the time spent on texts.
const (
	recordingMagic   = "FTRUN"
	recordingVersion = 14
	recordedPoint    = 3*8 + 2*4 + 8*8 // bytes of a curvePoint
)

// writeRecording writes a run that has ended to w.
func (r *race) writeRecording(w io.Writer, run *run) error {
	var b codec.Writer
	b.Bytes([]byte(recordingMagic)...)
	b.Uint16(recordingVersion)
	b.Bytes(run.algorithm.Kind)
	b.Bool(run.reached)
	b.Bool(run.status == r.stalledStatus() && run.err == nil)
	failure := ""
	if run.err != nil {
		failure = run.err.Error()
	}
	b.Uint32(uint32(len(failure)))
	b.Bytes([]byte(failure)...)
	b.Float64(run.lastCost)
	r.data.textTimer.Durations().Write(&b)
	b.Uint32(uint32(len(run.curve)))
	for _, point := range run.curve {
		b.Float64(point.due)
		b.Float64(point.elapsed.Seconds())
		b.Float64(point.performance)
		writeSavedStep(&b, &point.best)
	}
	b.Uint32(uint32(len(run.best.probabilities)))
	b.Float32s(run.best.probabilities)
	if err := flush(w, &b); err != nil {
		return err
	}
	for _, p := range run.models {
		b.Bool(p != nil)
		err := flush(w, &b)
		if err == nil && p != nil {
			err = model.WritePredictor(w, p)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", run.Name, err)
		}
	}
	return nil
}

// flush writes the contents of b to w and resets b.
func flush(w io.Writer, b *codec.Writer) error {
	head, err := b.Result()
	if err == nil {
		_, err = w.Write(head)
	}
	b.Reset()
	return err
}

func writeSavedStep(b *codec.Writer, c *savedStep) {
	b.Uint32(uint32(c.step))
	b.Float64(c.performance)
	b.Float64(c.logLoss)
	b.Float64(c.selectionLoss)
	b.Float64(c.cost)
	b.Float64(c.progress)
	b.Uint32(uint32(c.doublings))
	b.Float64(c.smooth.Width)
	b.Float64(c.smooth.Penalty)
	b.Float64(c.smooth.Weight)
}

func readSavedStep(b *codec.Reader) savedStep {
	return savedStep{
		step: int(b.Uint32()), score: score{performance: b.FiniteFloat64(), logLoss: b.FiniteFloat64()},
		selectionLoss: b.FiniteFloat64(), cost: b.FiniteFloat64(), progress: b.Float64(), doublings: int(b.Uint32()),
		smooth: smooth.Params{Width: b.FiniteFloat64(), Penalty: b.FiniteFloat64(), Weight: b.FiniteFloat64()},
	}
}

// recordedEnd describes how a recorded run ended.
type recordedEnd struct {
	// reached reports whether the run has won: it reached the threshold or, in a race without a
	// threshold, its score was perfect. ended reports whether the run stalled without winning. Both
	// are false if the run failed or was cut short.
	reached, ended bool
	// failure is the error of a run that failed.
	failure string
	// texts is the time that the other machine spent on texts.
	texts text.Durations
}

// readRecording reads a recording of size bytes from in, and sets the scores and models of run to
// those of the recorded run. If it returns an error, run is unchanged.
func (r *race) readRecording(run *run, in io.Reader, size int64) (end recordedEnd, err error) {
	b := codec.NewStreamReader(in, size)
	if string(b.Next(len(recordingMagic))) != recordingMagic || b.Uint16() != recordingVersion || b.Byte() != run.algorithm.Kind {
		b.Fail("not a recording of this run")
	}
	end.reached, end.ended = b.Bool(), b.Bool()
	end.failure = string(b.Next(b.Count32(1)))
	lastCost := b.FiniteFloat64()
	end.texts = text.ReadDurations(b)
	curve := make([]curvePoint, b.Count32(recordedPoint))
	for i := range curve {
		curve[i] = curvePoint{due: b.FiniteFloat64(), elapsed: time.Duration(b.FiniteFloat64() * float64(time.Second)), performance: b.FiniteFloat64(), best: readSavedStep(b)}
	}
	var best savedStep
	if n := len(curve); n > 0 {
		best = curve[n-1].best
	}
	if n := b.Count32(4); n > 0 {
		if n != len(r.evaluator.Labels)*run.classes {
			b.Fail("wrong number of probabilities of validation rows")
		}
		best.probabilities = b.FiniteFloat32s(n)
	}
	models := make([]model.Predictor, len(run.folds))
	for i := range models {
		if b.Bool() { // otherwise the recording has no model of the fold
			models[i] = model.ReadPredictor(b, run.algorithm.Algorithm, r.data.Schema, r.data.params.Disk)
		}
	}
	if err := b.End(); err != nil {
		return end, err
	}
	if end.reached && len(curve) == 0 {
		return end, errors.New("a run without a score cannot reach the threshold")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	run.step, run.lastCost, run.reached, run.recorded = len(curve), lastCost, end.reached, true
	run.curve, run.best, run.models = curve, best, models
	return end, nil
}

// endAsRecorded ends run in the same way as the recorded run ended.
func (r *race) endAsRecorded(run *run, end recordedEnd) {
	for i, p := range run.models {
		if inner, features := model.UnwrapFeatures(p); features != nil {
			run.models[i] = model.WithFeatures(inner, r.data.internFeatures(run.firstFoldIndex+i, features))
		}
	}
	r.data.textTimer.SetRecorded(end.texts)
	switch {
	case end.failure != "":
		run.err = errors.New(end.failure)
		r.setStatusAndNotify(run, Failed)
	case end.reached:
		r.scheduler.RecordRemoteWin(run.index, run.lastScoreVirtualTime())
		r.setStatusAndNotify(run, Running)
	case end.ended:
		r.setStatusAndNotify(run, r.stalledStatus())
	default:
		r.setStatusAndNotify(run, Running)
	}
}

// discardRecording resets the fields that readRecording sets.
func (r *race) discardRecording(run *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run.step, run.lastCost, run.reached, run.recorded = 0, 0, false, false
	run.curve, run.best, run.models = nil, savedStep{}, nil
}
