package connect

import (
	"context"
	"slices"

	"foretell/internal/client"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// NewestChampion returns the champion of the series whose newest model was trained last. It returns
// nil if there is no model, and an error if that series has no champion.
func (c *Session) NewestChampion(ctx context.Context) (*client.SeriesModel, error) {
	models, err := Collect(c.AllModels(ctx))
	if err != nil || len(models) == 0 {
		return nil, err
	}
	newest := NewestModel(models)
	i := slices.IndexFunc(models, func(m client.SeriesModel) bool { return m.Champion && m.Series == newest.Series })
	if i < 0 {
		return nil, noChampionError(newest)
	}
	return &models[i], nil
}

// NewestModel returns the newest of models, which must not be empty. If several models have the
// newest creation time, it returns the first of them.
func NewestModel(models []client.SeriesModel) *client.SeriesModel {
	newest := 0
	for i, m := range models {
		if (creationTime{m.CreatedOn, m.CreatedMicros}).compare(creationTime{models[newest].CreatedOn, models[newest].CreatedMicros}) > 0 {
			newest = i
		}
	}
	return &models[newest]
}

// ChampionRef is the text that means the champion of a series, in references and for --beat. See
// [client.FindChampion].
const ChampionRef = "champion"

// noChampionError returns the error for a reference to the champion of a series that has no
// champion. newest is the newest model of the series.
func noChampionError(newest *client.SeriesModel) error {
	ref := term.ShellQuote(newest.Reference())
	return exit.Errorf(exit.NotFound, "the series %s has no champion: all its models were rejected, because they missed --require or --beat", newest.Series).
		WithHint("name a model, such as %s, or make it the champion with `foretell models promote %s`", ref, ref)
}
