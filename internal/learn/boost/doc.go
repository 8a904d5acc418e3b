// Package boost trains classifiers by gradient boosting (Friedman 2001). Trees are added
// one after the other. Each tree is fitted to the derivatives of the log loss of the
// trees before it, and the value of each leaf is a Newton step (Chen & Guestrin 2016).
//
// There are two kinds of trees:
//
//   - leaf-wise: one tree a round for two classes, and one for each class if
//     there are more. The leaf of highest gain is split first (Ke et al. 2017).
//   - symmetric: one tree a round for all classes. All leaves of a level have
//     the same split, and categories are replaced by ordered target statistics
//     (Prokhorenkova et al. 2018).
//
// The files by role:
//
//	fitter, options, workspace    training step by step and its working memory
//	objective, row_scores         log loss, raw scores and derivatives
//	sampling                      draws the rows that a tree is grown from
//	feature_set, target_encoding  the features of symmetric trees
//	category_columns              the categories of one or two columns, as numbers
//	leafwise, symmetric           a round of boosting
//	symmetric_tree                a tree whose leaves of a level have the same split
//	sketch, leaf_values           derivatives and leaf values of symmetric trees
//	monotone                      leaf values of symmetric trees with monotone features
//	model, *_model                trained models and prediction
//	spilled_ensemble              trees on disk, which are decoded on first use
//	path, onnx                    predictions for explanations; export to ONNX
//
// # References
//
//   - J. Friedman, T. Hastie, R. Tibshirani, Additive logistic regression,
//     Annals of Statistics 28 (2000): the derivatives, influence trimming.
//   - J. H. Friedman, Greedy function approximation: a gradient boosting
//     machine, Annals of Statistics 29 (2001).
//   - T. Chen, C. Guestrin, XGBoost, KDD 2016.
//   - G. Ke et al., LightGBM, NIPS 2017.
//   - B. Ibragimov, G. Gusev, Minimal variance sampling in stochastic gradient
//     boosting, NeurIPS 2019.
//   - L. Prokhorenkova et al., CatBoost: unbiased boosting with categorical
//     features, NeurIPS 2018.
//   - L. Iosipoi, A. Vakhrushev, SketchBoost: fast gradient boosted decision
//     tree for multioutput problems, NeurIPS 2022.
package boost
