// Package tree grows and evaluates decision trees on binned features.
//
// The files follow the steps of training:
//
//	bin_mapper            maps the cells of one column to bins
//	binned_matrix         the binned columns of a frame, one byte a cell
//	gradient              first and second derivatives as packed integers
//	histogram             sums of gradients by bin; histogram_*: see below
//	split_numeric         the best split of a leaf by a numeric feature
//	split_categorical     the best split of a leaf by a categorical feature
//	find_splits           builds histograms and finds the best splits of leaves
//	partition             moves the rows of a leaf to its children
//	grow                  grows a tree leaf by leaf, highest gain first
//	symmetric             grows a tree level by level, one split for all leaves
//	level_split           scores the splits of a level
//	predictor             the grown tree as an array, used to predict
//	predict_batch         predicts many binned rows at once
//	codec                 the binary form of bin mappers and trees
//
// Histograms are sums of integers, so they are exact: they do not depend on the
// order of the rows or on the number of workers, and a histogram computed by
// subtraction equals the one built from rows bit by bit.
//
// # Histograms
//
// A histogram holds a packed sum of gradients for each bin of each feature.
// Most of the time of training is spent building them, and most of that on
// waiting for memory, because the rows of a leaf are spread over the matrix.
// There are three ways to build the histogram of a leaf.
//
// Column-wise (histogram_columnwise): for one feature after another the bins of
// all rows of the leaf are read. The gradients are first copied in the order of
// the rows, so that they are read in sequence, and the cells of the feature
// stay in the nearest cache. Features are in groups of eight (histogram_group)
// whose bins are also packed into words: one read of a word then serves eight
// histograms. Each group is a task. Symmetric trees use it: a level has many
// leaves whose rows are read together, output by output.
//
// Row-wise (histogram_rowwise): for one block of rows after another the words
// of all groups are read, which are next to each other in a row-major copy of
// the matrix (histogram_row_major), and stored group by group. The cells of all
// groups are then added to from this buffer. A row costs one or two cache
// misses for all features instead of one for each group. Leaf-wise trees use
// it: a leaf is one of many and has few rows in most calls. Large leaves are
// divided among the workers by rows, others by groups.
//
// Sparse (histogram_sparse): for a leaf with fewer rows than half the mean
// number of bins, the few bins that are not empty are kept in a list. It costs
// less to build than clearing a histogram and less to scan. Symmetric trees use
// it for the small leaves of their last levels, which then need no memory for
// histograms.
//
// All of them add the same integers, so their results are equal bit by bit. In
// all three, the histogram of the larger of two siblings is that of the parent
// minus that of the smaller. Leaf-wise trees take histograms from a pool
// (histogram_pool) of limited size; the leaves of a level own slots of one
// slice (histogram_level).
//
// The builders are part of this package because they share the layout of the
// binned matrix and the rows of the leaves with the growers.
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
