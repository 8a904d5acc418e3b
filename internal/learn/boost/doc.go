// Package boost learns classifiers by gradient boosting (Friedman 2001): trees
// are added one after the other, each fitted to the derivatives of the log
// loss of those before it, each leaf taking a Newton step (Chen & Guestrin
// 2016).
//
// Two ways to grow a tree share all the rest:
//
//   - leaf-wise: one tree a round for two classes and one per class for more;
//     the most promising leaf is divided first (Ke et al. 2017);
//   - symmetric: one tree a round for all classes, the same split for all the
//     leaves of a level, categories replaced by ordered target statistics
//     (Prokhorenkova et al. 2018).
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
