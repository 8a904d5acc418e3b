// Package preprocess converts the columns of a table to inputs of the models that need numbers of
// similar size: the networks and the kernel logistic regression. A numeric column is scaled by a
// [RobustScaler], and the levels of a categorical column are numbered by an [OrdinalEncoder].
package preprocess
