// Package learn trains models: Race trains four algorithms in parallel on a table
// and chooses the best model or blend. Package model predicts with the models, and reads
// and writes their files.
//
//	race           Race: train, choose, refit
//	new_race       checks of the parameters, division of the rows into folds
//	params         the parameters of a race, its effort
//	monotone       the monotone columns and their directions
//	outcome        the result of a race
//	algorithm      the interfaces of algorithms, their names
//	registry       the four algorithms
//	run            one algorithm in a race: a fitter for each fold, early stopping
//	double         a longer schedule if the scores still improve fast
//	evaluate       scores on the validation rows
//	blend          weighted means of several runs, and the choice among candidates
//	refit          training on all labelled rows
//	report         metrics of a model
//	smooth         a logistic regression that is added to the networks of a small table
//	background     the rows with which explanations compare the explained row
//	validation     the validation rows and the fold models for package explain
//	fold_features  features that are fitted to the training rows of a fold
//	text_scores    scores of texts as features
//	training_data  the table and its binned matrices
//	timer          the time limit
//	stopwatch      measures how long this machine trains
//	remote         runs that other machines train
//	recording      the binary form of a run
//	notes          what is unusual about a model or its metrics
//
// Package scheduler orders the steps of different runs in virtual time. Package
// evaluation computes scores, curves and class scores.
//
// # Use of the rows
//
//	all labelled rows
//	├── test            not used before the end of the race; the fold models are
//	│                   scored on them once
//	└── the rest        divided into folds, or one holdout if there are many rows
//	    ├── train       the rows a fitter is trained on
//	    └── validation  scored after each step: early stopping, choice of the
//	                    step and of the algorithm, calibration
//
// After the race, the chosen model is trained again on all labelled rows, for the best number of
// steps. No rows are left to measure the performance of this final model. The report therefore
// contains the scores of models of the same algorithm that were trained on fewer rows. On average,
// these scores are slightly lower than those of the final model would be.
//
// # Determinism
//
// The same rows, parameters, seed and binary produce the same model bytes with
// any number of workers on a machine of any speed, unless the time limit or the
// user ended the race. See package scheduler.
package learn
