// Package tree grows and evaluates decision trees on binned features.
//
// The pipeline is the list of files:
//
//	cuts       how the cells of one column become bins
//	bins       a frame cut into bins, one byte a cell
//	gradient   first and second derivatives as packed integers
//	histogram  their sums per bin: by counting, and by subtraction
//	split      the best place to divide a leaf, numeric and categorical
//	partition  which rows are in which leaf
//	grow       leaf by leaf, the most promising first
//	flat       the grown tree as an array, to predict with
//	symmetric  level by level, one test for all leaves; level scores the tests
//	codec      the binary form of cuts and trees
//
// Histograms are sums of integers. That makes them exact: they do not depend
// on the order of the rows or on the number of workers, and a histogram got by
// subtraction equals the one got by counting, bit by bit.
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
