// Package learn is the front door of the engine: it races four algorithms for
// the best model of a table, ships that model as a file, and predicts with it.
//
//	method    the four algorithms and how they are made
//	pace      which of them may do its next step, and who has won
//	run       one algorithm in the race: a fitter a fold, in lockstep
//	judge     scores on the rows a fitter has not learnt from
//	race      the conductor: plan, race, choice, refit
//	refit     the shipped model, learnt from every labelled row
//	model     the model, its bytes, and its predictions
//	report    how good it is, and what it looks at
//
// # What is learnt from what
//
//	all labelled rows
//	├── test      nothing looks at them before the race is over; the fold
//	│             models are judged on them once, for the figure Test
//	└── the rest  divided into folds, or one holdout when there are many rows:
//	    ├── train      what a fitter learns from
//	    └── eval       scores after each step: they decide when to stop, which
//	                   step is kept, which algorithm wins, how to calibrate
//
// When the race is over the winner learns once more, from all labelled rows,
// for as many steps as validation found to be best. That model is shipped. Its
// own performance cannot be measured, there being no rows left; the figures
// are those of the same algorithm on fewer rows, hence on the cautious side.
//
// # Determinism
//
// The same rows, parameters, seed and binary give the same model bytes with
// any number of workers on a machine of any speed, unless a clock or a person
// ended the race. The comment on pacer tells how.
package learn
