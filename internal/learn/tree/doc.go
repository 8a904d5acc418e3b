// Package tree grows and evaluates decision trees on binned features.
//
// The files follow the steps of training:
//
//	bin_mapper            maps the cells of one column to bins
//	binned_matrix         the binned columns of a frame, one byte a cell
//	row_major             the same bins row by row
//	gradient              first and second derivatives as packed integers
//	histogram             sums of gradients by bin, column-wise
//	histogram_rowwise     the same sums, row-wise
//	histogram_sparse      the same sums for leaves of few rows
//	split_numeric         the best split of a leaf by a numeric feature
//	split_categorical     the best split of a leaf by a categorical feature
//	find_splits           builds histograms and finds the best splits of leaves
//	partition             moves the rows of a leaf to its children
//	grow                  grows a tree leaf by leaf, highest gain first
//	symmetric             grows a tree level by level, one split for all leaves
//	level_histograms      assigns and builds the histograms of a level
//	level_split           scores the splits of a level
//	predictor             the grown tree as an array, used to predict
//	predict_batch         predicts many binned rows at once
//	codec                 the binary form of bin mappers and trees
//
// Histograms are sums of integers, so they are exact: they do not depend on the
// order of the rows or on the number of workers, and a histogram computed by
// subtraction equals the one built from rows bit by bit.
//
// # References
//
//   - J. H. Friedman, Greedy function approximation: a gradient boosting
//     machine, Annals of Statistics 29 (2001).
//   - T. Chen, C. Guestrin, XGBoost: a scalable tree boosting system, KDD 2016.
//   - G. Ke et al., LightGBM: a highly efficient gradient boosting decision
//     tree, NIPS 2017.
//   - Y. Shi et al., Quantized training of gradient boosting decision trees,
//     NeurIPS 2022.
//   - W. D. Fisher, On grouping for maximum homogeneity, JASA 53 (1958).
package tree
